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
    def find(cls, tokens: IntArray, kinds: IntArray, marks: IntArray, n_kinds: int) -> "Patterns":
        """From votes sorted by token, then kind; tokens with different marks (T,) are never one pattern."""
        n_votes = np.bincount(tokens, minlength=len(marks))
        prints = _fingerprints(tokens, kinds, marks, n_kinds)
        _, examples, members = np.unique(prints, return_index=True, return_inverse=True)
        if not _all_alike(kinds, n_votes, examples[members], marks):
            examples = members = np.arange(len(marks))
        sizes = np.bincount(members, minlength=len(examples)).astype(np.float64)
        starts = np.cumsum(n_votes) - n_votes
        chosen = _ranges(starts[examples], n_votes[examples])
        owners = np.repeat(np.arange(len(examples)), n_votes[examples])
        table = VoteTable.build(owners, kinds[chosen], len(examples), n_kinds)
        return cls(members, sizes, examples, table)


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
