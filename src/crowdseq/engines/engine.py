"""Engine and Placed: where the sums of a run are made, shard by shard."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, Protocol, TypeVar

S = TypeVar("S")
W = TypeVar("W")
W_co = TypeVar("W_co", covariant=True)


class Placed(Protocol[W_co]):
    """One worker for each shard, wherever it lives; it stays there and keeps its state between calls."""

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        """What every worker answers, in the order of the shards, so that sums have one order.

        call: the name of a method of the workers, or of a part of them ("truth.evaluate"). shared: arguments
        that all get. own: one further argument for each shard. Neither arguments nor answers are changed
        afterwards by the side that gave them away. A call may be made again until the end of the run, for a
        worker that was lost: what it reads from files must still be there.
        """


class Engine(Protocol):
    """Where the sums of a run are made; nothing about it changes a result."""

    @property
    def threads(self) -> int:
        """How many threads of a machine may work at a time."""

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> Placed[W]:
        """make(shard) for every shard, put where the engine works on it."""


Asked = TypeVar("Asked", bound=Callable[..., Any])


def asks_only(method: Asked) -> Asked:
    """Marks a method of a worker that leaves it as it was: nothing of it is lost with the worker."""
    method.asks_only = True  # type: ignore[attr-defined]
    return method


def changes_worker(worker: object, call: str) -> bool:
    """Whether a call may leave the worker other than it was: for engines."""
    return not getattr(attrgetter(call)(worker), "asks_only", False)


def answer(worker: object, call: str, *arguments: object) -> Any:
    """What a worker, or the part of it that the call names, answers: for engines."""
    return attrgetter(call)(worker)(*arguments)


def arguments_of(
    shared: Sequence[object], own: Sequence[object] | None, count: int
) -> Iterator[tuple[Any, ...]]:
    """The arguments of `Placed.each` for each of so many shards, made when they are wanted: for engines."""
    if own is None:
        return repeat(tuple(shared), count)
    return ((*shared, one) for _, one in zip(range(count), own, strict=True))
