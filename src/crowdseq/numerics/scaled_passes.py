"""Forward and backward passes over one sentence in scaled space: the hot loops of every chain model.

Each token's scores are shifted by their maximum before exp, and each forward row is divided by its sum.
Nothing may underflow unseen: a sentence whose numbers come near the floor is handed to `log_passes`.
"""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.compiling import inlined, kernel
from crowdseq.numerics.exponential import exponentials

# 1e-100 (a forward weight) times e^-200 (a transition) times e^-250 (a token) is 1e-296: still normal.
LOWEST_UNARY = -250.0
LOWEST_TRANSITION = -200.0
LOWEST_FORWARD = 1e-100

ORDINARY, EXTREME, NO_PATH = 0, 1, 2


@kernel
def padded_width(labels: tuple[int, ...], n_labels: int) -> int:
    """Label count rounded up to whole vectors of four; a constant where the label count is one."""
    if len(labels) > 0:
        return (len(labels) + 3) // 4 * 4
    return (n_labels + 3) // 4 * 4


@kernel
def label_count(labels: tuple[int, ...], n_labels: int) -> int:
    """Label count; a constant where the tuple carries it."""
    if len(labels) > 0:
        return len(labels)
    return n_labels


@kernel
def exponentiate_transitions(transitions: FloatArray, width: int) -> tuple[FloatArray, float, bool]:
    """(M, M) scores to (width, width) weights of at most one, the shift, and whether they are tame."""
    n_labels = transitions.shape[0]
    top = -np.inf
    for i in range(n_labels):
        for j in range(n_labels):
            top = max(top, transitions[i, j])
    if top == -np.inf:
        top = 0.0
    weights = np.zeros((width, width))
    tame = True
    for i in range(n_labels):
        for j in range(n_labels):
            if transitions[i, j] > -np.inf:
                tame = tame and transitions[i, j] - top > LOWEST_TRANSITION
                weights[i, j] = np.exp(transitions[i, j] - top)
    return weights, top, tame


@kernel
def exponentiate_tokens(
    labels: tuple[int, ...],
    unary: FloatArray,
    edges: FloatArray,
    start: int,
    stop: int,
    weights: FloatArray,
    powers: IntArray,
) -> tuple[float, int]:
    """Scores of tokens start..stop to rows of weights, each with maximum one; the sum of shifts; a verdict.

    edges: (2, M) scores of starting and of ending with a label.
    """
    n_labels = label_count(labels, unary.shape[1])
    width = padded_width(labels, unary.shape[1])
    length = stop - start
    for t in range(length):
        row = t * width
        for j in range(n_labels):
            weights[row + j] = unary[start + t, j]
        for j in range(n_labels, width):
            weights[row + j] = -np.inf
    for j in range(n_labels):
        weights[j] += edges[0, j]
        weights[(length - 1) * width + j] += edges[1, j]
    shift = 0.0
    lowest = 0.0
    for t in range(length):
        row = t * width
        top = _highest(weights, row, width)
        if top == -np.inf:
            return -np.inf, NO_PATH
        shift += top
        for j in range(width):
            weights[row + j] -= top
        lowest = min(lowest, _lowest(weights, row, width, -np.inf, 0.0))
    exponentials(weights, powers, length * width)
    return shift, EXTREME if lowest < LOWEST_UNARY else ORDINARY


@inlined
def _highest(values: FloatArray, at: int, width: int) -> float:
    """Maximum of width values, a multiple of four; four at a time, so that none waits for the one before."""
    a = b = c = d = -np.inf
    for j in range(at, at + width, 4):
        a = values[j] if values[j] > a else a
        b = values[j + 1] if values[j + 1] > b else b
        c = values[j + 2] if values[j + 2] > c else c
        d = values[j + 3] if values[j + 3] > d else d
    return max(max(a, b), max(c, d))


@inlined
def _lowest(values: FloatArray, at: int, width: int, floor: float, ceiling: float) -> float:
    """Minimum of the values above floor; ceiling if there are none. Four at a time."""
    a = b = c = d = ceiling
    for j in range(at, at + width, 4):
        a = values[j] if floor < values[j] < a else a
        b = values[j + 1] if floor < values[j + 1] < b else b
        c = values[j + 2] if floor < values[j + 2] < c else c
        d = values[j + 3] if floor < values[j + 3] < d else d
    return min(min(a, b), min(c, d))


@inlined
def four_sums(
    n_labels: int, vector: FloatArray, at: int, matrix: FloatArray, j: int
) -> tuple[float, float, float, float]:
    """Entries j..j + 3 of vector[at:] times matrix.

    Two rows at a time: the sums stay in registers, and no sum waits long for the one before.
    """
    a0 = a1 = a2 = a3 = 0.0
    b0 = b1 = b2 = b3 = 0.0
    for i in range(0, n_labels - 1, 2):
        even, odd = vector[at + i], vector[at + i + 1]
        a0 += even * matrix[i, j]
        a1 += even * matrix[i, j + 1]
        a2 += even * matrix[i, j + 2]
        a3 += even * matrix[i, j + 3]
        b0 += odd * matrix[i + 1, j]
        b1 += odd * matrix[i + 1, j + 1]
        b2 += odd * matrix[i + 1, j + 2]
        b3 += odd * matrix[i + 1, j + 3]
    if n_labels % 2 == 1:
        last = vector[at + n_labels - 1]
        a0 += last * matrix[n_labels - 1, j]
        a1 += last * matrix[n_labels - 1, j + 1]
        a2 += last * matrix[n_labels - 1, j + 2]
        a3 += last * matrix[n_labels - 1, j + 3]
    return a0 + b0, a1 + b1, a2 + b2, a3 + b3


