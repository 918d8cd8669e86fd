"""Rounds that can go on later: what their states follow from is small enough to be kept after each."""

from collections.abc import Mapping
from typing import Protocol, TypeVar

import numpy as np

from crowdseq.aggregation.contract import RunContext
from crowdseq.arrays import FloatArray
from crowdseq.numerics.crowds.annotator_models import Judgement
from crowdseq.numerics.em import Climb, climb


class KeptState(Protocol):
    """A state that tells from which sums it was learnt."""

    @property
    def learnt(self) -> Mapping[str, FloatArray]: ...


State = TypeVar("State", bound=KeptState)


class KeptRounds(Protocol[State]):
    """Rounds whose states follow from sums that are small enough to be kept."""

    def start(self) -> State: ...
    def step(self, state: State) -> tuple[State, float]: ...
    def take_up(self, arrays: Mapping[str, FloatArray]) -> State: ...


def climb_kept(
    made: KeptRounds[State], start: State | None, *, rounds: int, tolerance: float, context: RunContext
) -> Climb[State]:
    """Rounds from a start, kept after each where there is a keeper, or from what it kept."""
    keeper = context.keeper
    kept = None if keeper is None else keeper.load()
    if kept is None:
        begin = Climb(made.start() if start is None else start)
    else:
        begin = Climb(made.take_up(kept), tuple(kept["history"].tolist()))

    def keep(reached: Climb[State]) -> None:
        if keeper is not None:
            keeper.keep({**reached.state.learnt, "history": np.array(reached.history)})

    return climb(
        made.step,
        begin,
        rounds=rounds,
        tolerance=tolerance,
        progress=context.progress,
        keep=keep,
        note=context.note,
    )


def known_before(judgement: Judgement | None) -> dict[str, FloatArray]:
    """What the next judgement takes from the last one."""
    return {"known": judgement.known} if judgement is not None and len(judgement.known) else {}


def judged_before(learnt: Mapping[str, FloatArray]) -> Judgement | None:
    """The last judgement, as far as the next one asks for it."""
    if "known" not in learnt:
        return None
    return Judgement(np.zeros((0, 0)), 0.0, dict, learnt["known"])
