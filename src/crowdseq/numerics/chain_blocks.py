"""Chain sums over a block of sentences: scaled passes where they are safe, log space where they are not."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.compiling import kernel
from crowdseq.numerics.log_passes import log_backward, log_edge, log_forward, log_marginals
from crowdseq.numerics.scaled_passes import (
    EXTREME,
    NO_PATH,
    ORDINARY,
    add_edges,
    backward,
    exponentiate_tokens,
    exponentiate_transitions,
    forward,
    label_count,
    padded_width,
)


@kernel
def longest_sentence(offsets: IntArray, first: int, last: int) -> int:
    """Tokens of the longest of the sentences first..last; at least one."""
    longest = 1
    for n in range(first, last):
        longest = max(longest, offsets[n + 1] - offsets[n])
    return longest


@kernel
def partition_block(
    labels: tuple[int, ...],
    unary: FloatArray,
    offsets: IntArray,
    transitions: FloatArray,
    edges: FloatArray,
    first: int,
    last: int,
    log_partition: FloatArray,
) -> None:
    """Fill log_partition[first:last]; a sentence without a path gets minus infinity."""
    n_labels = label_count(labels, unary.shape[1])
    width = padded_width(labels, unary.shape[1])
    longest = longest_sentence(offsets, first, last)
    weights = np.empty(longest * width)
    powers = np.empty(longest * width, dtype=np.int64)
    alpha = np.empty(longest * width)
    scales = np.empty(longest)
    steps, step_shift, tame = exponentiate_transitions(transitions, width)
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        shift, verdict = exponentiate_tokens(labels, unary, edges, start, stop, weights, powers)
        if verdict == ORDINARY and tame:
            log_total, _, verdict = forward(labels, n_labels, stop - start, weights, steps, alpha, scales)
            log_partition[n] = log_total + shift + (stop - start - 1) * step_shift
        elif verdict == ORDINARY:
            verdict = EXTREME
        if verdict == NO_PATH:
            log_partition[n] = -np.inf
        elif verdict == EXTREME:
            log_partition[n] = log_forward(unary, edges, transitions, start, stop)[1]


@kernel
def marginal_block(
    labels: tuple[int, ...],
    unary: FloatArray,
    offsets: IntArray,
    transitions: FloatArray,
    edges: FloatArray,
    sentence_weights: FloatArray,
    first: int,
    last: int,
    log_partition: FloatArray,
    marginals: FloatArray,
    pairwise: FloatArray,
) -> None:
    """Fill log_partition[first:last], the marginals of their tokens, and pairwise (M, M), weighted.

    marginals may be the same array as unary. A sentence of weight zero is passed over: marginals zero.
    """
    n_labels = label_count(labels, unary.shape[1])
    width = padded_width(labels, unary.shape[1])
    longest = longest_sentence(offsets, first, last)
    weights = np.empty(longest * width)
    powers = np.empty(longest * width, dtype=np.int64)
    alpha = np.empty(longest * width)
    scales = np.empty(longest)
    beta = np.empty(width)
    outer = np.zeros((width, width))
    steps, step_shift, tame = exponentiate_transitions(transitions, width)
    transposed = steps.T.copy()
    pairwise[:] = 0.0
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        if sentence_weights[n] == 0.0:
            marginals[start:stop] = 0.0
            continue
        shift, verdict = exponentiate_tokens(labels, unary, edges, start, stop, weights, powers)
        if verdict == ORDINARY and tame:
            log_total, total, verdict = forward(labels, n_labels, stop - start, weights, steps, alpha, scales)
            log_partition[n] = log_total + shift + (stop - start - 1) * step_shift
        elif verdict == ORDINARY:
            verdict = EXTREME
        if verdict == ORDINARY:
            length = stop - start
            backward(
                labels, n_labels, length, weights, transposed, alpha, scales, total, beta, start, marginals
            )
            add_edges(labels, n_labels, length, alpha, weights, sentence_weights[n], outer)
        elif verdict == NO_PATH:
            log_partition[n] = -np.inf
            marginals[start:stop] = 0.0
        else:
            log_partition[n] = log_marginals(
                unary, edges, transitions, start, stop, sentence_weights[n], marginals, pairwise
            )
    for i in range(n_labels):
        for j in range(n_labels):
            pairwise[i, j] += outer[i, j] * steps[i, j]


@kernel
def edge_block(
    unary: FloatArray,
    offsets: IntArray,
    transitions: FloatArray,
    edges: FloatArray,
    first: int,
    last: int,
    pairwise: FloatArray,
) -> None:
    """Fill pairwise[t] (M, M) for every token t but the first of a sentence with P(label t - 1, label t)."""
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        pairwise[start:stop] = 0.0
        if stop - start < 2:
            continue
        alpha, log_partition = log_forward(unary, edges, transitions, start, stop)
        if log_partition == -np.inf:
            continue
        beta = log_backward(unary, edges, transitions, start, stop)
        for t in range(1, stop - start):
            log_edge(alpha, beta, unary, edges, transitions, start, t, log_partition, pairwise[start + t])
