"""Shelf: the workers of some shards, in memory as far as they fit, the others on disk."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crowdseq.engines.engine import answer, changes_worker
from crowdseq.engines.spilling import Spill, Texts, megabytes_of
from crowdseq.storage.own_memory import give_back, own_megabytes


@dataclass(frozen=True)
class Bound:
    """megabytes: that workers may take of the memory of their process. process: that it may take in all, so
    that there is less room for workers where it needs more for other things; None for as much as it needs."""

    megabytes: float = 0.0
    process: float | None = None

    def room(self, held: float) -> float:
        """Megabytes for workers that have so many."""
        if self.process is None:
            return self.megabytes
        return min(self.megabytes, self.process - max(own_megabytes() - held, 0.0))


NO_ROOM = Bound()


@dataclass(frozen=True, eq=False)
class Reply:
    """An answer; seconds: that it took, if it changed the worker. saving: seconds that its state took."""

    given: Any
    seconds: float | None
    saving: float


@dataclass(eq=False)
class _Place:
    """Where the state of a worker lies, the worker if it is in memory, and the last turn that changed it."""

    spill: Spill
    worker: Any = None
    megabytes: float = 0.0
    turn: int = 0
    asked: set[str] = field(default_factory=set)  # since it was changed


class Shelf:
    """Workers by their key, asked in turns.

    bound: what may stay in memory of them all; at least one does while it is asked. As they are asked one
    after the other, those that came first stay: the last used would be the next to be thrown out.
    """

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self._places: dict[Hashable, _Place] = {}
        self._texts = Texts()

    def __iter__(self) -> Any:
        return iter(tuple(self._places))

    def add(self, key: Hashable, folder: Path, worker: object) -> None:
        """A worker as it is before the first turn."""
        self._places[key] = _Place(Spill(folder, self._texts), worker, megabytes_of(worker))
        self._make_room()

    def take_up(self, key: Hashable, folder: Path, turn: int) -> int | None:
        """A worker as it was kept before a turn: of which turn that is, None if nothing was kept."""
        spill = Spill(folder, self._texts)
        kept = spill.kept_before(turn)
        if kept is not None:
            self._places[key] = _Place(spill, spill.load(turn), turn=kept)
            self._places[key].megabytes = megabytes_of(self._places[key].worker)
            self._make_room()
        return kept

    def remove(self, key: Hashable) -> None:
        """Forget a worker."""
        del self._places[key]

    def ask(self, key: Hashable, turn: int, call: str, arguments: tuple[Any, ...], *, save: bool) -> Reply:
        """What a worker answers; save: keep the state that a changing call leaves, wherever the worker is."""
        place = self._places[key]
        is_here = place.worker is not None
        worker = place.worker if is_here else place.spill.load(turn)
        changes = changes_worker(worker, call)
        begun = time.perf_counter()
        given = answer(worker, call, *arguments)
        ended = time.perf_counter()
        if changes:
            place.turn, place.megabytes = turn, megabytes_of(worker)
            place.asked.clear()
        # The first of many equal questions often makes what the others need too.
        if (changes and save) or (not is_here and (changes or call not in place.asked)):
            place.spill.save(worker, turn)
        place.asked.add(call)
        if is_here:
            self._make_room()
        else:
            place.spill.drop()
        saving = time.perf_counter() - ended
        return Reply(given, ended - begun if changes else None, saving)

    def _make_room(self) -> None:
        """Let workers leave the memory until the rest fits."""
        here = [place for place in self._places.values() if place.worker is not None]
        held = sum(place.megabytes for place in here)
        room = self._bound.room(held)
        while here and held > room:
            place = here.pop()
            held -= place.megabytes
            if place.spill.kept_before(place.turn + 1) != place.turn:
                place.spill.save(place.worker, place.turn)
            place.worker = None
            place.spill.drop()
            give_back()
