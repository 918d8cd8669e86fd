"""Chain sums over a block of sentences: scaled passes where they are safe, log space where they are not."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.chains.bundles import (
    SCORES,
    WEIGHTED,
    Chains,
    Moves,
    Sentences,
    Space,
    Steps,
    Sums,
    TokenScores,
)
from crowdseq.numerics.chains.log_passes import LogPasses, log_backward, log_edge, log_forward, log_marginals
from crowdseq.numerics.chains.scaled_passes import (
    EXTREME,
    NO_PATH,
    ORDINARY,
    add_edges,
    backward,
    exponentiate_tokens,
    forward,
)
from crowdseq.numerics.compiling import borrowing_kernel, kernel
from crowdseq.numerics.lanes import N_LANES, add, load, spread, store


class _Scaled(NamedTuple):
    """What scaled passes need of Chains, and how many labels there are."""

    labels: tuple[int, ...]
    n_labels: int
    scores: TokenScores
    edges: FloatArray
    steps: Steps
    sentences: Sentences


class _Own(NamedTuple):
    """What a block fills of Sums: expected flat, pairwise (M, M) its own."""

    log_partition: FloatArray
    expected: FloatArray
    pairwise: FloatArray
    wanted: int


def sum_block(chains: Chains, sums: Sums, block: Block) -> None:
    """Fill the log-partitions of the block's sentences and, if wanted, expected labels and label pairs.

    A sentence without a path gets minus infinity and rows of zeros, one of weight zero 0 and rows of zeros.
    Scores are made sentence by sentence and never leave the cache. Log space is compiled when first needed.
    """
    labels, scores, moves, steps, sentences = chains
    n_labels = moves.edges.shape[1]
    space = Space.for_block(sentences.offsets, n_labels, block)
    own = _Own(sums.log_partition, sums.expected.reshape(-1), sums.pairwise[block.number], sums.wanted)
    given = _Scaled(labels, n_labels, scores, moves.edges, steps, sentences)
    n_extreme = _scaled_block(given, own, space, block)
    if n_extreme > 0:
        longest = np.empty(len(space.scales) * n_labels)
        _log_sentences(given, own, space, moves, (n_extreme, longest))


@borrowing_kernel
def write_scores(
    labels: tuple[int, ...],
    count: int,
    scores: TokenScores,
    first: int,
    last: int,
    stride: int,
    target: FloatArray,
) -> None:
    """Fill flat target, `stride` for each of the tokens first..last, with their scores.

    Beyond the labels a token's scores are minus infinity.
    """
    token_rows, rows, entries, weights = scores
    bounds, pairs, pair_labels = entries
    n_labels = len(labels) if len(labels) > 0 else count
    n_slots = token_rows.shape[1]
    whole = n_labels // N_LANES * N_LANES
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(0, whole, N_LANES):
            four = spread(0.0)
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    four = add(four, load(rows, row * n_labels + j))
            store(target, place + j, four)
        for j in range(whole, n_labels):
            one = 0.0
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    one += rows[row * n_labels + j]
            target[place + j] = one
        for j in range(n_labels, stride):
            target[place + j] = -np.inf
        for entry in range(bounds[t], bounds[t + 1]):
            target[place + pair_labels[entry]] += weights[pairs[entry]]


@kernel
def _scaled_block(given: _Scaled, own: _Own, space: Space, block: Block) -> int:
    """Fill what belongs to the sentences of the block, but for those whose numbers are too far apart: those
    are listed in space.extreme, and their number is given back. Label pairs are filled if there are none."""
    labels, count, scores, edges, steps, sentences = given
    offsets, weights = sentences
    log_partition, expected, pairwise, wanted = own
    n_labels = len(labels) if len(labels) > 0 else count
    width = (n_labels + 3) // 4 * 4
    full, n_extreme = len(expected) > 0, 0
    for n in range(block.first, block.last):
        start, stop, weight = offsets[n], offsets[n + 1], weights[n]
        length = stop - start
        log_partition[n] = 0.0
        if length == 0:
            continue
        verdict = EXTREME
        if weight == 0.0:
            verdict = NO_PATH
        elif steps.tame or wanted == SCORES:
            write_scores(labels, count, scores, start, stop, width, space.weights)
            if wanted == SCORES:
                for t in range(length):
                    for j in range(n_labels):
                        expected[(start + t) * n_labels + j] = space.weights[t * width + j]
                continue
            shift, verdict = exponentiate_tokens(labels, edges, length, space.weights)
            if verdict == ORDINARY:
                log_total, total, verdict = forward(labels, count, steps, space, length)
            if verdict == ORDINARY:
                log_partition[n] = log_total + shift + (length - 1) * steps.shift
                if full:
                    backward(labels, count, steps, space, length, total, expected, start * n_labels)
                    add_edges(labels, count, space, length, weight)
            elif verdict == NO_PATH:
                log_partition[n] = -np.inf
        if verdict == EXTREME:
            space.extreme[n_extreme] = n
            n_extreme += 1
        elif full:
            if verdict == NO_PATH:
                for place in range(start * n_labels, stop * n_labels):
                    expected[place] = 0.0
            elif wanted == WEIGHTED and weight != 1.0:
                for place in range(start * n_labels, stop * n_labels):
                    expected[place] *= weight
    if n_extreme == 0:
        for i in range(n_labels):
            for j in range(n_labels):
                pairwise[i, j] += space.outer[i * width + j] * steps.weights[i * width + j]
    return n_extreme


@kernel
def _log_sentences(
    given: _Scaled, own: _Own, space: Space, moves: Moves, rest: tuple[int, FloatArray]
) -> None:
    """The same in log space, for the sentences that are listed in space.extreme, and all label pairs.

    rest: how many they are, and room for the scores of the longest one.
    """
    labels, count, scores, _, steps, sentences = given
    log_partition, expected, pairwise, wanted = own
    n_extreme, room = rest
    width = (count + 3) // 4 * 4
    for place in range(n_extreme):
        n = space.extreme[place]
        start, stop = sentences.offsets[n], sentences.offsets[n + 1]
        weight = sentences.weights[n]
        mine = room[: (stop - start) * count].reshape(stop - start, count)
        write_scores(labels, count, scores, start, stop, count, room)
        # Without room in expected the log-partition is all that is wanted.
        rows = expected[start * count : stop * count] if len(expected) > 0 else expected
        marginals = rows.reshape(-1, count)
        log_partition[n] = log_marginals(mine, moves, weight, marginals, pairwise)
        if wanted == WEIGHTED and weight != 1.0:
            for at in range(len(rows)):
                rows[at] *= weight
    for i in range(count):
        for j in range(count):
            pairwise[i, j] += space.outer[i * width + j] * steps.weights[i * width + j]


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
