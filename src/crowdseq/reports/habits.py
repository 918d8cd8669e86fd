"""Habits: the typical errors of an annotator in plain words, measured against the consensus."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.reports.outcomes import NONE, Outcome, SpanOutcomes

# Fewer cases or errors are chance; a smaller share is not typical.
_LEAST_CASES = 10
_LEAST_ERRORS = 3
_LEAST_SHARE = 0.1
_CLEAR_RISE = 0.15  # of the error rate from new to repeated mentions
_SHOWN = 5
_BOUND_ERRORS = {
    Outcome.TOO_SHORT: "cuts spans short",
    Outcome.TOO_LONG: "makes spans too long",
    Outcome.SHIFTED: "shifts the bounds of spans",
    Outcome.SPLIT: "splits spans into pieces",
}


class Name(str):
    """A label, told apart from our own words, so that a page can set it apart too."""

    __slots__ = ()


@dataclass(frozen=True)
class Habit:
    """Something that an annotator does in `errors` of `cases` cases; parts are words and Names."""

    parts: tuple[str, ...]
    errors: int
    cases: int

    @property
    def words(self) -> str:
        return "".join(self.parts)

    @property
    def share(self) -> float:
        return self.errors / self.cases


def find_habits(corpus: Corpus, outcomes: SpanOutcomes) -> list[tuple[Habit, ...]]:
    """For every annotator, in the order of the corpus, what they typically get wrong, most weighty first."""
    size = len(corpus.annotators)
    spans = _split(outcomes.annotators, size)
    given = _split(outcomes.given_annotators, size)
    return [
        _Judge(corpus.scheme, outcomes, mine, theirs).habits()
        for mine, theirs in zip(spans, given, strict=True)
    ]


def _split(annotators: IntArray, size: int) -> list[IntArray]:
    """The indices of each annotator."""
    order = np.argsort(annotators, kind="stable")
    bounds = np.searchsorted(annotators[order], np.arange(1, size))
    return np.split(order, bounds) if size else []


@dataclass(frozen=True, eq=False)
class _Judge:
    """One annotator's part of the outcomes."""

    scheme: LabelScheme
    all: SpanOutcomes
    spans: IntArray
    given: IntArray

    def habits(self) -> tuple[Habit, ...]:
        habits = [*self._left_out(), *self._other_types(), *self._bounds(), *self._invented()]
        ranked = sorted(habits, key=lambda habit: -habit.errors)[:_SHOWN]
        return (*ranked, *self._repeated())

    @property
    def _outcomes(self) -> IntArray:
        return self.all.outcomes[self.spans]

    @property
    def _types(self) -> IntArray:
        return self.all.types[self.spans]

    def _left_out(self) -> list[Habit]:
        missed = self._outcomes == Outcome.LEFT_OUT
        size = len(self.scheme.types)
        cases = np.bincount(self._types, minlength=size).tolist()
        errors = np.bincount(self._types[missed], minlength=size).tolist()
        told = [k for k in range(size) if _is_typical(errors[k], cases[k])]
        if len(told) > 1 and len(told) == sum(number >= _LEAST_CASES for number in cases):
            return [_habit(int(missed.sum()), len(missed), " leaves out spans of every type")]
        told.sort(key=lambda k: -errors[k] / cases[k])
        return _merge([_habit(errors[k], cases[k], " leaves out ", Name(self.scheme.types[k])) for k in told])

    def _other_types(self) -> list[Habit]:
        cases = np.bincount(self._types, minlength=len(self.scheme.types))
        wrong = self._outcomes == Outcome.OTHER_TYPE
        pairs = zip(self._types[wrong].tolist(), self.all.given[self.spans][wrong].tolist(), strict=True)
        names = self.scheme.types
        return [
            _habit(
                errors,
                int(cases[truth]),
                " gives ",
                Name(names[instead]),
                " where the consensus says ",
                Name(names[truth]),
            )
            for (truth, instead), errors in Counter(pairs).items()
            if _is_typical(errors, int(cases[truth]))
        ]

    def _bounds(self) -> list[Habit]:
        counts = np.bincount(self._outcomes, minlength=len(Outcome))
        n_found = int(counts.sum() - counts[Outcome.LEFT_OUT] - counts[Outcome.OTHER_TYPE])
        return [
            _habit(int(counts[kind]), n_found, f" {words}", of=" found")
            for kind, words in _BOUND_ERRORS.items()
            if _is_typical(int(counts[kind]), n_found)
        ]

    def _invented(self) -> list[Habit]:
        invented = self.all.invented[self.given]
        errors = int(invented.sum())
        if not _is_typical(errors, len(invented)):
            return []
        [(kind, times)] = Counter(self.all.given_types[self.given][invented].tolist()).most_common(1)
        told = len(self.scheme.types) > 1 and times > errors / 2
        mostly = (", most as ", Name(self.scheme.types[kind])) if told else ()
        return [
            _habit(
                errors,
                len(invented),
                " marks something where the consensus has nothing",
                *mostly,
                of=" given",
            )
        ]

    def _repeated(self) -> list[Habit]:
        """Whether what comes back fares worse than it should by the new mentions of its types."""
        again = self.all.earlier[self.spans] != NONE
        if min(again.sum(), (~again).sum()) < _LEAST_CASES:
            return []
        missed = self._outcomes == Outcome.LEFT_OUT
        wrong = missed | (self._outcomes == Outcome.OTHER_TYPE)
        for errors, words in ((missed, " skips repeated mentions"), (wrong, " gets repeated mentions wrong")):
            expected = self._expected(errors, again)
            rise = float(errors[again].mean()) - expected
            if rise >= max(_CLEAR_RISE, 2 * _error_of_difference(errors, again)):
                as_new = f"; on new ones it would be {_percent(expected)}"
                return [_habit(int(errors[again].sum()), int(again.sum()), words, than=as_new)]
        return []

    def _expected(self, errors: BoolArray, again: BoolArray) -> float:
        """The error rate of repeated mentions if each had that of the new mentions of its type."""
        size = len(self.scheme.types)
        usual = float(errors[~again].mean())
        cases = np.bincount(self._types[~again], minlength=size)
        counts = np.bincount(self._types[~again], errors[~again], minlength=size)
        return float(((counts + usual) / (cases + 1))[self._types[again]].mean())


