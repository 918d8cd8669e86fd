"""ShardHolder: what runs in a process of Ray; it holds the workers of some shards."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.engines.ray_texts import packed
from crowdseq.engines.shelf import Bound, Reply, Shelf
from crowdseq.numerics.blocks import using_threads

Key: TypeAlias = tuple[int, int]  # placement and place
ListKey: TypeAlias = tuple[int, int]  # placement and number of the lists


@dataclass(frozen=True)
class Question:
    """What a worker is asked; save: whether the state that it leaves is to be kept."""

    turn: int
    call: str
    save: bool


@dataclass(frozen=True)
class Share:
    """Stands for the rows (or columns) of a shard, to be taken out of those that its process got: by which
    lists of numbers."""

    lists: ListKey
    in_columns: bool

    def of(self, rows: NDArray[Any], numbers: IntArray) -> NDArray[Any]:
        """Those of one shard."""
        return rows[..., numbers] if self.in_columns else rows[numbers]


class ShardHolder:
    """The actor: the workers of some shards, by placement and place."""

    def __init__(self, threads: int, bound: Bound) -> None:
        self._threads = threads
        self._shelf = Shelf(bound)
        self._lists: dict[ListKey, Mapping[int, IntArray]] = {}

    def process(self) -> int:
        """Its number on its machine."""
        return os.getpid()

    def version(self) -> str:
        """Of the crowdseq that its machine has."""
        return version("crowdseq")

    def place(self, key: Key, folder: Path, make: Callable[[Any], Any], shard: Any) -> None:
        """Make the worker of a shard."""
        with using_threads(self._threads):
            self._shelf.add(key, folder, make(shard))

    def take_over(self, key: Key, folder: Path, turn: int) -> int | None:
        """Take up a worker as it was kept before a turn; of which turn that is."""
        return self._shelf.take_up(key, folder, turn)

    def note(self, key: ListKey, lists: Mapping[int, IntArray]) -> None:
        """For each place which of the rows are its own, of those that this process will get."""
        self._lists[key] = lists

    def ask(self, key: Key, question: Question, shared: Any, own: tuple[Any, ...], rows: Any) -> Reply:
        """What the worker of a shard answers.

        rows: of all shards of this process, where a Share stands for the shard's own.
        """
        given = tuple(
            one.of(rows, self._lists[one.lists][key[1]]) if isinstance(one, Share) else one for one in own
        )
        with using_threads(self._threads):
            told = self._shelf.ask(key, question.turn, question.call, (*shared, *given), save=question.save)
        return replace(told, given=packed(told.given))

    def release(self, number: int) -> None:
        """Forget all workers of a placement."""
        for key in self._shelf:
            if key[0] == number:
                self._shelf.remove(key)
        self._lists = {key: lists for key, lists in self._lists.items() if key[0] != number}
