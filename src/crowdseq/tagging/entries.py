"""Entries: what tokens show of streams without rows, as lists of pairs by token and of tokens by pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.numerics.grouped import add_entries, entry_masses, scatter_entries


@dataclass(frozen=True, eq=False)
class Entries:
    """Token t shows pairs[bounds[t]:bounds[t + 1]] of the weight vector, which speak for labels beside them.

    The other way round pair p is shown by tokens[token_bounds[p]:token_bounds[p + 1]].
    """

    bounds: IntArray
    pairs: IntArray
    labels: IntArray
    token_bounds: IntArray
    tokens: IntArray
    pair_labels: IntArray

    @classmethod
    def of_pairs(cls, begins: IntArray, counts: IntArray, pair_labels: Sequence[IntArray]) -> "Entries":
        """begins, counts: (T, S), where in the weight vector pairs of a token begin, and how many they are.

        pair_labels: of every stream, one after the other.
        """
        every_label = np.concatenate(pair_labels) if pair_labels else np.empty(0, dtype=np.int16)
        bounds = offsets_of(counts.sum(axis=1))
        pairs = gather_ranges(begins.ravel(), counts.ravel()).astype(np.int32)
        shown_by = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(bounds))
        order = np.argsort(pairs, kind="stable")
        token_bounds = offsets_of(np.bincount(pairs, minlength=len(every_label))).astype(np.int32)
        return cls(bounds, pairs, every_label[pairs], token_bounds, shown_by[order], every_label)

    def add(self, weights: FloatArray, first: int, last: int, scores: FloatArray) -> None:
        """Add to scores (T, M) of tokens first..last what their pairs weigh."""
        n_labels = scores.shape[1]
        own = scores[first:last].reshape(-1)
        add_entries(self.bounds, self.pairs, self.labels, weights, first, last, n_labels, own)

    def collect_all(self, masses: FloatArray, result: FloatArray) -> None:
        """Fill result of the pairs that tokens list with masses (T, M) of the tokens."""
        scatter_entries(self.bounds, self.pairs, self.labels, masses, result)

    def collect(self, masses: FloatArray, first: int, last: int, result: FloatArray) -> None:
        """The same for pairs first..last: bit by bit the same sums, but they can run on several threads."""
        entry_masses(self.token_bounds, self.tokens, self.pair_labels, masses, first, last, result)
