"""Long-vector arithmetic whose sums do not depend on the number of threads, as those of BLAS may."""

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.compiling import summing_kernel


@summing_kernel
def dot(a: FloatArray, b: FloatArray) -> float:
    """Sum of products."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@summing_kernel
def add_and_dot(target: FloatArray, factor: float, a: FloatArray, b: FloatArray) -> float:
    """target += factor * a in place, then the sum of products of target and b: one pass over memory."""
    total = 0.0
    for i in range(len(target)):
        value = target[i] + factor * a[i]
        target[i] = value
        total += value * b[i]
    return total


@summing_kernel
def subtract_and_penalise(
    gradient: FloatArray, observed: FloatArray, weights: FloatArray, c2: float
) -> tuple[float, float]:
    """gradient += 2 c2 weights - observed in place; weights times observed, and times themselves."""
    along = 0.0
    square = 0.0
    for i in range(len(gradient)):
        weight = weights[i]
        gradient[i] += 2.0 * c2 * weight - observed[i]
        along += weight * observed[i]
        square += weight * weight
    return along, square


@summing_kernel
def add_and_scale(target: FloatArray, factor: float, a: FloatArray, scale: float) -> None:
    """target = (target + factor * a) * scale in place."""
    for i in range(len(target)):
        target[i] = (target[i] + factor * a[i]) * scale


@summing_kernel
def move(start: FloatArray, length: float, direction: FloatArray) -> FloatArray:
    """start + length * direction, without a second array on the way."""
    result = np.empty_like(start)
    for i in range(len(start)):
        result[i] = start[i] + length * direction[i]
    return result


@summing_kernel
def compare(
    new: FloatArray, old: FloatArray, new_gradient: FloatArray, old_gradient: FloatArray
) -> tuple[FloatArray, FloatArray, float, float]:
    """The step, the change of the gradient, their product, and the square of the change: one pass."""
    step, change = np.empty_like(new), np.empty_like(new)
    product = 0.0
    square = 0.0
    for i in range(len(new)):
        moved = new[i] - old[i]
        turned = new_gradient[i] - old_gradient[i]
        step[i] = moved
        change[i] = turned
        product += moved * turned
        square += turned * turned
    return step, change, product, square


def norm(a: FloatArray) -> float:
    """Euclidean length."""
    return float(np.sqrt(dot(a, a)))
