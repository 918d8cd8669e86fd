"""climb: repeat a step until it stops paying, and keep the history."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

State = TypeVar("State")
Progress = Callable[[str, int, int], None]


def quiet(stage: str, done: int, total: int) -> None:
    """A progress callback that says nothing."""


@dataclass(frozen=True)
class Climb(Generic[State]):
    """Where a climb ended: the state, the objective after every round, and whether it had settled."""

    state: State
    history: tuple[float, ...]
    converged: bool


def climb(
    step: Callable[[State], tuple[State, float]],
    start: State,
    *,
    rounds: int,
    tolerance: float,
    progress: Progress = quiet,
    stage: str = "EM",
) -> Climb[State]:
    """Step until the objective changes by less than `tolerance`, relative to its size, or `rounds` are over.

    A round whose objective is not a finite number is not taken: the last good state stays.
    """
    state = start
    history: list[float] = []
    for done in range(1, rounds + 1):
        new_state, objective = step(state)
        if not np.isfinite(objective):
            return Climb(state, tuple(history), False)
        state = new_state
        history.append(objective)
        progress(stage, done, rounds)
        if has_settled(history, tolerance):
            return Climb(state, tuple(history), True)
    return Climb(state, tuple(history), False)


def has_settled(history: list[float], tolerance: float) -> bool:
    """Whether the last change was smaller than the tolerance."""
    if len(history) < 2:
        return False
    change = abs(history[-1] - history[-2])
    return change <= tolerance * max(1.0, abs(history[-1]))
