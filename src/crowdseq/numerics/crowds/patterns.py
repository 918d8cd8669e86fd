"""Tokens that got the same votes are one pattern: methods that take tokens one by one count it once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.votes import VoteTable

_SEED = 20_260_101  # any fixed number: fingerprints decide nothing but the order of patterns


@dataclass(frozen=True, eq=False)
class Patterns:
    """P patterns of votes: members (T,) is the pattern of each token, sizes (P,) how many tokens show it,
    examples (P,) one token each; table has one row of votes for each pattern."""

    members: IntArray
    sizes: FloatArray
    examples: IntArray
    table: VoteTable

    @classmethod
    def find(
        cls,
        tokens: IntArray,
        kinds: IntArray,
        marks: IntArray,
        n_kinds: int,
        weights: FloatArray | None = None,
    ) -> "Patterns":
        """From votes sorted by token, then kind, with weights (V,) if they do not all count once; tokens with
        different marks (T,), or with votes of different weights, are never one pattern."""
        n_votes = np.bincount(tokens, minlength=len(marks))
        told, n_told = _told_apart(kinds, n_kinds, weights)
        prints = _fingerprints(tokens, told, marks, n_told)
        _, examples, members = np.unique(prints, return_index=True, return_inverse=True)
        if not _all_alike(told, n_votes, examples[members], marks):
            examples = members = np.arange(len(marks))
        sizes = np.bincount(members, minlength=len(examples)).astype(np.float64)
        starts = np.cumsum(n_votes) - n_votes
        chosen = _ranges(starts[examples], n_votes[examples])
        owners = np.repeat(np.arange(len(examples)), n_votes[examples])
        own = None if weights is None else weights[chosen]
        table = VoteTable.build(owners, kinds[chosen], len(examples), n_kinds, own)
        return cls(members, sizes, examples, table)


def _told_apart(kinds: IntArray, n_kinds: int, weights: FloatArray | None) -> tuple[IntArray, int]:
    """(V,) numbers that tell votes apart by kind and weight, and how many there could be."""
    if weights is None:
        return kinds, n_kinds
    values, numbers = np.unique(weights, return_inverse=True)
    return kinds * len(values) + numbers, n_kinds * len(values)


def _fingerprints(tokens: IntArray, kinds: IntArray, marks: IntArray, n_kinds: int) -> NDArray[np.uint64]:
    """(T,) the same number for the same votes; different ones almost surely otherwise."""
    random = np.random.default_rng(_SEED)
    codes = random.integers(0, 2**63, n_kinds + int(marks.max(initial=-1)) + 2, dtype=np.uint64)
    prints = codes[n_kinds + marks + 1]
    np.add.at(prints, tokens, codes[kinds])
    return prints


def _all_alike(kinds: IntArray, n_votes: IntArray, examples: IntArray, marks: IntArray) -> bool:
    """Whether every token has exactly the votes and the mark of its example: fingerprints are not proof."""
    if not np.array_equal(n_votes, n_votes[examples]) or not np.array_equal(marks, marks[examples]):
        return False
    starts = np.cumsum(n_votes) - n_votes
    return bool(np.array_equal(kinds, kinds[_ranges(starts[examples], n_votes)]))


def _ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    shifts = starts - (np.cumsum(lengths) - lengths)
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(shifts, lengths))