def repeated_errors(outcomes: SpanOutcomes) -> tuple[int, int]:
    """In how many mentions of words that the annotator had got wrong before, and of how many, the error is
    the same again."""
    again = np.flatnonzero(outcomes.earlier != NONE)
    before = outcomes.earlier[again]
    was_wrong = np.isin(outcomes.outcomes[before], (Outcome.LEFT_OUT, Outcome.OTHER_TYPE))
    same = was_wrong & (outcomes.types[before] == outcomes.types[again])
    for column in (outcomes.outcomes, outcomes.given):
        same &= column[before] == column[again]
    return int(same.sum()), int(was_wrong.sum())


def _error_of_difference(wrong: BoolArray, again: BoolArray) -> float:
    """Standard error of the difference of two error rates, one case lent to each so that none is certain."""
    total = 0.0
    for part in (wrong[again], wrong[~again]):
        rate = (float(part.sum()) + 0.5) / (len(part) + 1)
        total += rate * (1 - rate) / len(part)
    return float(np.sqrt(total))


def _merge(habits: list[Habit]) -> list[Habit]:
    """Habits that differ in the label only, told in one sentence."""
    if len(habits) < 2:
        return habits
    parts = list(habits[0].parts)
    for habit in habits[1:]:
        parts += [" and " if habit is habits[-1] else ", ", *habit.parts[2:]]
    return [Habit(tuple(parts), sum(h.errors for h in habits), sum(h.cases for h in habits))]


def _is_typical(errors: int, cases: int) -> bool:
    return cases >= _LEAST_CASES and errors >= _LEAST_ERRORS and errors >= _LEAST_SHARE * cases


def _habit(errors: int, cases: int, *parts: str, of: str = "", than: str = "") -> Habit:
    share = errors / cases
    figures = f" ({_percent(share)} of {cases:,}{of}{than})"
    return Habit((_adverb(share), *parts, figures), errors, cases)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _adverb(share: float) -> str:
    steps = ((0.9, "nearly always"), (0.5, "mostly"), (0.25, "often"))
    return next((word for least, word in steps if share >= least), "sometimes")
