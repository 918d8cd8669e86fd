"""Ragged: sequences of different lengths that live one after the other in a flat array."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Ragged(Sequence[Item], Generic[Item]):
    """A read-only sequence of N items; item i is made from `values[offsets[i]:offsets[i + 1]]`."""

    values: NDArray[Any]
    offsets: NDArray[Any]
    make: Callable[[NDArray[Any]], Item]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> "tuple[Item, ...]": ...
    def __getitem__(self, index: int | slice) -> "Item | tuple[Item, ...]":
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = range(len(self))[index]
        return self.make(self.values[self.offsets[number] : self.offsets[number + 1]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(item) for item in self[:3])
        return f"<{len(self)} sequences: {shown}{', …' if len(self) > 3 else ''}>"


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, read-only."""
    array.setflags(write=False)
    return array


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """(N,) lengths to (N + 1,) offsets."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def gather_ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The indices start, start + 1, … of every range, one range after the other."""
    total = int(np.sum(lengths))
    shifts = np.asarray(starts) - (np.cumsum(lengths) - lengths)
    indices: NDArray[np.int64] = np.arange(total, dtype=np.int64) + np.repeat(shifts, lengths)
    return indices


def portions(offsets: NDArray[Any], limit: int) -> Iterator[slice]:
    """Ranges of items that together hold no more than the limit, or of one that alone holds more.

    What is worked out on the way is often wider than what is held: a piece at a time bounds it.
    """
    first, n_items = 0, len(offsets) - 1
    while first < n_items:
        last = int(np.searchsorted(offsets, offsets[first] + limit, side="right")) - 1
        yield slice(first, max(first + 1, last))
        first = max(first + 1, last)
