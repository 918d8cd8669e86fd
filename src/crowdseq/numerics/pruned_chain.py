"""Sums over the label paths that candidate sets leave; a label that is no candidate costs nothing."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.blocks import run_blocks, sentence_blocks
from crowdseq.numerics.compiling import kernel

# Scores farther than this below a token's best count as this far: probabilities of e^-300 decide nothing, and
# the products of a pass stay representable.
_FARTHEST = 300.0


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The candidates of all tokens one after the other: labels (C,), those of token t from pointers[t] on."""

    pointers: IntArray
    labels: IntArray
    offsets: IntArray
    n_labels: int

    @classmethod
    def of_mask(cls, mask: BoolArray, offsets: IntArray) -> "CandidateLists":
        pointers = np.zeros(len(mask) + 1, np.int64)
        np.cumsum(mask.sum(axis=1), out=pointers[1:])
        labels = np.nonzero(mask)[1].astype(np.int32)
        return cls(pointers, labels, np.ascontiguousarray(offsets, np.int64), mask.shape[1])


@dataclass(frozen=True, eq=False)
class PrunedMarginals:
    """log_partition (N,), unary (T, M), pairwise (G, M, M): label pairs summed by group of sentences."""

    log_partition: FloatArray
    unary: FloatArray
    pairwise: FloatArray


def pruned_marginals(
    candidates: CandidateLists,
    scores: FloatArray,
    transitions: FloatArray,
    starts: FloatArray,
    ends: FloatArray,
    groups: IntArray,
    threads: int = 1,
) -> PrunedMarginals:
    """Marginals under (T, M) token scores and (G, M, M) transition scores, one set for each group.

    groups (N,): the group of each sentence. starts, ends (M,) as in a Lattice. Every sentence has a path.
    """
    n_labels, n_sentences = candidates.n_labels, len(candidates.offsets) - 1
    bounds = sentence_blocks(candidates.offsets)
    unary = np.zeros((int(candidates.offsets[-1]), n_labels))
    log_partition = np.zeros(n_sentences)
    pairs = np.zeros((max(len(bounds) - 1, 1), len(transitions), n_labels, n_labels))
    weights = np.exp(transitions)
    edges = np.exp(np.stack([starts, ends]))
    scores = np.ascontiguousarray(scores, np.float64)
    chosen = np.ascontiguousarray(groups, np.int64)

    def work(block: int) -> None:
        _marginal_block(
            candidates.pointers,
            candidates.labels,
            candidates.offsets,
            scores,
            weights,
            edges,
            chosen,
            bounds[block],
            bounds[block + 1],
            log_partition,
            unary,
            pairs[block],
        )

    run_blocks(work, len(bounds) - 1, threads)
    return PrunedMarginals(log_partition, unary, pairs.sum(axis=0))


@kernel
def _marginal_block(
    pointers: IntArray,
    labels: IntArray,
    offsets: IntArray,
    scores: FloatArray,
    weights: FloatArray,
    edges: FloatArray,
    groups: IntArray,
    first: int,
    last: int,
    log_partition: FloatArray,
    unary: FloatArray,
    pairs: FloatArray,
) -> None:
    longest, widest = 0, 0
    for sentence in range(first, last):
        start, stop = offsets[sentence], offsets[sentence + 1]
        longest = max(longest, stop - start)
        widest = max(widest, pointers[stop] - pointers[start])
    local = np.empty(widest)
    forward = np.empty(widest)
    backward = np.empty(widest)
    scales = np.empty(longest)
    for sentence in range(first, last):
        start, stop = offsets[sentence], offsets[sentence + 1]
        if start == stop:
            continue
        table = weights[groups[sentence]]
        total = _forward(pointers, labels, scores, table, edges, start, stop, local, forward, scales)
        log_partition[sentence] = total
        _backward(pointers, labels, table, edges, start, stop, local, backward, scales)
        _collect(pointers, labels, table, start, stop, forward, backward, unary, pairs[groups[sentence]])


@kernel
def _forward(
    pointers: IntArray,
    labels: IntArray,
    scores: FloatArray,
    table: FloatArray,
    edges: FloatArray,
    start: int,
    stop: int,
    local: FloatArray,
    forward: FloatArray,
    scales: FloatArray,
) -> float:
    """Fills local (weights of candidates), forward (normalised) and scales; gives the log-partition."""
    base = pointers[start]
    total = 0.0
    for token in range(start, stop):
        low, high = pointers[token], pointers[token + 1]
        best = -np.inf
        for place in range(low, high):
            best = max(best, scores[token, labels[place]])
        mass = 0.0
        for place in range(low, high):
            label = labels[place]
            weight = np.exp(max(scores[token, label] - best, -_FARTHEST))
            local[place - base] = weight
            if token == start:
                reached = edges[0, label]
            else:
                reached = 0.0
                for before in range(pointers[token - 1], low):
                    reached += forward[before - base] * table[labels[before], label]
            value = reached * weight
            if token == stop - 1:
                value *= edges[1, label]
            forward[place - base] = value
            mass += value
        scales[token - start] = mass
        total += best + np.log(mass)
        for place in range(low, high):
            forward[place - base] /= mass
    return total


@kernel
def _backward(
    pointers: IntArray,
    labels: IntArray,
    table: FloatArray,
    edges: FloatArray,
    start: int,
    stop: int,
    local: FloatArray,
    backward: FloatArray,
    scales: FloatArray,
) -> None:
    base = pointers[start]
    for token in range(stop - 1, start - 1, -1):
        low, high = pointers[token], pointers[token + 1]
        for place in range(low, high):
            if token == stop - 1:
                backward[place - base] = 1.0
                continue
            value = 0.0
            for after in range(high, pointers[token + 2]):
                step = table[labels[place], labels[after]] * local[after - base] * backward[after - base]
                if token + 1 == stop - 1:
                    step *= edges[1, labels[after]]
                value += step
            backward[place - base] = value / scales[token + 1 - start]


@kernel
def _collect(
    pointers: IntArray,
    labels: IntArray,
    table: FloatArray,
    start: int,
    stop: int,
    forward: FloatArray,
    backward: FloatArray,
    unary: FloatArray,
    pairs: FloatArray,
) -> None:
    base = pointers[start]
    for token in range(start, stop):
        low, high = pointers[token], pointers[token + 1]
        mass = 0.0
        for place in range(low, high):
            mass += forward[place - base] * backward[place - base]
        for place in range(low, high):
            share = forward[place - base] * backward[place - base] / mass
            unary[token, labels[place]] = share
            if token == start or share == 0.0:
                continue
            # The share of a label is split over the labels before it by what each contributed to reaching it.
            reached = 0.0
            for before in range(pointers[token - 1], low):
                reached += forward[before - base] * table[labels[before], labels[place]]
            for before in range(pointers[token - 1], low):
                part = forward[before - base] * table[labels[before], labels[place]] / reached
                pairs[labels[before], labels[place]] += share * part
