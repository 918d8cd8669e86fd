"""What an audit says, for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from crowdseq.evaluation.auditing.figures import Bound, Needed
from crowdseq.reports.tables import Table, count

_NAMES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "accuracy": "accuracy",
    "sentences": "sentences without an error",
}


def bounds_table(bounds: Mapping[str, Bound], n_audited: int, n_unread: int) -> Table:
    """The figures of the unread rest, with the ends of their intervals."""
    rows = tuple(
        (_NAMES[name], _told(one.low), _told(one.estimate), _told(one.high)) for name, one in bounds.items()
    )
    title = f"The {count(n_unread, 'sentence')} that nobody read, by {n_audited:,} that somebody did"
    return Table(("figure", "at least", "estimate", "at most"), rows, title)


def needed_line(needed: Needed, error: float, figure: str) -> str:
    """What it takes to be sure of a figure."""
    name = _NAMES[figure]
    if needed.more is None:
        return f"{name} of {1 - error:.2f} is out of reach as it stands: {needed.reason}"
    if needed.more == 0:
        return f"{name} of {1 - error:.2f} or more is sure"
    how_many = f"{needed.more:,} more, {needed.reason}" if needed.reason else f"about {needed.more:,} more"
    return f"to be sure of {name} {1 - error:.2f}, audit {how_many}"


class Judged(Protocol):
    """What a row of the table of labellers is made from."""

    @property
    def name(self) -> str: ...
    @property
    def sentences(self) -> int: ...
    @property
    def f1(self) -> Bound: ...


def labellers_table(labellers: Sequence[Judged]) -> Table:
    """F1 of the tagger and of annotators by what was audited."""
    rows = tuple(
        (one.name, one.sentences, _told(one.f1.low), _told(one.f1.estimate), _told(one.f1.high))
        for one in labellers
    )
    return Table(("who", "audited", "F1 at least", "estimate", "at most"), rows, "Who labels how well")


def counts_table(counts: Mapping[str, Bound]) -> Table:
    """How often each label truly occurs in the frame."""
    rows = tuple(
        (name, *(f"{round(value):,}" for value in (one.low, one.estimate, one.high)))
        for name, one in counts.items()
    )
    return Table(("label", "at least", "estimate", "at most"), rows, "How often each label truly occurs")


def _told(value: float) -> str:
    return f"{value:.3f}"
