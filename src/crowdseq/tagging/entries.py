"""TokenEntries: what tokens show of streams without rows, as lists of pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.numerics.chains.bundles import Entries
from crowdseq.numerics.features.listed import ListedTokens


@dataclass(frozen=True, eq=False)
class TokenEntries:
    """The pairs of the weights that each token shows, and the same cut into parts for threads."""

    listed: Entries
    _parts: dict[int, list[ListedTokens]] = field(default_factory=dict)

    @classmethod
    def of_pairs(cls, begins: IntArray, counts: IntArray, pair_labels: Sequence[IntArray]) -> "TokenEntries":
        """begins, counts: (T, S), where in the weight vector pairs of a token begin, and how many they are.

        pair_labels: of every stream, one after the other.
        """
        every_label = np.concatenate(pair_labels) if pair_labels else np.empty(0, dtype=np.int16)
        pairs = gather_ranges(begins.ravel(), counts.ravel()).astype(np.int32)
        return cls(Entries(offsets_of(counts.sum(axis=1)), pairs, every_label[pairs]))

    def parts(self, count: int) -> list[ListedTokens]:
        """Different pairs in each of so many parts, about equally many entries; tokens in order."""
        if count not in self._parts:
            self._parts[count] = self._cut(count)
        return self._parts[count]

    def _cut(self, count: int) -> list[ListedTokens]:
        bounds, pairs, labels = self.listed
        if not len(pairs):
            return []
        running = offsets_of(np.bincount(pairs))
        cuts = np.searchsorted(running, np.linspace(0, len(pairs), count + 1)[1:-1])
        part_of = np.searchsorted(cuts, pairs, side="right")
        tokens = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
        chosen = [part_of == part for part in range(count)]
        return [ListedTokens(tokens[mine], pairs[mine], labels[mine]) for mine in chosen]
