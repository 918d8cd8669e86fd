"""climb: repeat a step until it stops paying, and tell how it went."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

State = TypeVar("State")
Progress = Callable[[str, int, int], None]
Note = Callable[[str, int, float], None]  # "round" or whatever was made, its number, its objective

_STAGE = "EM rounds"


def quiet(stage: str, done: int, total: int) -> None:
    """A progress callback that says nothing."""


@dataclass(frozen=True, eq=False)
class Climb(Generic[State]):
    """How far a climb has come: the newest state, the objective after every round, and whether it converged.

    best, best_score: the state with the highest score so far, where states are scored.
    """

    state: State
    history: tuple[float, ...] = ()
    converged: bool = False
    best: State | None = None
    best_score: float = -np.inf

    @property
    def chosen(self) -> State:
        """The best state where states are scored, else the newest."""
        return self.state if self.best is None else self.best

    def moved(self, state: State, objective: float) -> "Climb[State]":
        """One round further."""
        return replace(self, state=state, history=(*self.history, objective))

    def scored(self, score: float) -> "Climb[State]":
        """The same, with the newest state as the best if its score is higher than that of any before."""
        return replace(self, best=self.state, best_score=score) if score > self.best_score else self


def climb(
    step: Callable[[State], tuple[State, float]],
    start: Climb[State],
    *,
    rounds: int,
    tolerance: float,
    least: int = 0,
    progress: Progress = quiet,
    keep: Callable[[Climb[State]], None] | None = None,
    judge: Callable[[State], float] | None = None,
    note: Note | None = None,
) -> Climb[State]:
    """Step until the objective changes by less than `tolerance`, relative to its size, or `rounds` are over.

    least: rounds that are made however little changes, for steps that come to do more later on.
    step: from a state to the next one and its objective; where that is not a finite number, the round is not
    taken and the last good state stays. start: where to begin, or how far an earlier climb had come: going
    on from there gives what an unbroken climb gives. keep: called after every round with how far it came.
    judge: a score of a state, by which the best is remembered. note: told every round and its
    objective.
    """
    reached = start
    while len(reached.history) < rounds and not (
        len(reached.history) >= least and has_converged(reached.history, tolerance)
    ):
        state, objective = step(reached.state)
        if not np.isfinite(objective):
            return replace(reached, converged=False)
        reached = reached.moved(state, objective)
        if judge is not None:
            reached = reached.scored(judge(state))
        if keep is not None:
            keep(reached)
        if note is not None:
            note("round", len(reached.history), objective)
        progress(_STAGE, len(reached.history), rounds)
    return replace(reached, converged=has_converged(reached.history, tolerance))


def has_converged(history: Sequence[float], tolerance: float) -> bool:
    """Whether the last change was smaller than the tolerance."""
    if len(history) < 2:
        return False
    change = abs(history[-1] - history[-2])
    return change <= tolerance * max(1.0, abs(history[-1]))
