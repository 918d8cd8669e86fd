"""Chain sums over a block of sentences: scaled passes where they are safe, log space where they are not."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.chains.bundles import (
    Chains,
    Entries,
    Moves,
    Space,
    Steps,
    Sums,
    TokenScores,
    label_count,
    longest_sentence,
    padded_width,
)
from crowdseq.numerics.chains.log_passes import LogPasses, log_backward, log_edge, log_forward, log_marginals
from crowdseq.numerics.chains.scaled_passes import (
    EXTREME,
    NO_PATH,
    ORDINARY,
    add_edges,
    backward,
    exponentiate_tokens,
    exponentiate_transitions,
    forward,
)
from crowdseq.numerics.compiling import borrowing_kernel, kernel
from crowdseq.numerics.lanes import N_LANES, add, load, spread, store


@borrowing_kernel
def write_scores(
    labels: tuple[int, ...], scores: TokenScores, first: int, last: int, stride: int, target: FloatArray
) -> None:
    """Fill flat target, `stride` for each of the tokens first..last, with their scores.

    Beyond the labels a token's scores are minus infinity.
    """
    if len(scores.unary) > 0:
        _copy_rows(labels, scores.unary, first, last, stride, target)
    else:
        _sum_rows(labels, scores, first, last, stride, target)
        _add_entries(scores.entries, scores.weights, first, last, stride, target)


@borrowing_kernel
def _copy_rows(
    labels: tuple[int, ...], unary: FloatArray, first: int, last: int, stride: int, target: FloatArray
) -> None:
    n_labels = label_count(labels, unary.shape[1])
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(n_labels):
            target[place + j] = unary[t, j]
        for j in range(n_labels, stride):
            target[place + j] = -np.inf


@borrowing_kernel
def _sum_rows(
    labels: tuple[int, ...], scores: TokenScores, first: int, last: int, stride: int, target: FloatArray
) -> None:
    token_rows, rows = scores.token_rows, scores.rows
    n_labels = label_count(labels, rows.shape[1])
    n_slots = token_rows.shape[1]
    whole = n_labels // N_LANES * N_LANES
    flat = rows.reshape(-1)
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(0, whole, N_LANES):
            four = spread(0.0)
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    four = add(four, load(flat, row * n_labels + j))
            store(target, place + j, four)
        for j in range(whole, n_labels):
            one = 0.0
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    one += flat[row * n_labels + j]
            target[place + j] = one
        for j in range(n_labels, stride):
            target[place + j] = -np.inf


@borrowing_kernel
def _add_entries(
    entries: Entries, weights: FloatArray, first: int, last: int, stride: int, target: FloatArray
) -> None:
    """Add the weights of the pairs that the tokens list."""
    bounds, pairs, labels = entries
    for t in range(first, last):
        place = (t - first) * stride
        for entry in range(bounds[t], bounds[t + 1]):
            target[place + labels[entry]] += weights[pairs[entry]]


@kernel
def sum_block(chains: Chains, sums: Sums, block: Block) -> None:
    """Fill the log-partitions of the block's sentences and, if wanted, expected labels and label pairs.

    A sentence without a path gets minus infinity and rows of zeros, one of weight zero 0 and rows of zeros.
    Scores are made sentence by sentence and never leave the cache.
    """
    labels, token_scores, moves, edges = chains.labels, chains.scores, chains.moves, chains.moves.edges
    offsets, weights = chains.sentences
    n_labels, width = label_count(labels, edges.shape[1]), padded_width(labels, edges.shape[1])
    steps = exponentiate_transitions(moves.transitions, width)
    longest = longest_sentence(offsets, block)
    rows, alpha = np.empty(longest * width), np.empty(longest * width)
    space = Space(rows, alpha, np.empty(longest), np.zeros(width * width))
    log_partition, expected, pairwise = sums.log_partition, sums.expected, sums.pairwise[block.number]
    flat = expected.reshape(-1)
    pairwise[:] = 0.0
    for n in range(block.first, block.last):
        start, stop = offsets[n], offsets[n + 1]
        log_partition[n] = 0.0
        if stop == start:
            continue
        if weights[n] == 0.0:
            expected[start:stop] = 0.0
            continue
        own = flat[start * n_labels : stop * n_labels]
        verdict = EXTREME
        if steps.tame:
            write_scores(labels, token_scores, start, stop, width, space.weights)
            log_total, verdict = _scaled_sums(labels, edges, steps, space, stop - start, weights[n], own)
            log_partition[n] = log_total + (stop - start - 1) * steps.shift
        if verdict == NO_PATH:
            log_partition[n] = -np.inf
            expected[start:stop] = 0.0
        elif verdict == EXTREME:
            scores = np.empty((stop - start, n_labels))
            write_scores(labels, token_scores, start, stop, scores.shape[1], scores.reshape(-1))
            log_partition[n] = log_marginals(scores, moves, weights[n], expected[start:stop], pairwise)
        if sums.weighted and weights[n] != 1.0:
            for place in range(len(own)):
                own[place] *= weights[n]
    for i in range(n_labels):
        for j in range(n_labels):
            pairwise[i, j] += space.outer[i * width + j] * steps.weights[i * width + j]


@borrowing_kernel
def _scaled_sums(
    labels: tuple[int, ...],
    edges: FloatArray,
    steps: Steps,
    space: Space,
    length: int,
    sentence_weight: float,
    expected: FloatArray,
) -> tuple[float, int]:
    """Scores in space.weights to flat expected labels, and to label pairs in space.outer.

    The log-partition, transitions unshifted, and a verdict: unless it is ORDINARY nothing was filled. Without
    room in expected the log-partition is all that is wanted.
    """
    shift, verdict = exponentiate_tokens(labels, edges, length, space.weights)
    if verdict != ORDINARY:
        return shift, verdict
    log_total, total, verdict = forward(labels, steps, space, length)
    if verdict != ORDINARY:
        return log_total, verdict
    if len(expected) > 0:
        backward(labels, steps, space, length, total, expected)
        add_edges(labels, steps, space, length, sentence_weight)
    return log_total + shift, ORDINARY


@kernel
def edge_block(lattice: tuple[FloatArray, IntArray, Moves], pairwise: FloatArray, block: Block) -> None:
    """Fill pairwise[t] (M, M) for every token t but the first of a sentence with P(label t - 1, label t)."""
    unary, offsets, moves = lattice
    for n in range(block.first, block.last):
        start, stop = offsets[n], offsets[n + 1]
        pairwise[start:stop] = 0.0
        if stop - start < 2:
            continue
        scores = unary[start:stop]
        alpha, log_partition = log_forward(scores, moves)
        if log_partition == -np.inf:
            continue
        passes = LogPasses(alpha, log_backward(scores, moves), log_partition)
        for t in range(1, stop - start):
            log_edge(scores, moves, passes, t, pairwise[start + t])
