"""Forward and backward passes in log space: for sentences whose scores are too far apart for scaling."""

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.compiling import kernel


@kernel
def log_sum(scores: FloatArray) -> float:
    """log of the sum of exponentials; minus infinity if all are."""
    top = -np.inf
    for score in scores:
        top = max(top, score)
    if top == -np.inf:
        return top
    total = 0.0
    for score in scores:
        total += np.exp(score - top)
    return float(top + np.log(total))


@kernel
def log_forward(
    unary: FloatArray, edges: FloatArray, transitions: FloatArray, start: int, stop: int
) -> tuple[FloatArray, float]:
    """(length, M) log forward scores, token scores included, and the log-partition."""
    n_labels = unary.shape[1]
    length = stop - start
    alpha = np.empty((length, n_labels))
    arriving = np.empty(n_labels)
    for t in range(length):
        for j in range(n_labels):
            score = unary[start + t, j]
            if t == 0:
                score += edges[0, j]
            else:
                for i in range(n_labels):
                    arriving[i] = alpha[t - 1, i] + transitions[i, j]
                score += log_sum(arriving)
            alpha[t, j] = score + edges[1, j] if t == length - 1 else score
    return alpha, log_sum(alpha[length - 1])


@kernel
def log_backward(
    unary: FloatArray, edges: FloatArray, transitions: FloatArray, start: int, stop: int
) -> FloatArray:
    """(length, M) log backward scores, the token's own score left out."""
    n_labels = unary.shape[1]
    length = stop - start
    beta = np.zeros((length, n_labels))
    leaving = np.empty(n_labels)
    for t in range(length - 2, -1, -1):
        for i in range(n_labels):
            for j in range(n_labels):
                ending = edges[1, j] if t + 1 == length - 1 else 0.0
                leaving[j] = transitions[i, j] + unary[start + t + 1, j] + ending + beta[t + 1, j]
            beta[t, i] = log_sum(leaving)
    return beta


@kernel
def log_edge(
    alpha: FloatArray,
    beta: FloatArray,
    unary: FloatArray,
    edges: FloatArray,
    transitions: FloatArray,
    start: int,
    t: int,
    log_partition: float,
    pairs: FloatArray,
) -> None:
    """Fill pairs (M, M) with the probabilities of the labels of tokens t - 1 and t of the sentence."""
    n_labels = unary.shape[1]
    last = t == alpha.shape[0] - 1
    for i in range(n_labels):
        for j in range(n_labels):
            ending = edges[1, j] if last else 0.0
            arriving = alpha[t - 1, i] + transitions[i, j] + unary[start + t, j] + ending
            pairs[i, j] = np.exp(arriving + beta[t, j] - log_partition)


@kernel
def log_marginals(
    unary: FloatArray,
    edges: FloatArray,
    transitions: FloatArray,
    start: int,
    stop: int,
    sentence_weight: float,
    marginals: FloatArray,
    pairwise: FloatArray,
) -> float:
    """Fill marginals rows start..stop, add weighted edges to pairwise (M, M); the log-partition."""
    n_labels = unary.shape[1]
    alpha, log_partition = log_forward(unary, edges, transitions, start, stop)
    if log_partition == -np.inf:
        marginals[start:stop] = 0.0
        return log_partition
    beta = log_backward(unary, edges, transitions, start, stop)
    pairs = np.empty((n_labels, n_labels))
    for t in range(1, stop - start):
        log_edge(alpha, beta, unary, edges, transitions, start, t, log_partition, pairs)
        pairwise += sentence_weight * pairs
    # Last, because marginals and unary may be one array.
    for t in range(stop - start):
        for j in range(n_labels):
            marginals[start + t, j] = np.exp(alpha[t, j] + beta[t, j] - log_partition)
    return log_partition
