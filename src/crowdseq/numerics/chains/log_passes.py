"""Forward and backward passes in log space: for sentences whose scores are too far apart for scaling."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.chains.bundles import Moves
from crowdseq.numerics.compiling import kernel


class LogPasses(NamedTuple):
    """Both passes over a sentence, (length, M) each, and its log-partition."""

    alpha: FloatArray
    beta: FloatArray
    log_partition: float


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
def log_forward(scores: FloatArray, moves: Moves) -> tuple[FloatArray, float]:
    """(length, M) log forward scores of a sentence, token scores included, and the log-partition."""
    length, n_labels = scores.shape
    transitions, edges = moves
    alpha = np.empty((length, n_labels))
    arriving = np.empty(n_labels)
    for t in range(length):
        for j in range(n_labels):
            score = scores[t, j]
            if t == 0:
                score += edges[0, j]
            else:
                for i in range(n_labels):
                    arriving[i] = alpha[t - 1, i] + transitions[i, j]
                score += log_sum(arriving)
            alpha[t, j] = score + edges[1, j] if t == length - 1 else score
    return alpha, log_sum(alpha[length - 1])


@kernel
def log_backward(scores: FloatArray, moves: Moves) -> FloatArray:
    """(length, M) log backward scores of a sentence, the token's own score left out."""
    length, n_labels = scores.shape
    transitions, edges = moves
    beta = np.zeros((length, n_labels))
    leaving = np.empty(n_labels)
    for t in range(length - 2, -1, -1):
        for i in range(n_labels):
            for j in range(n_labels):
                ending = edges[1, j] if t + 1 == length - 1 else 0.0
                leaving[j] = transitions[i, j] + scores[t + 1, j] + ending + beta[t + 1, j]
            beta[t, i] = log_sum(leaving)
    return beta


@kernel
def log_edge(scores: FloatArray, moves: Moves, passes: LogPasses, t: int, pairs: FloatArray) -> None:
    """Fill pairs (M, M) with the probabilities of the labels of tokens t - 1 and t of the sentence."""
    n_labels = scores.shape[1]
    transitions, edges = moves
    alpha, beta, log_partition = passes
    last = t == alpha.shape[0] - 1
    for i in range(n_labels):
        for j in range(n_labels):
            ending = edges[1, j] if last else 0.0
            arriving = alpha[t - 1, i] + transitions[i, j] + scores[t, j] + ending
            pairs[i, j] = np.exp(arriving + beta[t, j] - log_partition)


@kernel
def log_marginals(
    scores: FloatArray, moves: Moves, weight: float, marginals: FloatArray, pairwise: FloatArray
) -> float:
    """Fill the marginals of a sentence, add its weighted edges to pairwise (M, M); the log-partition.

    Without room in marginals the log-partition is all that is wanted.
    """
    length, n_labels = scores.shape
    alpha, log_partition = log_forward(scores, moves)
    if len(marginals) == 0:
        return log_partition
    if log_partition == -np.inf:
        marginals[:] = 0.0
        return log_partition
    beta = log_backward(scores, moves)
    pairs = np.empty((n_labels, n_labels))
    for t in range(1, length):
        log_edge(scores, moves, LogPasses(alpha, beta, log_partition), t, pairs)
        # Loops of their own: whole-array arithmetic takes long to compile, and one loop would fuse its steps.
        for i in range(n_labels):
            for j in range(n_labels):
                pairs[i, j] *= weight
        for i in range(n_labels):
            for j in range(n_labels):
                pairwise[i, j] += pairs[i, j]
    for t in range(length):
        for j in range(n_labels):
            marginals[t, j] = np.exp(alpha[t, j] + beta[t, j] - log_partition)
    return log_partition
