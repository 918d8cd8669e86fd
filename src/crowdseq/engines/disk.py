"""DiskEngine: the sums of a run are made in this process, with one shard at a time in memory."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from crowdseq.engines.engine import S, W, arguments_of
from crowdseq.engines.shelf import NO_ROOM, Bound, Shelf
from crowdseq.numerics.blocks import using_threads
from crowdseq.storage.private import remove_tree


@dataclass(frozen=True)
class DiskEngine:
    """Makes all sums in this process; what shards know lies in a folder while others are asked.

    bound: what may stay in memory of them all the same; at least one shard does while it is asked.
    """

    folder: Path
    threads: int = 1
    bound: Bound = NO_ROOM

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> "DiskPlaced[W]":
        number = 0
        while (self.folder / f"placed-{number}").exists():
            number += 1
        placed: DiskPlaced[W] = DiskPlaced(self, self.folder / f"placed-{number}", len(shards))
        with using_threads(self.threads):
            for place, shard in enumerate(shards):
                placed.keep(place, make(shard))
        return placed


class DiskPlaced(Generic[W]):
    """Workers by their place, on disk as far as they do not fit."""

    def __init__(self, engine: DiskEngine, folder: Path, count: int) -> None:
        self._engine, self._folder, self._count = engine, folder, count
        self._folder.mkdir(parents=True)
        self._shelf = Shelf(engine.bound)
        self._turn = 0

    def keep(self, place: int, worker: W) -> None:
        """Take in the worker of a shard."""
        self._shelf.add(place, self._folder / f"{place:05d}", worker)

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        self._turn += 1
        with using_threads(self._engine.threads):
            given = arguments_of(shared, own, self._count)
            return [
                self._shelf.ask(place, self._turn, call, arguments, save=False).given
                for place, arguments in enumerate(given)
            ]

    def __del__(self) -> None:
        with suppress(Exception):
            remove_tree(self._folder)
