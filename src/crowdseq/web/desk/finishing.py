"""Finishing: sentences read blind, a bound on the rest, and what is safe accepted without being read."""

import time
from threading import RLock
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.errors import UsageError
from crowdseq.reports.audits import needed_line
from crowdseq.reports.tables import percent
from crowdseq.store.entries import Marks
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.texts import is_right_to_left
from crowdseq.workflows.auditing.audit import Audit, AuditBounds
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import Acted
from crowdseq.workflows.reviewing.progress import FINISH
from crowdseq.workflows.runs import AUDIT_FRAME

_HELD_SECONDS = 900.0  # for so long a sentence is kept for the one who got it
_MOST_ACCEPTED = 20_000
_TELLING = 0.01  # a figure that may as well be nothing is no news


class AuditDesk:
    """The audit of a run under review: one sentence for each reviewer at a time, in the order drawn."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk
        self._audit: Audit | None = None
        self._held: dict[int, tuple[str, float]] = {}
        self._lock = RLock()

    @property
    def is_begun(self) -> bool:
        return self._audit is not None or (self._desk.folder / AUDIT_FRAME).exists()

    def begin(self) -> Audit:
        """The audit, whose frame is fixed when it is first begun."""
        with self._lock:
            if self._audit is None:
                self._audit = Audit(self._desk.folder, self._desk.consensus, self._desk.store)
            return self._audit

    def status(self, error: float) -> dict[str, Any]:
        """The bound by all answers up to now, and what is needed for another."""
        with self._lock:
            audit = self.begin()
            bounds = audit.bounds()
            return {
                "audited": bounds.n_audited,
                "unread": bounds.n_unread,
                "waiting": bounds.n_waiting,
                "figures": {name: one.as_dict() for name, one in bounds.figures().items()},
                "main": bounds.main,
                "words": _in_words(bounds) if bounds.n_audited else "",
                "needed": needed_line(bounds.needed(error), error, bounds.main),
                "notes": audit.notes,
            }

    def next_sentence(self, reviewer: str) -> dict[str, Any] | None:
        """The next sentence to read, without anything that suggests an answer; None if all are read."""
        with self._lock:
            now = time.monotonic()
            self._held = {one: held for one, held in self._held.items() if now - held[1] < _HELD_SECONDS}
            others = {one for one, (who, _) in self._held.items() if who != reviewer}
            free = [one for one in self.begin().next_sentences(len(others) + 1) if one not in others]
            if not free:
                return None
            self._held[free[0]] = (reviewer, now)
        text = self._desk.corpus.text.sentence(free[0])
        return {
            "number": free[0],
            "id": text.id,
            "doc": text.doc,
            "tokens": text.tokens,
            "rtl": is_right_to_left(text.tokens),
        }

    def answer(self, sentence: int, marks: Marks, *, id: str, reviewer: str) -> None:
        """All marks of a sentence, as somebody who read it sees them."""
        with self._lock:
            self.begin().answer(sentence, marks, reviewer, id=id)
            self._held.pop(sentence, None)
        self._desk.sync()


def _in_words(bounds: AuditBounds) -> str:
    found = bounds.figures()[bounds.main]
    if found.low < _TELLING:
        return "Too few sentences are read to say anything yet; read on."
    name = "F1" if bounds.main == "f1" else bounds.main
    most, guess = (percent(1.0 - share, 1) for share in (found.low, found.estimate))
    return (
        f"Of the {bounds.n_unread:,} sentences that nobody read, at most {most} is wrong (1 - {name}), "
        f"95 % sure; the best guess is {guess}."
    )


def safe_disputes(desk: ReviewDesk, least: float) -> IntArray:
    """(n,) open disputes whose suggestion is at least so sure."""
    desk.sync()
    return np.flatnonzero(desk.is_undecided() & (desk.disputes.confidence >= least))


def accept_rest(desk: ReviewDesk, least: float, *, id: str, reviewer: str) -> Acted:
    """Accept the suggestion of all open disputes that are so sure, unread; one undo takes all of it back."""
    chosen = safe_disputes(desk, least).tolist()
    if not chosen:
        raise UsageError("no open dispute is so sure")
    if len(chosen) > _MOST_ACCEPTED:
        raise UsageError(f"{len(chosen):,} are too many at once, choose a higher confidence")
    acts = [
        Act(
            id=f"{id}:{number}",
            reviewer=reviewer,
            kind="accept",
            dispute=number,
            batch=id,
            shown={"page": FINISH, "least": least},
        )
        for number in chosen
    ]
    return desk.act(*acts)
