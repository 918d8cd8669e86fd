"""Versions: states that shards hold for a driver, which only has their numbers."""

from collections.abc import Collection
from typing import Generic, TypeVar
from weakref import WeakSet

State = TypeVar("State")


class Version:
    """Stands for a state that every shard holds; nobody can ask for it once this is gone."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class Versions:
    """The driver's side: new numbers, and which are still asked for."""

    def __init__(self) -> None:
        self._alive: WeakSet[Version] = WeakSet()
        self._count = 0

    def new(self) -> Version:
        """A number that was never given."""
        version = Version(self._count)
        self._count += 1
        self._alive.add(version)
        return version

    @property
    def alive(self) -> tuple[int, ...]:
        """The numbers of all versions that somebody has, for `Kept.forget_others`."""
        return tuple(sorted(version.number for version in self._alive))


class Kept(Generic[State]):
    """The shard's side: states by number."""

    def __init__(self) -> None:
        self._states: dict[int, State] = {}

    def __getitem__(self, number: int) -> State:
        return self._states[number]

    def __setitem__(self, number: int, state: State) -> None:
        self._states[number] = state

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these alone."""
        self._states = {number: state for number, state in self._states.items() if number in alive}
