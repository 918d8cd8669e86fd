"""DiskEngine: the sums of a run are made in this process, with one shard at a time in memory."""

import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from crowdseq.engines.engine import S, W, answer, arguments_of, changes_worker
from crowdseq.engines.spilling import Spill
from crowdseq.numerics.blocks import using_threads
from crowdseq.storage.private import remove_tree

_MUCH = 256.0  # megabytes of shards that may wait to be collected


@dataclass(frozen=True)
class DiskEngine:
    """Makes all sums in this process; what shards know lies in a folder while others are asked.

    megabytes: what may stay in memory of them all the same; at least one shard does while it is asked.
    """

    folder: Path
    threads: int = 1
    megabytes: float = 0.0

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> "DiskPlaced[W]":
        number = 0
        while (self.folder / f"placed-{number}").exists():
            number += 1
        placed: DiskPlaced[W] = DiskPlaced(self, self.folder / f"placed-{number}", len(shards))
        with using_threads(self.threads):
            for place, shard in enumerate(shards):
                placed.keep(place, make(shard), 0)
        return placed


class DiskPlaced(Generic[W]):
    """Workers by their place, on disk; those in memory are the first ones, as they are asked in turns."""

    def __init__(self, engine: DiskEngine, folder: Path, count: int) -> None:
        self._engine, self._folder = engine, folder
        self._spills = [Spill(folder / f"{place:05d}") for place in range(count)]
        self._resident: dict[int, W] = {}
        self._held, self._given_back = 0.0, 0.0
        self._sizes = [0.0] * count
        self._turn = 0
        self._asked_before: set[str] = set()

    def keep(self, place: int, worker: W, turn: int) -> None:
        """Spill a worker, which leaves the memory unless there is room."""
        spill = self._spills[place]
        spill.save(worker, turn)
        self._sizes[place] = spill.bytes_on_disk / 1e6
        if place not in self._resident:
            size = self._sizes[place]
            if self._held + size <= self._engine.megabytes:
                self._resident[place], self._held = worker, self._held + size
        spill.drop()

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        self._turn += 1
        with using_threads(self._engine.threads):
            given = arguments_of(shared, own, len(self._spills))
            answers = [self._ask(place, call, arguments) for place, arguments in enumerate(given)]
        self._asked_before.add(call)
        return answers

    def _ask(self, place: int, call: str, arguments: tuple[Any, ...]) -> Any:
        worker = self._resident.get(place)
        if worker is not None:
            return answer(worker, call, *arguments)
        worker = self._spills[place].load(self._turn)
        changes = changes_worker(worker, call)
        if changes:
            self._asked_before.clear()
        given = answer(worker, call, *arguments)
        # The first of many equal questions often makes what the others need too.
        if changes or call not in self._asked_before:
            self._spills[place].save(worker, self._turn)
            self._sizes[place] = self._spills[place].bytes_on_disk / 1e6
        self._spills[place].drop()
        self._given_back += self._sizes[place]
        if self._given_back > _MUCH:
            # What a worker leaves behind may refer to itself, and is mapped until it is collected.
            gc.collect()
            self._given_back = 0.0
        return given

    def __del__(self) -> None:
        with suppress(Exception):
            remove_tree(self._folder)
