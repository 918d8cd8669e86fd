"""One training pass over a block of sentences: scores from rows, then expected labels and label pairs."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.chains.chain_blocks import add_pairs, longest_sentence, scaled_marginals
from crowdseq.numerics.chains.log_passes import log_marginals
from crowdseq.numerics.chains.scaled_passes import (
    EXTREME,
    NO_PATH,
    exponentiate_transitions,
    label_count,
    padded_width,
)
from crowdseq.numerics.compiling import kernel
from crowdseq.numerics.features.grouped import emit
from crowdseq.numerics.features.listed import add_entries


@kernel
def expect_block(
    labels: tuple[int, ...],
    token_rows: IntArray,
    rows: FloatArray,
    entry_bounds: IntArray,
    entry_pairs: IntArray,
    entry_labels: IntArray,
    pair_weights: FloatArray,
    offsets: IntArray,
    transitions: FloatArray,
    edges: FloatArray,
    sentence_weights: FloatArray,
    first: int,
    last: int,
    log_partition: FloatArray,
    expected: FloatArray,
    pairwise: FloatArray,
) -> None:
    """Fill log_partition of sentences first..last, expected (T, M) of their tokens, and pairwise (M, M).

    Expectations are times the sentence's weight. Scores are made sentence by sentence and never leave the
    cache; rows and entries are as in `emit` and `add_entries`.
    """
    n_labels = label_count(labels, rows.shape[1])
    width = padded_width(labels, rows.shape[1])
    longest = longest_sentence(offsets, first, last)
    weights, alpha = np.empty(longest * width), np.empty(longest * width)
    scales, outer = np.empty(longest), np.zeros(width * width)
    steps, step_shift, tame = exponentiate_transitions(transitions, width)
    transposed = steps.reshape(width, width).T.copy().reshape(-1)
    flat = expected.reshape(-1)
    pairwise[:] = 0.0
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        if sentence_weights[n] == 0.0:
            expected[start:stop] = 0.0
            continue
        verdict = EXTREME
        if tame:
            emit(labels, token_rows, rows, start, stop, width, weights)
            add_entries(entry_bounds, entry_pairs, entry_labels, pair_weights, start, stop, width, weights)
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
                expected,
                outer,
            )
            log_partition[n] = log_total + (stop - start - 1) * step_shift
        if verdict == NO_PATH:
            log_partition[n] = -np.inf
            expected[start:stop] = 0.0
        elif verdict == EXTREME:
            own = flat[start * n_labels : stop * n_labels]
            emit(labels, token_rows, rows, start, stop, n_labels, own)
            add_entries(entry_bounds, entry_pairs, entry_labels, pair_weights, start, stop, n_labels, own)
            log_partition[n] = log_marginals(
                expected, edges, transitions, start, stop, sentence_weights[n], expected, pairwise
            )
        if sentence_weights[n] != 1.0:
            expected[start:stop] *= sentence_weights[n]
    add_pairs(n_labels, width, outer, steps, pairwise)
