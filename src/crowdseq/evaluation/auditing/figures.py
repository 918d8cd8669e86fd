"""From totals of wrong and missed labels to precision, recall and F1, each with an interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.evaluation.auditing.totals import PossibleTotals

# Given, wrong and missed labels to a figure between 0 and 1, higher the fewer are wrong or missed.
Figure = Callable[[float, FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Bound:
    """An interval that holds at any time, and the estimate in it."""

    low: float
    high: float
    estimate: float

    def as_dict(self) -> dict[str, float]:
        return {"low": self.low, "high": self.high, "estimate": self.estimate}


def precision(given: float, wrong: FloatArray, missed: FloatArray) -> FloatArray:  # noqa: ARG001
    """The share of given labels that are right."""
    return _share(given - wrong, np.full_like(wrong, given))


def recall(given: float, wrong: FloatArray, missed: FloatArray) -> FloatArray:
    """The share of true labels that were given."""
    return _share(given - wrong, given - wrong + missed)


def f1(given: float, wrong: FloatArray, missed: FloatArray) -> FloatArray:
    """The harmonic mean of both."""
    return _share(2.0 * (given - wrong), 2.0 * given - wrong + missed)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Nothing of nothing is faultless."""
    return np.where(whole > 0.0, part / np.where(whole > 0.0, whole, 1.0), 1.0)


FIGURES: dict[str, Figure] = {"precision": precision, "recall": recall, "f1": f1}


def bound_of(totals: PossibleTotals, figure: Figure, *, of_all: bool = False) -> Bound:
    """The interval of a figure over the units not drawn; with others of the same totals it holds jointly.

    of_all: over those drawn too, as they were labelled before anybody read them.
    """
    wrong_low, wrong_high, missed_low, missed_high = totals.ranges(of_all=of_all)
    given = totals.given_left + (totals.given_seen if of_all else 0.0)
    wrong, missed = (np.array([one]) for one in totals.estimates(of_all=of_all))
    estimate = float(figure(given, wrong, missed)[0])
    if not len(wrong_low):  # all was refuted, the truth with it, which is bound to happen now and then
        return Bound(0.0, 1.0, estimate)
    low = float(figure(given, wrong_high, missed_high).min())
    high = float(figure(given, wrong_low, missed_low).max())
    return Bound(low, high, min(max(estimate, low), high))


def count_of(totals: PossibleTotals) -> Bound:
    """How many labels there truly are in all units: those given, less the wrong, with the missed."""
    wrong_low, wrong_high, missed_low, missed_high = totals.ranges(of_all=True)
    given = totals.given_left + totals.given_seen
    wrong, missed = totals.estimates(of_all=True)
    estimate = given - wrong + missed
    low = float((given - wrong_high + missed_low).min(initial=np.inf))
    high = float((given - wrong_low + missed_high).max(initial=-np.inf))
    if low > high:
        return Bound(estimate, estimate, estimate)
    return Bound(low, high, min(max(estimate, low), high))


@dataclass(frozen=True)
class Needed:
    """How many more sentences to read for a bound; None if it is not to be had, and why."""

    more: int | None
    reason: str = ""


_MEDIAN = 0.85  # half of the games are won before the mean time


def draws_needed(totals: PossibleTotals, figure: Figure, error: float) -> Needed:
    """About how many more draws until at most this share is wrong for sure, in the units not drawn."""
    bound, left = bound_of(totals, figure), len(totals.population.given) - totals.draws
    if 1.0 - bound.low <= error:
        return Needed(0)
    if 1.0 - bound.high > error:
        return Needed(None, f"at least {1.0 - bound.high:.1%} are wrong, mend more first")
    if 1.0 - bound.estimate >= error:
        return Needed(None, f"about {1.0 - bound.estimate:.1%} seem to be wrong, mend more first")
    given = totals.given_left
    more = _MEDIAN * totals.draws_needed(lambda wrong, missed: 1.0 - figure(given, wrong, missed) > error)
    if more >= left:
        return Needed(left, "all that is left")
    return Needed(max(1, math.ceil(more)))
