"""What chain kernels take together. NamedTuples pass through the compiler as if each part came by itself.

All arrays are C-contiguous and writable, floats of 64 bits: whoever makes a bundle sees to it, because every
other kind of array would be compiled for anew.
"""

import math
import threading
from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import TOKENS_PER_BLOCK, Block
from crowdseq.numerics.lanes import N_LANES

LOWEST_TRANSITION = -200.0  # below the highest one: see `scaled_passes`


def longest_sentence(offsets: IntArray, block: Block) -> int:
    """Tokens of the longest sentence of the block; at least one."""
    lengths = np.diff(offsets[block.first : block.last + 1])
    return max(int(lengths.max(initial=1)), 1)


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
    """What the scores of T tokens are summed up from.

    token_rows: (T, S), which of the rows each token adds, -1 for none; rows: flat, M numbers each. Then its
    entries add their weights.
    """

    token_rows: IntArray
    rows: FloatArray
    entries: Entries
    weights: FloatArray

    @classmethod
    def given(cls, unary: FloatArray) -> "TokenScores":
        """From (T, M) scores as they are: each token has a row of its own."""
        n_tokens = len(unary)
        entries = Entries(np.zeros(n_tokens + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int16))
        own = np.arange(n_tokens, dtype=np.int32)[:, None]
        return cls(own, unary.reshape(-1), entries, np.empty(0))


class Sentences(NamedTuple):
    """N sentences laid end to end: offsets (N + 1,), and how much each counts, weights (N,)."""

    offsets: IntArray
    weights: FloatArray


class Steps(NamedTuple):
    """Transitions as weights of at most one, in rows of whole vectors (width * width,).

    transposed: with rows and columns exchanged; shift: what was taken off the scores; tame: whether no weight
    is too small for scaled passes.
    """

    weights: FloatArray
    transposed: FloatArray
    shift: float
    tame: bool

    @classmethod
    def of_scores(cls, transitions: FloatArray) -> "Steps":
        """From (M, M) scores. Exponentials one by one: their digits shall not hang on a vector library."""
        n_labels = len(transitions)
        top = float(transitions.max(initial=-np.inf))
        top = 0.0 if top == -np.inf else top
        below = transitions - top
        width = padded_width(n_labels)
        weights = np.zeros((width, width))
        weights[:n_labels, :n_labels] = np.reshape(
            [math.exp(score) for score in below.ravel().tolist()], (n_labels, n_labels)
        )
        tame = bool(((below > LOWEST_TRANSITION) | np.isneginf(below)).all())
        return cls(weights.reshape(-1), weights.T.reshape(-1), top, tame)


def padded_width(n_labels: int) -> int:
    """Label count rounded up to whole vectors."""
    return -(-n_labels // N_LANES) * N_LANES


class Chains(NamedTuple):
    """All that sums over label paths need. labels: as `own_labels` makes them."""

    labels: tuple[int, ...]
    scores: TokenScores
    moves: Moves
    steps: Steps
    sentences: Sentences

    @classmethod
    def of_scores(
        cls, labels: tuple[int, ...], scores: TokenScores, moves: Moves, sentences: Sentences
    ) -> "Chains":
        return cls(labels, scores, moves, Steps.of_scores(moves.transitions), sentences)


class Space(NamedTuple):
    """Scratch of one block: weights and alpha in rows of whole vectors, scales by token, outer
    (width * width,), label pairs not yet times the transitions, and extreme, sentences left to log space."""

    weights: FloatArray
    alpha: FloatArray
    scales: FloatArray
    outer: FloatArray
    extreme: IntArray

    @classmethod
    def for_block(cls, offsets: IntArray, n_labels: int, block: Block) -> "Space":
        """That of the thread, which lasts until the next block; a block beyond all measure has its own."""
        n_sentences = block.last - block.first
        n_tokens = int(offsets[block.last] - offsets[block.first])
        if max(n_tokens, n_sentences) > _MOST_KEPT:
            return cls.of_size(longest_sentence(offsets, block), n_sentences, n_labels)
        kept = _KEPT.space
        if kept is None or _KEPT.n_labels != n_labels:
            kept = _KEPT.space = cls.of_size(_MOST_KEPT, _MOST_KEPT, n_labels)
            _KEPT.n_labels = n_labels
        kept.outer.fill(0.0)
        return kept

    @classmethod
    def of_size(cls, longest: int, n_sentences: int, n_labels: int) -> "Space":
        """For sentences of up to so many tokens, so many of them."""
        width = padded_width(n_labels)
        rows, alpha = np.empty(longest * width), np.empty(longest * width)
        return cls(rows, alpha, np.empty(longest), np.zeros(width * width), np.empty(n_sentences, np.int64))


class _Kept(threading.local):
    """The scratch of a thread: to make it anew takes a tenth of what a block takes."""

    space: Space | None = None
    n_labels = 0


_KEPT = _Kept()
_MOST_KEPT = 2 * TOKENS_PER_BLOCK  # tokens or sentences


# What `sum_block` is to fill expected with: probabilities, those times the weight of the sentence, or nothing
# but the scores of the tokens.
PLAIN, WEIGHTED, SCORES = 0, 1, 2


class Sums(NamedTuple):
    """What `sum_block` fills: log_partition (N,), expected (T, M), and pairwise (B, M, M), one by block.

    If expected has no rows, only the log-partitions are wanted. wanted: PLAIN, WEIGHTED or SCORES; pairs
    always count as much as their sentence.
    """

    log_partition: FloatArray
    expected: FloatArray
    pairwise: FloatArray
    wanted: int

    @classmethod
    def for_sentences(cls, n_sentences: int, expected: FloatArray, n_blocks: int, wanted: int) -> "Sums":
        """Room for all of it; expected is filled in place."""
        n_labels = expected.shape[1]
        return cls(np.empty(n_sentences), expected, np.zeros((n_blocks, n_labels, n_labels)), wanted)
