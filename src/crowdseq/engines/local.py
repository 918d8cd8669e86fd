"""LocalEngine: the sums of a run are made in this process, one shard after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from crowdseq.engines.engine import S, W, answer, arguments_of
from crowdseq.numerics.blocks import using_threads


@dataclass(frozen=True)
class LocalEngine:
    """Makes all sums in this process; threads work inside a shard, and their number changes no result."""

    threads: int = 1

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> "LocalPlaced[W]":
        with using_threads(self.threads):
            return LocalPlaced(tuple(make(shard) for shard in shards), self.threads)


@dataclass(frozen=True, eq=False)
class LocalPlaced(Generic[W]):
    """The workers themselves, in the order of their shards."""

    workers: tuple[W, ...]
    threads: int

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        given = arguments_of(shared, own, len(self.workers))
        with using_threads(self.threads):
            return [
                answer(worker, call, *arguments)
                for worker, arguments in zip(self.workers, given, strict=True)
            ]
