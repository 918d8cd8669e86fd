"""Forward and backward passes over one sentence in scaled space: the hot loops of every chain model.

Each token's scores are shifted by their maximum before exp, and each forward row is divided by its sum.
Nothing may underflow unseen: a sentence whose numbers come near the floor is handed to `log_passes`.
"""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.compiling import kernel
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
    shift = 0.0
    verdict = ORDINARY
    for t in range(start, stop):
        row = (t - start) * width
        top = -np.inf
        for j in range(n_labels):
            score = unary[t, j]
            if t == start:
                score += edges[0, j]
            if t == stop - 1:
                score += edges[1, j]
            weights[row + j] = score
            top = max(top, score)
        if top == -np.inf:
            return -np.inf, NO_PATH
        shift += top
        for j in range(n_labels):
            score = weights[row + j] - top
            if -np.inf < score < LOWEST_UNARY:
                verdict = EXTREME
            weights[row + j] = score
        for j in range(n_labels, width):
            weights[row + j] = -np.inf
    exponentials(weights, powers, (stop - start) * width)
    return shift, verdict


@kernel
def forward(
    labels: tuple[int, ...],
    n_labels: int,
    length: int,
    weights: FloatArray,
    transitions: FloatArray,
    alpha: FloatArray,
    scales: FloatArray,
) -> tuple[float, int]:
    """Fill alpha (rows sum to one) and scales (one over each sum); the log of their product; a verdict."""
    n_labels = label_count(labels, n_labels)
    width = padded_width(labels, n_labels)
    log_total = 0.0
    product = 1.0
    for t in range(length):
        row = t * width
        if t == 0:
            for j in range(width):
                alpha[row + j] = 1.0
        else:
            for j in range(width):
                alpha[row + j] = 0.0
            for i in range(n_labels):
                before = alpha[row - width + i]
                for j in range(width):
                    alpha[row + j] += before * transitions[i, j]
        total = 0.0
        for j in range(width):
            alpha[row + j] *= weights[row + j]
            total += alpha[row + j]
        if total == 0.0:
            return -np.inf, NO_PATH
        scale = 1.0 / total
        lowest = 1.0
        for j in range(width):
            alpha[row + j] *= scale
            lowest = min(lowest, alpha[row + j] if alpha[row + j] > 0.0 else 1.0)
        if lowest < LOWEST_FORWARD:
            return 0.0, EXTREME
        scales[t] = scale
        # One log for many tokens: the product is brought back long before it leaves the range of a double.
        product *= total
        if product < 1e-150 or product > 1e150:
            log_total += np.log(product)
            product = 1.0
    return log_total + np.log(product), ORDINARY


@kernel
def backward(
    labels: tuple[int, ...],
    n_labels: int,
    length: int,
    weights: FloatArray,
    transposed: FloatArray,
    alpha: FloatArray,
    scales: FloatArray,
    beta: FloatArray,
    sentence_weight: float,
    outer: FloatArray,
) -> None:
    """Turn alpha into marginals in place and add its edges, not yet times the transitions, to outer.

    transposed: transitions with rows and columns exchanged; beta: (2, width) scratch.
    """
    n_labels = label_count(labels, n_labels)
    width = padded_width(labels, n_labels)
    for j in range(width):
        beta[0, j] = 1.0
    for t in range(length - 1, 0, -1):
        row = t * width
        for j in range(width):
            beta[1, j] = weights[row + j] * beta[0, j] * scales[t]
            beta[0, j] = 0.0
        for j in range(n_labels):
            after = beta[1, j]
            for i in range(width):
                beta[0, i] += after * transposed[j, i]
        for i in range(n_labels):
            before = alpha[row - width + i]
            weighted = before * sentence_weight
            for j in range(width):
                outer[i, j] += weighted * beta[1, j]
        for i in range(width):
            # A label that cannot be reached may have an infinite backward weight, which must not meet a zero.
            beta[0, i] = beta[0, i] if alpha[row - width + i] > 0.0 else 0.0
            alpha[row - width + i] *= beta[0, i]
