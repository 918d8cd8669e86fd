"""Repeats: the same thing met again in a document, and whether it is treated as it was before."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Repeats:
    """(I,) items sorted by what they are, then by where they stand; is_first opens each group there."""

    order: IntArray
    is_first: BoolArray

    @classmethod
    def of(cls, groups: IntArray) -> "Repeats":
        """Items in the order of the text, by the number of what each of them is."""
        order = np.argsort(groups, kind="stable")
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = groups[order[1:]] != groups[order[:-1]]
        return cls(order, is_first)

    def sources(self, draws: FloatArray, consistency: float) -> IntArray:
        """(I,) the item whose lot each one shares: the occurrence before with the chance `consistency`,
        itself otherwise. Right or wrong, a lot is handed on whole, so no rate changes along a document."""
        fresh = self.is_first | (draws >= consistency)
        heads = np.maximum.accumulate(np.where(fresh, np.arange(len(self.order)), 0))
        sources = np.empty(len(self.order), np.int64)
        sources[self.order] = self.order[heads]
        return sources


def number_pairs(first: IntArray, second: IntArray) -> IntArray:
    """(I,) one number for each distinct pair of numbers."""
    width = int(second.max()) + 1 if len(second) else 1
    numbers: IntArray = np.unique(first.astype(np.int64) * width + second, return_inverse=True)[1]
    return numbers
