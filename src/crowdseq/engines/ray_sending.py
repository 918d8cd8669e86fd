"""Sending: the arguments of one call on their way to the workers of Ray, large ones once for each process."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.engines.ray_holder import ListKey, Share
from crowdseq.engines.shards import Split, short_numbers

_WORTH = 1 << 18  # bytes of rows from which on a process gets those of all its shards at once
_MOST_LISTS = 4


@dataclass(frozen=True, eq=False)
class Lists:
    """own: the numbers of the rows of each shard. every: for each process the numbers of all its rows."""

    own: tuple[IntArray | None, ...]
    every: list[IntArray]

    @classmethod
    def of(cls, own: tuple[IntArray | None, ...], n_slots: int) -> "Lists":
        """Shards go round the processes in turn."""
        parts = [[one for one in own[slot::n_slots] if one is not None] for slot in range(n_slots)]
        return cls(own, [_united(mine) for mine in parts])

    def places(self, slot: int) -> dict[int, IntArray]:
        """For each shard of a process the numbers of its rows among all that it has."""
        every, mine = self.every[slot], range(slot, len(self.own), len(self.every))
        return {
            place: short_numbers(np.searchsorted(every, numbers), len(every))
            for place in mine
            if (numbers := self.own[place]) is not None
        }


def _united(parts: Sequence[IntArray]) -> IntArray:
    """Different numbers in order: rows are taken out faster by them than shard by shard."""
    if not parts:
        return np.zeros(0, np.int64)
    seen = np.zeros(max(int(part.max(initial=-1)) for part in parts) + 1, np.bool_)
    for part in parts:
        seen[part] = True
    return short_numbers(np.flatnonzero(seen), len(seen))


@dataclass(eq=False)
class Sending:
    """What one call gives the shards beside what all get: each its own argument, or its share of rows."""

    own: Sequence[object] | None
    share: Share | None = None
    rows: list[Any] = field(default_factory=list)  # for each process a reference
    n_bytes: int = 0

    def of(self, place: int) -> tuple[Any, ...]:
        """Further arguments of one shard."""
        if self.share is not None:
            return (self.share,)
        return () if self.own is None else (self.own[place],)

    def rows_of(self, slot: int) -> Any:
        """What a process needs for its shares."""
        return self.rows[slot] if self.rows else None


class Senders:
    """The lists of one placement: which rows go to which process, told once."""

    def __init__(self, ray: Any, number: int) -> None:
        self._ray, self._number = ray, number
        self._known: dict[ListKey, Lists] = {}

    def tell(self, actor: Any, slot: int) -> None:
        """Tell a new process all lists that are in use."""
        for key, lists in self._known.items():
            actor.note.remote(key, lists.places(slot))

    def sending(self, own: Sequence[object] | None, actors: Sequence[Any]) -> Sending:
        """How the arguments of a call go out."""
        if isinstance(own, Split) and own.rows.nbytes >= _WORTH:
            key = self._key(own, actors)
            if key is not None:
                pieces = [_taken(own, every) for every in self._known[key].every]
                rows = [self._ray.put(piece) for piece in pieces]
                return Sending(None, Share(key, own.in_columns), rows, size_of(pieces))
        return Sending(own, n_bytes=0 if own is None else sum(map(size_of, own)))

    def _key(self, split: Split, actors: Sequence[Any]) -> ListKey | None:
        """The lists behind a split; None where shards have all rows, or where there are ever new lists."""
        own = split.own
        for key, lists in self._known.items():
            if lists.own is own:
                return key
        if any(numbers is None for numbers in own) or len(self._known) == _MOST_LISTS:
            return None
        key = (self._number, len(self._known))
        self._known[key] = Lists.of(own, len(actors))
        for slot, actor in enumerate(actors):
            actor.note.remote(key, self._known[key].places(slot))
        return key


def _taken(split: Split, every: IntArray) -> NDArray[Any]:
    return split.rows[..., every] if split.in_columns else split.rows[every]


def size_of(thing: Any) -> int:
    """About how many bytes a thing takes on the wire, by its arrays."""
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if isinstance(thing, list | tuple):
        return sum(map(size_of, thing))
    if isinstance(thing, dict):
        return sum(map(size_of, thing.values()))
    if is_dataclass(thing):
        return sum(size_of(getattr(thing, one.name)) for one in fields(thing))
    return 8