@kernel
def forward(
    labels: tuple[int, ...],
    n_labels: int,
    length: int,
    weights: FloatArray,
    transitions: FloatArray,
    alpha: FloatArray,
    scales: FloatArray,
) -> tuple[float, float, int]:
    """Fill alpha and scales; the log of the sum over all paths, the sum of the last row of alpha, a verdict.

    Row t is scaled by one over the sum of row t - 1, not of its own: that sum is then never waited for.
    """
    n_labels = label_count(labels, n_labels)
    width = padded_width(labels, n_labels)
    log_total = 0.0
    product = 1.0
    scale = 1.0
    total = 1.0
    for t in range(length):
        row = t * width
        scales[t] = scale
        total = 0.0
        for j in range(0, width, 4):
            a, b, c, d = scale, scale, scale, scale
            if t > 0:
                a, b, c, d = four_sums(n_labels, alpha, row - width, transitions, j)
                a, b, c, d = a * scale, b * scale, c * scale, d * scale
            a *= weights[row + j]
            b *= weights[row + j + 1]
            c *= weights[row + j + 2]
            d *= weights[row + j + 3]
            alpha[row + j], alpha[row + j + 1], alpha[row + j + 2], alpha[row + j + 3] = a, b, c, d
            total += (a + b) + (c + d)
        if total == 0.0:
            return -np.inf, 0.0, NO_PATH
        scale = 1.0 / total
        if _lowest(alpha, row, width, 0.0, np.inf) * scale < LOWEST_FORWARD:
            return 0.0, 0.0, EXTREME
        if t < length - 1:
            # One log for many tokens: the product is brought back long before it leaves the range of a
            # double.
            product *= total
            if product < 1e-150 or product > 1e150:
                log_total += np.log(product)
                product = 1.0
    return log_total + np.log(product) + np.log(total), total, ORDINARY


@kernel
def backward(
    labels: tuple[int, ...],
    n_labels: int,
    length: int,
    weights: FloatArray,
    transposed: FloatArray,
    alpha: FloatArray,
    scales: FloatArray,
    last_total: float,
    beta: FloatArray,
    start: int,
    marginals: FloatArray,
) -> None:
    """Fill marginals from row start; turn weights into what leaves each token backwards, for `add_edges`.

    transposed: transitions with rows and columns exchanged; beta: (width,) scratch.
    """
    n_labels = label_count(labels, n_labels)
    width = padded_width(labels, n_labels)
    for j in range(width):
        beta[j] = 1.0 / last_total
    for t in range(length - 1, -1, -1):
        row = t * width
        for j in range(0, width, 4):
            if t < length - 1:
                a, b, c, d = four_sums(n_labels, weights, row + width, transposed, j)
                # A label that cannot be reached may have an infinite weight here: it must not meet a zero.
                beta[j] = a if alpha[row + j] > 0.0 else 0.0
                beta[j + 1] = b if alpha[row + j + 1] > 0.0 else 0.0
                beta[j + 2] = c if alpha[row + j + 2] > 0.0 else 0.0
                beta[j + 3] = d if alpha[row + j + 3] > 0.0 else 0.0
            weights[row + j] *= scales[t] * beta[j]
            weights[row + j + 1] *= scales[t] * beta[j + 1]
            weights[row + j + 2] *= scales[t] * beta[j + 2]
            weights[row + j + 3] *= scales[t] * beta[j + 3]
        for j in range(n_labels):
            marginals[start + t, j] = alpha[row + j] * beta[j]


@kernel
def add_edges(
    labels: tuple[int, ...],
    n_labels: int,
    length: int,
    alpha: FloatArray,
    leaving: FloatArray,
    sentence_weight: float,
    outer: FloatArray,
) -> None:
    """Add the sentence's label pairs, not yet times the transitions; leaving: weights after `backward`."""
    n_labels = label_count(labels, n_labels)
    width = padded_width(labels, n_labels)
    for i in range(n_labels):
        for j in range(0, width, 4):
            a0, a1, a2, a3 = outer[i, j], outer[i, j + 1], outer[i, j + 2], outer[i, j + 3]
            for t in range(1, length):
                before = alpha[(t - 1) * width + i] * sentence_weight
                row = t * width + j
                a0 += before * leaving[row]
                a1 += before * leaving[row + 1]
                a2 += before * leaving[row + 2]
                a3 += before * leaving[row + 3]
            outer[i, j], outer[i, j + 1], outer[i, j + 2], outer[i, j + 3] = a0, a1, a2, a3
