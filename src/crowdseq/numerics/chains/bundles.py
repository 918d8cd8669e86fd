"""What chain kernels take together. NamedTuples pass through the compiler as if each part came by itself.

All arrays are C-contiguous and writable, floats of 64 bits: whoever makes a bundle sees to it, because every
other kind of array would be compiled for anew.
"""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.compiling import kernel


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
def longest_sentence(offsets: IntArray, block: Block) -> int:
    """Tokens of the longest sentence of the block; at least one."""
    longest = 1
    for n in range(block.first, block.last):
        longest = max(longest, offsets[n + 1] - offsets[n])
    return longest


class Moves(NamedTuple):
    """Scores of moves, the same in all sentences: transitions (M, M), and edges (2, M), starting and ending
    with a label."""

    transitions: FloatArray
    edges: FloatArray


class Entries(NamedTuple):
    """Token t lists pairs[bounds[t]:bounds[t + 1]], numbers of weights; labels stand beside the pairs."""

    bounds: IntArray
    pairs: IntArray
    labels: IntArray


class TokenScores(NamedTuple):
    """Where the scores of T tokens come from: given as they are, or summed up sentence by sentence.

    Given: unary (T, M), all else empty. Summed up: unary has no rows, token_rows (T, S) tells which of rows
    (R, M) each token adds, -1 for none, and its entries add their weights.
    """

    unary: FloatArray
    token_rows: IntArray
    rows: FloatArray
    entries: Entries
    weights: FloatArray

    @classmethod
    def given(cls, unary: FloatArray) -> "TokenScores":
        """From (T, M) scores."""
        entries = Entries(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int16))
        nothing = np.empty((0, unary.shape[1]))
        return cls(unary, np.empty((0, 0), np.int32), nothing, entries, np.empty(0))


class Sentences(NamedTuple):
    """N sentences laid end to end: offsets (N + 1,), and how much each counts, weights (N,)."""

    offsets: IntArray
    weights: FloatArray


class Chains(NamedTuple):
    """All that sums over label paths need. labels: as `own_labels` makes them."""

    labels: tuple[int, ...]
    scores: TokenScores
    moves: Moves
    sentences: Sentences


class Steps(NamedTuple):
    """Transitions as weights of at most one, in rows of whole vectors (width * width,).

    transposed: with rows and columns exchanged; shift: what was taken off the scores; tame: whether no weight
    is too small for scaled passes.
    """

    weights: FloatArray
    transposed: FloatArray
    shift: float
    tame: bool
    n_labels: int


class Space(NamedTuple):
    """Scratch of one block: weights and alpha in rows of whole vectors, scales by token, and outer
    (width * width,), label pairs not yet times the transitions."""

    weights: FloatArray
    alpha: FloatArray
    scales: FloatArray
    outer: FloatArray


class Sums(NamedTuple):
    """What `sum_block` fills: log_partition (N,), expected (T, M), and pairwise (B, M, M), one by block.

    If expected has no rows, only the log-partitions are wanted. weighted: whether expected labels count as
    much as their sentence, as pairs always do.
    """

    log_partition: FloatArray
    expected: FloatArray
    pairwise: FloatArray
    weighted: bool

    @classmethod
    def for_sentences(cls, n_sentences: int, expected: FloatArray, n_blocks: int, weighted: bool) -> "Sums":
        """Room for all of it; expected is filled in place."""
        n_labels = expected.shape[1]
        pairwise = np.empty((n_blocks, n_labels, n_labels))
        return cls(np.empty(n_sentences), expected, pairwise, weighted)
