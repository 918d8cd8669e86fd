"""Sums over shards in the order of the shards, and items that shards number by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray

Summand = TypeVar("Summand", bound=Any)


def add_up(parts: Sequence[Summand]) -> Summand:
    """The sum in the order of the shards; of a single one, the very thing that it gave."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@dataclass(frozen=True, eq=False)
class Numbering:
    """How the items of each shard are numbered among the `size` items of all.

    own: for each shard the numbers of its items, each once; None for a shard that has them all in order.
    """

    size: int
    own: tuple[IntArray | None, ...]

    @classmethod
    def same(cls, size: int, n_shards: int) -> "Numbering":
        """Every shard has all items."""
        return cls(size, (None,) * n_shards)

    @classmethod
    def of_rows(cls, parts: Sequence[IntArray]) -> "tuple[IntArray, Numbering]":
        """Different rows (C, columns) of each shard to the rows of all in sorted order, and their numbers."""
        if len(parts) == 1:
            return parts[0], cls.same(len(parts[0]), 1)
        rows, numbers = np.unique(np.concatenate(parts), axis=0, return_inverse=True)
        bounds = np.cumsum([len(part) for part in parts])[:-1]
        return rows, cls(len(rows), tuple(np.split(numbers.ravel(), bounds)))

    def split(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows (size, …) of all items to those of each shard."""
        return [rows if own is None else rows[own] for own in self.own]

    def split_columns(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """The same for columns (…, size)."""
        return [rows if own is None else rows[..., own] for own in self.own]

    def add_up(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rows of each shard's items to rows (size, …) of all, summed in the order of the shards."""
        if all(own is None for own in self.own):
            return add_up(parts)
        total = np.zeros((self.size, *parts[0].shape[1:]), parts[0].dtype)
        for own, part in zip(self.own, parts, strict=True):
            total[slice(None) if own is None else own] += part
        return total
