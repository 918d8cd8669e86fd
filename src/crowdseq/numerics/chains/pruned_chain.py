"""Sums over the label paths that candidate sets leave; a label that is no candidate costs nothing."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.blocks import Block, run_blocks, sentence_blocks
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.numerics.compiling import borrowing_kernel, kernel

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

    @property
    def are_all(self) -> bool:
        """Whether every token may have every label."""
        return len(self.labels) == self.n_labels * (len(self.pointers) - 1)


class PrunedMarginals(NamedTuple):
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
) -> PrunedMarginals:
    """Marginals under (T, M) token scores and (G, M, M) transition scores, one set for each group.

    groups (N,): the group of each sentence. starts, ends (M,) as in a Lattice. Every sentence has a path.
    """
    if candidates.are_all:
        return _dense_marginals(candidates.offsets, scores, transitions, starts, ends, groups)
    n_labels, bounds = candidates.n_labels, sentence_blocks(candidates.offsets)
    given = _Pruned(
        _Lists(candidates.pointers, candidates.labels),
        candidates.offsets,
        np.require(scores, np.float64, ["C", "W"]),
        np.exp(transitions),
        np.exp(np.stack([starts, ends])),
        np.require(groups, np.int64, ["C", "W"]),
    )
    found = PrunedMarginals(
        np.zeros(len(candidates.offsets) - 1),
        np.zeros((int(candidates.offsets[-1]), n_labels)),
        np.zeros((max(len(bounds) - 1, 1), len(transitions), n_labels, n_labels)),
    )
    run_blocks(_marginal_block, given, found, bounds)
    return found._replace(pairwise=found.pairwise.sum(axis=0))


def log10_sequences(candidates: CandidateLists, rules: tuple[FloatArray, ...]) -> tuple[float, float]:
    """How many label sequences the candidates leave, powers of ten summed over sentences: without and with
    rules.

    rules: transitions (M, M), starts and ends (M,), of zeros and minus infinities.
    """
    scores = np.zeros((len(candidates.pointers) - 1, candidates.n_labels))
    groups = np.zeros(len(candidates.offsets) - 1, np.int64)
    found = pruned_marginals(candidates, scores, rules[0][None], rules[1], rules[2], groups)
    free = float(np.log10(np.diff(candidates.pointers)).sum())
    return free, float(found.log_partition.sum()) / np.log(10)


def _dense_marginals(
    offsets: IntArray,
    scores: FloatArray,
    transitions: FloatArray,
    starts: FloatArray,
    ends: FloatArray,
    groups: IntArray,
) -> PrunedMarginals:
    """The same when nothing is pruned: whole rows of labels are faster than lists of them."""
    lengths = np.diff(offsets)
    unary, log_partition = np.empty_like(scores), np.empty(len(lengths))
    pairwise = np.zeros_like(transitions)
    for group, table in enumerate(transitions):
        mine = np.flatnonzero(groups == group)
        tokens = np.flatnonzero(np.repeat(groups == group, lengths))
        bounds = np.concatenate([[0], np.cumsum(lengths[mine])])
        found = marginals(Lattice(scores[tokens], bounds, table, starts, ends))
        unary[tokens], log_partition[mine], pairwise[group] = found.unary, found.log_partition, found.pairwise
    return PrunedMarginals(log_partition, unary, pairwise)


class _Lists(NamedTuple):
    """Pointers and labels of CandidateLists."""

    pointers: IntArray
    labels: IntArray


class _Pruned(NamedTuple):
    """What `_marginal_block` works on: weights (G, M, M) and edges (2, M) are exponentials of scores."""

    lists: _Lists
    offsets: IntArray
    scores: FloatArray
    weights: FloatArray
    edges: FloatArray
    groups: IntArray


class _Space(NamedTuple):
    """Scratch of a sentence: local and forward by candidate, scales by token."""

    local: FloatArray
    forward: FloatArray
    scales: FloatArray


@kernel
def _marginal_block(given: _Pruned, found: PrunedMarginals, block: Block) -> None:
    """Fill what belongs to the block's sentences, and the label pairs at the number of the block."""
    lists, offsets, scores, weights, edges, groups = given
    log_partition, unary, pairs = found.log_partition, found.unary, found.pairwise[block.number]
    longest, widest = 0, 0
    for sentence in range(block.first, block.last):
        start, stop = offsets[sentence], offsets[sentence + 1]
        longest = max(longest, stop - start)
        widest = max(widest, lists.pointers[stop] - lists.pointers[start])
    space = _Space(np.empty(widest), np.empty(widest), np.empty(longest))
    for sentence in range(block.first, block.last):
        start, stop = offsets[sentence], offsets[sentence + 1]
        if start == stop:
            continue
        group = groups[sentence]
        _weigh(lists, scores, edges, start, stop, space)
        log_partition[sentence] = _forward(lists, weights[group], start, stop, space)
        _backward(lists, weights[group], start, stop, space, unary, pairs[group])


@borrowing_kernel
def _weigh(
    lists: _Lists, scores: FloatArray, edges: FloatArray, start: int, stop: int, space: _Space
) -> None:
    """Fills local with the weights of all candidates, each token's best at one, and scales with the bests."""
    pointers, labels = lists
    local, _, scales = space
    base = pointers[start]
    for token in range(start, stop):
        low, high = pointers[token], pointers[token + 1]
        best = -np.inf
        for place in range(low, high):
            best = max(best, scores[token, labels[place]])
        for place in range(low, high):
            local[place - base] = np.exp(max(scores[token, labels[place]] - best, -_FARTHEST))
        scales[token - start] = best
    for place in range(base, pointers[start + 1]):
        local[place - base] *= edges[0, labels[place]]
    for place in range(pointers[stop - 1], pointers[stop]):
        local[place - base] *= edges[1, labels[place]]


@borrowing_kernel
def _forward(lists: _Lists, table: FloatArray, start: int, stop: int, space: _Space) -> float:
    """Fills forward (each token's sum at one) and turns scales into those sums; gives the log-partition."""
    pointers, labels = lists
    local, forward, scales = space
    base = pointers[start]
    total = 0.0
    for token in range(start, stop):
        low, high = pointers[token], pointers[token + 1]
        mass = 0.0
        for place in range(low, high):
            value = local[place - base]
            if token > start:
                reached = 0.0
                for before in range(pointers[token - 1], low):
                    reached += forward[before - base] * table[labels[before], labels[place]]
                value *= reached
            forward[place - base] = value
            mass += value
        total += scales[token - start] + np.log(mass)
        scales[token - start] = 1.0 / mass
        for place in range(low, high):
            forward[place - base] *= scales[token - start]
    return total


@borrowing_kernel
def _backward(
    lists: _Lists,
    table: FloatArray,
    start: int,
    stop: int,
    space: _Space,
    unary: FloatArray,
    pairs: FloatArray,
) -> None:
    """Walks back, leaving in local what a candidate and all behind it weigh, and counts labels and pairs."""
    pointers, labels = lists
    local, forward, scales = space
    base = pointers[start]
    for place in range(pointers[stop - 1], pointers[stop]):
        unary[stop - 1, labels[place]] = forward[place - base]
    for token in range(stop - 2, start - 1, -1):
        low, high, end = pointers[token], pointers[token + 1], pointers[token + 2]
        for after in range(high, end):
            local[after - base] *= scales[token + 1 - start]
        for place in range(low, high):
            here, label, behind = forward[place - base], labels[place], 0.0
            for after in range(high, end):
                step = table[label, labels[after]] * local[after - base]
                pairs[label, labels[after]] += here * step
                behind += step
            unary[token, label] = here * behind
            local[place - base] *= behind
