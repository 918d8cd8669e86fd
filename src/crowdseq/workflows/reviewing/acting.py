"""Act: what a reviewer asks for, and the decision that it becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crowdseq.errors import AnnotationError
from crowdseq.store.entries import AUDIT, COMMENT, DECIDE, GAP, SKIP, Marks
from crowdseq.workflows.reviewing import editing
from crowdseq.workflows.reviewing.editing import Edit

# Name of an act to the action that is logged for it.
ACTS = {
    "accept": DECIDE,  # what the consensus says
    "take": DECIDE,  # what an annotator says
    "label": DECIDE,
    "nothing": DECIDE,
    "marks": DECIDE,  # just these marks
    "move": DECIDE,  # begin or end of a mark
    "split": DECIDE,
    "merge": DECIDE,
    "audit": AUDIT,  # just these marks, of a sentence that was drawn for an audit
    "skip": SKIP,
    "comment": COMMENT,
    "gap": GAP,  # the guideline says nothing of this
}


@dataclass(frozen=True, kw_only=True)
class Act:
    """One act on a dispute, or on any range of a sentence. id, base, shown, batch: as in `NewDecision`.

    label: for `label`. annotator: for `take`; whole: the entire sentence instead of the place. marks: for
    `marks` and `audit`. at, side, step, token: which mark of the place (0 is the first), its `begin` or
    `end`, by how many tokens, and where to split. comment: for `comment` and `gap`, and beside a decision.
    """

    id: str
    reviewer: str
    kind: str
    dispute: int | None = None
    sentence: int | None = None
    begin: int = 0
    end: int = 0
    base: int | None = None
    label: str = ""
    annotator: str = ""
    whole: bool = False
    marks: Marks = ()
    at: int = 0
    side: str = "begin"
    step: int = 0
    token: int = -1
    comment: str = ""
    shown: Mapping[str, Any] = field(default_factory=dict)
    batch: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ACTS:
            raise AnnotationError(f"there is no act '{self.kind!s:.40}', choose one of {', '.join(ACTS)}")
        if (self.dispute is None) == (self.sentence is None):
            raise AnnotationError("an act is on a dispute or on a range of a sentence")

    @property
    def action(self) -> str:
        return ACTS[self.kind]


@dataclass(frozen=True)
class Place:
    """Where an act is: a range of a sentence with all that is said of it.

    now: the marks of the whole sentence as they hold. settled: those of the consensus. lanes: those of every
    annotator who saw it, by name.
    """

    begin: int
    end: int
    length: int
    now: Marks
    settled: Marks
    lanes: Mapping[str, Marks]
    labels: tuple[str, ...]
    is_plain: bool

    def edit(self, act: Act) -> Edit:
        """What the act makes of the place."""
        if act.action not in (DECIDE, AUDIT):
            return Edit(self.begin, self.end, ())
        wanted = self._wanted(act)
        for _, _, label in wanted.marks:
            if label not in self.labels:
                raise AnnotationError(f"label '{label:.60}' is not one of {', '.join(self.labels)}")
        return editing.laid_into(self.now, wanted, is_plain=self.is_plain)

    def _wanted(self, act: Act) -> Edit:
        begin, end = self.begin, self.end
        here = editing.inside(self.now, begin, end)
        if act.kind == "accept":
            return Edit(begin, end, editing.inside(self.settled, begin, end))
        if act.kind == "take":
            return self._taken(act)
        made: Marks = ()
        if act.kind == "label":
            made = editing.with_label(here, act.label, begin, end)
        elif act.kind in ("marks", "audit"):
            made = act.marks
        elif act.kind == "move":
            made = editing.moved(here, act.at, act.side, act.step, self.length)
        elif act.kind == "split":
            made = editing.split(here, act.at, act.token)
        elif act.kind == "merge":
            first = self.now.index(here[act.at]) if 0 <= act.at < len(here) else -1
            made = editing.merged(self.now[first : first + 2] if first >= 0 else (), 0)
        if any(first < 0 or last > self.length for first, last, _ in made):
            raise AnnotationError(f"a mark lies outside of the sentence, which has {self.length} tokens")
        return Edit(begin, end, made)

    def _taken(self, act: Act) -> Edit:
        if act.annotator not in self.lanes:
            raise AnnotationError(f"annotator '{act.annotator:.60}' did not label this sentence")
        lane = self.lanes[act.annotator]
        if act.whole:
            return Edit(0, self.length, lane)
        return Edit(self.begin, self.end, editing.inside(lane, self.begin, self.end))
