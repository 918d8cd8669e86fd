"""Long-vector arithmetic whose sums do not depend on the number of threads, as those of BLAS may.

Sums are made block by block, blocks of one size whatever the threads, and then added up.
"""

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.blocks import Block, run_blocks, threads_in_use
from crowdseq.numerics.compiling import summing_kernel

_BLOCK = 16_384
_WORTH_THREADS = 64  # blocks; on fewer, waking a thread costs more than the pass, which waits for memory
_DOT, _ADVANCE, _PENALISE, _MOVE, _COMPARE = range(5)


def dot(a: FloatArray, b: FloatArray) -> float:
    """Sum of products. What comes from another process may not be written to."""
    return _pass(_DOT, (_writable(a), _writable(b)))[0]


def advance(target: FloatArray, factor: float, a: FloatArray, scale: float, b: FloatArray) -> float:
    """target = (target + factor * a) * scale in place, then the sum of products of target and b: one pass."""
    return _pass(_ADVANCE, (target, a, b), factor, scale)[0]


def subtract_and_penalise(
    gradient: FloatArray, observed: FloatArray, weights: FloatArray, c2: float
) -> tuple[float, float]:
    """gradient += 2 c2 weights - observed in place; weights times observed, and times themselves."""
    return _pass(_PENALISE, (gradient, observed, weights), c2)


def move(start: FloatArray, length: float, direction: FloatArray) -> FloatArray:
    """start + length * direction, without a second array on the way."""
    result = np.empty_like(start)
    _pass(_MOVE, (start, direction, result), length)
    return result


def compare(
    new: FloatArray, old: FloatArray, new_gradient: FloatArray, old_gradient: FloatArray
) -> tuple[FloatArray, FloatArray, float, float]:
    """The step, the change of the gradient, their product, and the square of the change: one pass."""
    step, change = np.empty_like(new), np.empty_like(new)
    found = _pass(_COMPARE, (new, old, new_gradient, old_gradient, step, change))
    return step, change, *found


def norm(a: FloatArray) -> float:
    """Euclidean length."""
    return float(np.sqrt(dot(a, a)))


def _writable(a: FloatArray) -> FloatArray:
    """The same, or a copy: the kernel writes to its vectors in other passes, so it is not made for those that
    may only be read."""
    return a if a.flags.writeable else a.copy()


def _pass(
    kind: int, vectors: tuple[FloatArray, ...], factor: float = 0.0, scale: float = 0.0
) -> tuple[float, float]:
    """One pass over vectors, in one go, or a stretch for each thread if there are many blocks; its sums."""
    n_blocks = -(-len(vectors[0]) // _BLOCK)
    every = (*vectors, *[vectors[0]] * (6 - len(vectors)))
    given = ((kind, float(factor), float(scale)), every)
    sums = np.empty((2, n_blocks))
    if n_blocks < _WORTH_THREADS:
        _run(given, sums, Block(0, 0, n_blocks))
    else:
        parts = min(threads_in_use(), n_blocks)
        run_blocks(_run, given, sums, np.arange(parts + 1) * n_blocks // parts)
    return float(sums[0].sum()), float(sums[1].sum())


# All passes are one kernel, which takes a third of the time to compile. Loops run over slices from zero: an
# index that might be negative would keep the compiler from vectors.


@summing_kernel
def _run(
    given: tuple[tuple[int, float, float], tuple[FloatArray, ...]],
    sums: FloatArray,
    blocks: Block,
) -> None:
    kind, factor, scale = given[0]
    a, b, c, d, e, f = given[1]
    for block in range(blocks.first, blocks.last):
        first, last = block * _BLOCK, block * _BLOCK + _BLOCK
        u, v, w = a[first:last], b[first:last], c[first:last]
        one = 0.0
        two = 0.0
        if kind == _DOT:
            for i in range(len(u)):
                one += u[i] * v[i]
        elif kind == _ADVANCE:
            for i in range(len(u)):
                value = (u[i] + factor * v[i]) * scale
                u[i] = value
                one += value * w[i]
        elif kind == _PENALISE:
            for i in range(len(u)):
                weight = w[i]
                u[i] += 2.0 * factor * weight - v[i]
                one += weight * v[i]
                two += weight * weight
        elif kind == _MOVE:
            for i in range(len(u)):
                w[i] = u[i] + factor * v[i]
        else:
            x, y, z = d[first:last], e[first:last], f[first:last]
            for i in range(len(u)):
                moved = u[i] - v[i]
                turned = w[i] - x[i]
                y[i] = moved
                z[i] = turned
                one += moved * turned
                two += turned * turned
        sums[0, block] = one
        sums[1, block] = two
