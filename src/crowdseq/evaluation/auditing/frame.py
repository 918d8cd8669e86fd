"""The frame of an audit: what is known of every sentence at its start, and the bounds after each answer."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.evaluation.auditing.counting import ErrorCounts, Foretold
from crowdseq.evaluation.auditing.drawing import draw_order, draw_weights
from crowdseq.evaluation.auditing.figures import (
    FIGURES,
    Bound,
    Needed,
    bound_of,
    draws_needed,
    precision,
)
from crowdseq.evaluation.auditing.totals import GROWTH, Population, PossibleTotals

RISK = 0.05
_ROOM = 2  # missing spans in a sentence without any, before a sentence was read that lacks more


@dataclass(frozen=True, eq=False)
class Frame:
    """N sentences that nobody read, as they were labelled when the audit began.

    given (N,): their labels. lengths (N,): their tokens. foretold: what the model expects, or None to draw
    and bet without it. order (N,): the order in which they are read; weights (N,): those of the draws.
    """

    given: FloatArray
    lengths: IntArray
    is_plain: bool
    foretold: Foretold | None
    weights: FloatArray
    order: IntArray

    @classmethod
    def draw(
        cls, given: FloatArray, lengths: IntArray, *, is_plain: bool, foretold: Foretold | None, seed: int
    ) -> "Frame":
        """The frame with its order, which the seed decides."""
        sizes = given if is_plain else given + room_for_missed(given, lengths, 1)
        weights = draw_weights(sizes, None if foretold is None else foretold.doubt)
        return cls(given, lengths, is_plain, foretold, weights, draw_order(weights, seed))

    def population(self, level: int) -> Population:
        """For figures of labels."""
        room = (
            np.zeros_like(self.given) if self.is_plain else room_for_missed(self.given, self.lengths, level)
        )
        if self.foretold is None:
            return Population.of(self.given, room, self.weights)
        return Population(self.given, room, self.weights, self.foretold.wrong, self.foretold.missed)

    @cached_property
    def sentences(self) -> Population:
        """For the share of sentences without any error: each is one label, right or wrong."""
        one, nothing = np.ones_like(self.given), np.zeros_like(self.given)
        doubt = nothing if self.foretold is None else self.foretold.doubt
        return Population(one, nothing, self.weights, doubt, nothing)


def room_for_missed(given: FloatArray, lengths: IntArray, level: int) -> FloatArray:
    """(N,) how many missing spans a sentence is allowed for, at a level of 1, 2, 4 and so on.

    No bound on missing spans is worth telling if every token of every unread sentence could be one. So a
    sentence counts with this many at most, and the level rises as soon as one is read that had more.
    """
    room: FloatArray = np.minimum(lengths, level * (_ROOM + np.floor(given / 2.0)))
    return room


class RunningBounds:
    """The bounds of a frame, moved on by every sentence that is read in the order of the frame."""

    def __init__(self, frame: Frame, risk: float = RISK, growth: float = GROWTH) -> None:
        """growth: as that of `PossibleTotals`."""
        self.frame, self.risk, self.growth, self.level = frame, risk, growth, 1
        self.read: list[tuple[int, float, float]] = []
        self.labels = PossibleTotals(frame.population(1), risk, growth)
        self.sentences = PossibleTotals(frame.sentences, risk)

    def add(self, wrong: float, missed: float) -> None:
        """The next sentence of the order was read."""
        unit = int(self.frame.order[len(self.read)])
        self.read.append((unit, wrong, missed))
        self.sentences.observe(unit, float(wrong + missed > 0), 0.0)
        if missed > self.labels.population.room[unit]:
            self._rise(unit, missed)
        else:
            self.labels.observe(unit, wrong, missed)

    def add_all(self, counts: ErrorCounts) -> None:
        """The counts of the next sentences of the order, in that order."""
        for wrong, missed in zip(counts.wrong.tolist(), counts.missed.tolist(), strict=True):
            self.add(wrong, missed)

    def _rise(self, unit: int, missed: float) -> None:
        """More is missing in a sentence than there was room for: all bets again, with more room."""
        while missed > self.labels.population.room[unit]:
            self.level *= 2
            self.labels = PossibleTotals(self.frame.population(self.level), self.risk, self.growth)
        for one, wrong, lacking in self.read:
            self.labels.observe(one, wrong, lacking)

    @property
    def most_missed(self) -> int:
        """How many missing spans there is room for in a sentence without any; 0 for plain tags."""
        return 0 if self.frame.is_plain else _ROOM * self.level

    def needed(self, error: float, figure: str) -> Needed:
        """About how many more sentences until this figure has at most so much error for sure."""
        if figure == "sentences":
            return draws_needed(self.sentences, precision, error)
        return draws_needed(self.labels, FIGURES.get(figure, precision), error)

    def bounds(self) -> dict[str, Bound]:
        """Figures of the unread rest: precision, recall and F1, which hold jointly, or of plain tags the
        accuracy; and the share of sentences without an error, which holds by itself."""
        figures = {"accuracy": precision} if self.frame.is_plain else FIGURES
        found = {name: bound_of(self.labels, figure) for name, figure in figures.items()}
        return found | {"sentences": bound_of(self.sentences, precision)}
