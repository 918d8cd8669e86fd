"""Long-vector arithmetic whose sums do not depend on the number of threads, as those of BLAS may.

Sums are made block by block, blocks of one size whatever the threads, and then added up.
"""

from collections.abc import Callable

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.blocks import Block, Given, Result, run_blocks, threads_in_use
from crowdseq.numerics.compiling import summing_kernel

_BLOCK = 16_384
_WORTH_THREADS = 64  # blocks; on fewer, waking a thread costs more than the pass, which waits for memory


def dot(a: FloatArray, b: FloatArray) -> float:
    """Sum of products."""
    sums = _block_sums(len(a))
    _spread(_dot, (a, b), sums, len(sums))
    return float(sums.sum())


def advance(target: FloatArray, factor: float, a: FloatArray, scale: float, b: FloatArray) -> float:
    """target = (target + factor * a) * scale in place, then the sum of products of target and b: one pass."""
    sums = _block_sums(len(a))
    _spread(_advance, (factor, a, scale, b), (target, sums), len(sums))
    return float(sums.sum())


def subtract_and_penalise(
    gradient: FloatArray, observed: FloatArray, weights: FloatArray, c2: float
) -> tuple[float, float]:
    """gradient += 2 c2 weights - observed in place; weights times observed, and times themselves."""
    along, square = _block_sums(len(weights)), _block_sums(len(weights))
    _spread(_penalise, (observed, weights, c2), (gradient, along, square), len(along))
    return float(along.sum()), float(square.sum())


def move(start: FloatArray, length: float, direction: FloatArray) -> FloatArray:
    """start + length * direction, without a second array on the way."""
    result = np.empty_like(start)
    _spread(_move, (start, length, direction), result, len(_block_sums(len(start))))
    return result


def compare(
    new: FloatArray, old: FloatArray, new_gradient: FloatArray, old_gradient: FloatArray
) -> tuple[FloatArray, FloatArray, float, float]:
    """The step, the change of the gradient, their product, and the square of the change: one pass."""
    step, change = np.empty_like(new), np.empty_like(new)
    product, square = _block_sums(len(new)), _block_sums(len(new))
    given = (new, old, new_gradient, old_gradient)
    _spread(_compare, given, (step, change, product, square), len(product))
    return step, change, float(product.sum()), float(square.sum())


def norm(a: FloatArray) -> float:
    """Euclidean length."""
    return float(np.sqrt(dot(a, a)))


def _block_sums(size: int) -> FloatArray:
    return np.empty(-(-size // _BLOCK))


def _spread(
    kernel: Callable[[Given, Result, Block], None], given: Given, result: Result, n_blocks: int
) -> None:
    """Run the kernel over all blocks: in one go, or a stretch for each thread if there are many blocks."""
    if n_blocks < _WORTH_THREADS:
        return kernel(given, result, Block(0, 0, n_blocks))
    parts = min(threads_in_use(), n_blocks)
    return run_blocks(kernel, given, result, np.arange(parts + 1) * n_blocks // parts)


# Loops run over slices from zero: an index that might be negative would keep the compiler from vectors.


@summing_kernel
def _part(a: FloatArray, block: int) -> FloatArray:
    return a[block * _BLOCK : block * _BLOCK + _BLOCK]


@summing_kernel
def _dot(given: tuple[FloatArray, FloatArray], sums: FloatArray, blocks: Block) -> None:
    a, b = given
    for block in range(blocks.first, blocks.last):
        x, y = _part(a, block), _part(b, block)
        total = 0.0
        for i in range(len(x)):
            total += x[i] * y[i]
        sums[block] = total


@summing_kernel
def _advance(
    given: tuple[float, FloatArray, float, FloatArray], result: tuple[FloatArray, FloatArray], blocks: Block
) -> None:
    factor, a, scale, b = given
    target, sums = result
    for block in range(blocks.first, blocks.last):
        x, y, z = _part(target, block), _part(a, block), _part(b, block)
        total = 0.0
        for i in range(len(x)):
            value = (x[i] + factor * y[i]) * scale
            x[i] = value
            total += value * z[i]
        sums[block] = total


@summing_kernel
def _penalise(
    given: tuple[FloatArray, FloatArray, float],
    result: tuple[FloatArray, FloatArray, FloatArray],
    blocks: Block,
) -> None:
    observed, weights, c2 = given
    gradient, along, square = result
    for block in range(blocks.first, blocks.last):
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
def _move(given: tuple[FloatArray, float, FloatArray], result: FloatArray, blocks: Block) -> None:
    start, length, direction = given
    first, last = blocks.first * _BLOCK, blocks.last * _BLOCK
    x, y, z = start[first:last], direction[first:last], result[first:last]
    for i in range(len(x)):
        z[i] = x[i] + length * y[i]


@summing_kernel
def _compare(
    given: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    result: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    blocks: Block,
) -> None:
    new, old, new_gradient, old_gradient = given
    step, change, product, square = result
    for block in range(blocks.first, blocks.last):
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
