"""Steps of an optimiser over shards, told while they are made: one may take minutes for a large corpus."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from crowdseq.engines.engine import Engine, Placed, S, W
from crowdseq.engines.local import LocalEngine
from crowdseq.numerics.em import Progress

_STEP = ".evaluate"  # how the calls end by which a CRF is asked for its gradient
_A_WHILE = 5.0  # seconds


class Steps:
    """Tells how many steps were made since something else was asked, once they take longer than a while."""

    def __init__(self, progress: Progress, clock: Callable[[], float] = time.monotonic) -> None:
        self._progress, self._clock = progress, clock
        self._count, self._begun = 0, 0.0

    def __call__(self, call: str) -> None:
        now = self._clock()
        if not call.endswith(_STEP):
            self._count, self._begun = 0, now
            return
        self._count += 1
        if now - self._begun >= _A_WHILE:
            self._progress("steps of the CRF", self._count, 0)


@dataclass(frozen=True, eq=False)
class ToldPlaced(Generic[W]):
    """Shards of an engine; each call is told when it is answered."""

    placed: Placed[W]
    tell: Callable[[str], None]

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        answers = self.placed.each(call, *shared, own=own)
        self.tell(call)
        return answers


@dataclass(frozen=True, eq=False)
class ToldEngine:
    """An engine whose calls are told."""

    engine: Engine
    tell: Callable[[str], None]

    @property
    def threads(self) -> int:
        return self.engine.threads

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> ToldPlaced[W]:
        return ToldPlaced(self.engine.place(make, shards), self.tell)


@dataclass(frozen=True, eq=False)
class ToldLocalEngine(LocalEngine):
    """The same in this process, which is asked for by its kind."""

    tell: Callable[[str], None] = field(kw_only=True)

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> Any:
        return ToldPlaced(super().place(make, shards), self.tell)


def told_engine(engine: Engine, progress: Progress) -> Engine:
    """The engine, with a word after each step of an optimiser."""
    tell = Steps(progress)
    if isinstance(engine, LocalEngine):
        return ToldLocalEngine(engine.threads, tell=tell)
    return ToldEngine(engine, tell)
