"""What a page shows of a dispute: plain values, ready for a template or for JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from crowdseq.store.entries import Entry, Marks

AGREES, DIFFERS, UNSEEN = "agrees", "differs", "did not see"
_CONTEXT = 12  # tokens on each side in a list


@dataclass(frozen=True)
class Lane:
    """What one annotator says of the sentence; mark: of the place, against what holds there now."""

    annotator: str
    skill: float | None
    verdict: str | None
    mark: str
    marks: Marks


@dataclass(frozen=True)
class Alternative:
    """One reading of the place with its probability and who reads it so."""

    marks: Marks
    probability: float
    annotators: tuple[str, ...]
    is_settled: bool


@dataclass(frozen=True)
class Comment:
    """What somebody wrote on the sentence; kind: `comment` or `gap`, a gap of the guideline."""

    id: str
    kind: str
    reviewer: str
    time: str
    text: str
    begin: int
    end: int

    @classmethod
    def of(cls, entry: Entry) -> "Comment":
        return cls(entry.id, entry.action, entry.reviewer, entry.time, entry.comment, entry.begin, entry.end)


@dataclass(frozen=True)
class DisputeView:
    """One dispute with all that a reviewer needs to settle it.

    dispute: its number. marks: those of the whole sentence as they hold now; settled: what the consensus says
    of the place. others: the disputes of the sentence as (number, begin, end, state). version: what to base a
    decision on. extras: what came with the sentence. Shown blind there are no marks, alternatives and lanes.
    """

    dispute: int
    sentence: int
    id: str
    doc: str | None
    tokens: tuple[str, ...]
    begin: int
    end: int
    kinds: tuple[str, ...]
    confidence: float
    gain: float
    state: str
    version: int
    marks: Marks
    settled: Marks
    alternatives: tuple[Alternative, ...]
    lanes: tuple[Lane, ...]
    comments: tuple[Comment, ...]
    others: tuple[tuple[int, int, int, str], ...]
    extras: Mapping[str, Any]
    is_blind: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class QueueRow:
    """A dispute in a list: the words around it, what the consensus says, how sure, and its state.

    first: the number of the first token that is shown in its sentence.
    """

    dispute: int
    sentence: int
    id: str
    doc: str | None
    first: int
    tokens: tuple[str, ...]
    begin: int
    end: int
    settled: Marks
    now: Marks
    kinds: tuple[str, ...]
    confidence: float
    gain: float
    state: str
    version: int
    commented: bool

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class QueuePage:
    """Some rows of the queue, and how many it has in all."""

    rows: tuple[QueueRow, ...]
    offset: int
    total: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Left:
    """What is left to do, so that nobody ends in an empty list.

    matching: disputes that fit the filter. open: those that are open in all. without: how many there would be
    without each single wish of the filter.
    """

    matching: int
    open: int
    without: Mapping[str, int]

    def in_words(self) -> str:
        """One sentence on where to go on."""
        if self.matching:
            return f"{self.matching:,} of {self.open:,} open disputes fit the filter"
        if not self.open:
            return "every dispute is settled"
        more = {name: count for name, count in self.without.items() if count}
        if more:
            name, count = max(more.items(), key=lambda item: item[1])
            return f"nothing fits; without '{name}' {count:,} would, {self.open:,} disputes are open in all"
        return f"nothing fits, {self.open:,} disputes are open in all"


def context(begin: int, end: int, length: int) -> tuple[int, int]:
    """The tokens to show around a place."""
    return max(0, begin - _CONTEXT), min(length, end + _CONTEXT)
