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


def norm(a: FloatArray) -> float:
    """Euclidean length."""
    return float(np.sqrt(dot(a, a)))
