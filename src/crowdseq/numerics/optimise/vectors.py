"""Long-vector arithmetic whose sums do not depend on the number of threads, as those of BLAS may.

Sums are made block by block, blocks of one size whatever the threads, and then added up.
"""

from collections.abc import Callable

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.blocks import run_blocks, threads_in_use
from crowdseq.numerics.compiling import summing_kernel

_BLOCK = 16_384
_WORTH_THREADS = 64  # blocks; on fewer, waking a thread costs more than the pass, which waits for memory


def dot(a: FloatArray, b: FloatArray) -> float:
    """Sum of products."""
    sums = _block_sums(len(a))
    _spread(lambda first, last: _dot(a, b, first, last, sums), sums)
    return float(sums.sum())


def advance(target: FloatArray, factor: float, a: FloatArray, scale: float, b: FloatArray) -> float:
    """target = (target + factor * a) * scale in place, then the sum of products of target and b: one pass."""
    sums = _block_sums(len(a))
    _spread(lambda first, last: _advance(target, factor, a, scale, b, first, last, sums), sums)
    return float(sums.sum())


def subtract_and_penalise(
    gradient: FloatArray, observed: FloatArray, weights: FloatArray, c2: float
) -> tuple[float, float]:
    """gradient += 2 c2 weights - observed in place; weights times observed, and times themselves."""
    along, square = _block_sums(len(weights)), _block_sums(len(weights))
    _spread(
        lambda first, last: _penalise(gradient, observed, weights, c2, first, last, along, square),
        along,
    )
    return float(along.sum()), float(square.sum())


def move(start: FloatArray, length: float, direction: FloatArray) -> FloatArray:
    """start + length * direction, without a second array on the way."""
    result = np.empty_like(start)
    blocks = _block_sums(len(start))
    _spread(lambda first, last: _move(start, length, direction, first, last, result), blocks)
    return result


def compare(
    new: FloatArray, old: FloatArray, new_gradient: FloatArray, old_gradient: FloatArray
) -> tuple[FloatArray, FloatArray, float, float]:
    """The step, the change of the gradient, their product, and the square of the change: one pass."""
    step, change = np.empty_like(new), np.empty_like(new)
    product, square = _block_sums(len(new)), _block_sums(len(new))

    def work(first: int, last: int) -> None:
        _compare(new, old, new_gradient, old_gradient, first, last, step, change, product, square)

    _spread(work, product)
    return step, change, float(product.sum()), float(square.sum())


def norm(a: FloatArray) -> float:
    """Euclidean length."""
    return float(np.sqrt(dot(a, a)))


def _block_sums(size: int) -> FloatArray:
    return np.empty(-(-size // _BLOCK))


def _spread(work: Callable[[int, int], None], blocks: FloatArray) -> None:
    """Call work(first, last) for stretches of the blocks, one stretch for each thread if they are many."""
    if len(blocks) < _WORTH_THREADS:
        return work(0, len(blocks))
    parts = min(threads_in_use(), len(blocks))
    cuts = [len(blocks) * part // parts for part in range(parts + 1)]
    return run_blocks(lambda part: work(cuts[part], cuts[part + 1]), parts)


# Loops run over slices from zero: an index that might be negative would keep the compiler from vectors.


@summing_kernel
def _dot(a: FloatArray, b: FloatArray, first: int, last: int, sums: FloatArray) -> None:
    for block in range(first, last):
        x, y = _part(a, block), _part(b, block)
        total = 0.0
        for i in range(len(x)):
            total += x[i] * y[i]
        sums[block] = total


@summing_kernel
def _part(a: FloatArray, block: int) -> FloatArray:
    return a[block * _BLOCK : block * _BLOCK + _BLOCK]


@summing_kernel
def _advance(
    target: FloatArray,
    factor: float,
    a: FloatArray,
    scale: float,
    b: FloatArray,
    first: int,
    last: int,
    sums: FloatArray,
) -> None:
    for block in range(first, last):
        x, y, z = _part(target, block), _part(a, block), _part(b, block)
        total = 0.0
        for i in range(len(x)):
            value = (x[i] + factor * y[i]) * scale
            x[i] = value
            total += value * z[i]
        sums[block] = total


@summing_kernel
def _penalise(
    gradient: FloatArray,
    observed: FloatArray,
    weights: FloatArray,
    c2: float,
    first: int,
    last: int,
    along: FloatArray,
    square: FloatArray,
) -> None:
    for block in range(first, last):
        x, y, z = _part(gradient, block), _part(observed, block), _part(weights, block)
        times_observed = 0.0
        times_itself = 0.0
        for i in range(len(x)):
            weight = z[i]
            x[i] += 2.0 * c2 * weight - y[i]
            times_observed += weight * y[i]
            times_itself += weight * weight
        along[block] = times_observed
        square[block] = times_itself


@summing_kernel
def _move(
    start: FloatArray, length: float, direction: FloatArray, first: int, last: int, result: FloatArray
) -> None:
    x, y = start[first * _BLOCK : last * _BLOCK], direction[first * _BLOCK : last * _BLOCK]
    z = result[first * _BLOCK : last * _BLOCK]
    for i in range(len(x)):
        z[i] = x[i] + length * y[i]


@summing_kernel
def _compare(
    new: FloatArray,
    old: FloatArray,
    new_gradient: FloatArray,
    old_gradient: FloatArray,
    first: int,
    last: int,
    step: FloatArray,
    change: FloatArray,
    product: FloatArray,
    square: FloatArray,
) -> None:
    for block in range(first, last):
        x, y = _part(new, block), _part(old, block)
        dx, dy = _part(new_gradient, block), _part(old_gradient, block)
        moves, turns = _part(step, block), _part(change, block)
        together = 0.0
        itself = 0.0
        for i in range(len(x)):
            moved = x[i] - y[i]
            turned = dx[i] - dy[i]
            moves[i] = moved
            turns[i] = turned
            together += moved * turned
            itself += turned * turned
        product[block] = together
        square[block] = itself
