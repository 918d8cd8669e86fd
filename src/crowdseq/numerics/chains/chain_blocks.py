"""Chain sums over a block of sentences: scaled passes where they are safe, log space where they are not."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.chains.log_passes import log_backward, log_edge, log_forward, log_marginals
from crowdseq.numerics.chains.scaled_passes import (
    EXTREME,
    NO_PATH,
    ORDINARY,
    add_edges,
    backward,
    copy_rows,
    exponentiate_tokens,
    exponentiate_transitions,
    forward,
    label_count,
    padded_width,
)
from crowdseq.numerics.compiling import kernel


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
    alpha = np.empty(longest * width)
    scales = np.empty(longest)
    steps, step_shift, tame = exponentiate_transitions(transitions, width)
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        copy_rows(labels, unary, start, stop, weights)
        shift, verdict = exponentiate_tokens(labels, edges, stop - start, weights)
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
def scaled_marginals(
    labels: tuple[int, ...],
    length: int,
    edges: FloatArray,
    steps: FloatArray,
    transposed: FloatArray,
    weights: FloatArray,
    alpha: FloatArray,
    scales: FloatArray,
    sentence_weight: float,
    start: int,
    marginals: FloatArray,
    outer: FloatArray,
) -> tuple[float, int]:
    """Padded rows of scores to marginals from row start, and outer (width * width,) for the label pairs.

    The log-partition, transitions unshifted, and a verdict: unless it is ORDINARY nothing was filled.
    """
    n_labels = label_count(labels, edges.shape[1])
    shift, verdict = exponentiate_tokens(labels, edges, length, weights)
    if verdict != ORDINARY:
        return shift, verdict
    log_total, total, verdict = forward(labels, n_labels, length, weights, steps, alpha, scales)
    if verdict != ORDINARY:
        return log_total, verdict
    backward(labels, n_labels, length, weights, transposed, alpha, scales, total, start, marginals)
    add_edges(labels, n_labels, length, alpha, weights, sentence_weight, outer)
    return log_total + shift, ORDINARY


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

    A sentence of weight zero is passed over: marginals zero.
    """
    n_labels = label_count(labels, unary.shape[1])
    width = padded_width(labels, unary.shape[1])
    longest = longest_sentence(offsets, first, last)
    weights, alpha = np.empty(longest * width), np.empty(longest * width)
    scales, outer = np.empty(longest), np.zeros(width * width)
    steps, step_shift, tame = exponentiate_transitions(transitions, width)
    transposed = steps.reshape(width, width).T.copy().reshape(-1)
    pairwise[:] = 0.0
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        if sentence_weights[n] == 0.0:
            marginals[start:stop] = 0.0
            continue
        verdict = EXTREME
        if tame:
            copy_rows(labels, unary, start, stop, weights)
            log_total, verdict = scaled_marginals(
                labels,
                stop - start,
                edges,
                steps,
                transposed,
                weights,
                alpha,
                scales,
                sentence_weights[n],
                start,
                marginals,
                outer,
            )
            log_partition[n] = log_total + (stop - start - 1) * step_shift
        if verdict == NO_PATH:
            log_partition[n] = -np.inf
            marginals[start:stop] = 0.0
        elif verdict == EXTREME:
            log_partition[n] = log_marginals(
                unary, edges, transitions, start, stop, sentence_weights[n], marginals, pairwise
            )
    add_pairs(n_labels, width, outer, steps, pairwise)


@kernel
def add_pairs(n_labels: int, width: int, outer: FloatArray, steps: FloatArray, pairwise: FloatArray) -> None:
    """Add to pairwise (M, M) what `scaled_marginals` gathered, times the transitions."""
    for i in range(n_labels):
        for j in range(n_labels):
            pairwise[i, j] += outer[i * width + j] * steps[i * width + j]


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
