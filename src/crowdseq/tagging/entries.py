"""Entries: what tokens show of streams without rows, as lists of pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.numerics.features.listed import add_entries, scatter_entries, scatter_listed


@dataclass(frozen=True, eq=False)
class _Part:
    """The entries of some pairs, in the order of the tokens that list them."""

    tokens: IntArray
    pairs: IntArray
    labels: IntArray


@dataclass(frozen=True, eq=False)
class Entries:
    """Token t shows pairs[bounds[t]:bounds[t + 1]] of the weights, which speak for labels beside them."""

    bounds: IntArray
    pairs: IntArray
    labels: IntArray
    _parts: dict[int, list[_Part]] = field(default_factory=dict)

    @classmethod
    def of_pairs(cls, begins: IntArray, counts: IntArray, pair_labels: Sequence[IntArray]) -> "Entries":
        """begins, counts: (T, S), where in the weight vector pairs of a token begin, and how many they are.

        pair_labels: of every stream, one after the other.
        """
        every_label = np.concatenate(pair_labels) if pair_labels else np.empty(0, dtype=np.int16)
        pairs = gather_ranges(begins.ravel(), counts.ravel()).astype(np.int32)
        return cls(offsets_of(counts.sum(axis=1)), pairs, every_label[pairs])

    def add(self, weights: FloatArray, first: int, last: int, scores: FloatArray) -> None:
        """Add to scores (T, M) of tokens first..last what their pairs weigh."""
        n_labels = scores.shape[1]
        own = scores[first:last].reshape(-1)
        add_entries(self.bounds, self.pairs, self.labels, weights, first, last, n_labels, own)

    def collect(self, masses: FloatArray, result: FloatArray) -> None:
        """Fill result of the pairs that tokens list with masses (T, M) of the tokens."""
        scatter_entries(self.bounds, self.pairs, self.labels, masses, result)

    def n_parts(self, threads: int) -> int:
        """How many parts `collect_part` has for so many threads."""
        if threads not in self._parts:
            self._parts[threads] = self._cut(threads)
        return len(self._parts[threads])

    def collect_part(self, threads: int, number: int, masses: FloatArray, result: FloatArray) -> None:
        """One part of what `collect` does: the same sums bit by bit, and parts may run on threads."""
        part = self._parts[threads][number]
        scatter_listed(part.tokens, part.pairs, part.labels, masses, result)

    def _cut(self, parts: int) -> list[_Part]:
        """Different pairs in every part, about equally many entries."""
        if not len(self.pairs):
            return []
        running = offsets_of(np.bincount(self.pairs))
        cuts = np.searchsorted(running, np.linspace(0, len(self.pairs), parts + 1)[1:-1])
        part_of = np.searchsorted(cuts, self.pairs, side="right")
        tokens = np.repeat(np.arange(len(self.bounds) - 1, dtype=np.int32), np.diff(self.bounds))
        return [
            _Part(tokens[part_of == part], self.pairs[part_of == part], self.labels[part_of == part])
            for part in range(parts)
        ]
