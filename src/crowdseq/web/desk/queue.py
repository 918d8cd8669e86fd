"""The queue: disputes that fit some wishes, in the order in which looking at them pays most."""

from dataclasses import dataclass, field, replace

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.workflows.reviewing.filtering import ANY, OPEN, STATES, QueueFilter

NOTHING = "–"  # in a pair of labels: no label
_CHOOSABLE = (*STATES, ANY)


@dataclass(frozen=True)
class Wishes:
    """Which disputes to see, and in which order: by `gain`, or as in the `text`."""

    filter: QueueFilter = field(default_factory=QueueFilter)
    order: str = "gain"


def wishes_of(asked: dict[str, str]) -> Wishes:
    """Wishes as they are told in an address; what cannot be understood is no wish."""
    first, second = asked.get("first", ""), asked.get("second", "")
    below, state, kind = asked.get("below", ""), asked.get("state", OPEN), asked.get("kind", "")
    wanted = QueueFilter(
        state=state if state in _CHOOSABLE else OPEN,
        label=asked.get("label") or None,
        annotator=asked.get("annotator") or None,
        pair=(first, None if second == NOTHING else second) if first and second else None,
        kind=kind if kind in ("boundary", "type", "missed") else None,
        most=min(int(below), 100) / 100 if below.isascii() and below.isdigit() else 1.0,
        commented=asked.get("comment") == "1",
        search=asked.get("words", "")[:300].strip(),
    )
    return Wishes(wanted, "text" if asked.get("order") == "text" else "gain")


@dataclass(frozen=True)
class Piece:
    """A part of the queue: disputes in order, and how many fit in all."""

    numbers: tuple[int, ...]
    fitting: int


class Queue:
    """The disputes of a desk by wishes. A dispute keeps its place, whatever is decided meanwhile."""

    def __init__(self, desk: ReviewDesk) -> None:
        self.desk = desk

    def fitting(self, wishes: Wishes) -> IntArray:
        """All disputes that fit, in order. What was skipped comes only when it is asked for."""
        desk, wanted = self.desk, wishes.filter
        desk.sync()
        with desk.lock:
            fits = desk.progress.mask(replace(wanted, state=ANY, search=""))
            if wanted.search:
                fits = fits & self._found(wanted)
            if wanted.state != ANY:
                fits = fits & (desk.progress.states == STATES.index(wanted.state))
        if wishes.order == "text":
            return np.flatnonzero(fits)
        return desk.order[fits[desk.order]]

    def _found(self, wanted: QueueFilter) -> BoolArray:
        """(D,) words in the sentence, or a part of its id or of the name of its document."""
        text, search = self.desk.corpus.text, wanted.search.casefold()
        documents = np.array([search in (one or "").casefold() for one in text.documents], np.bool_)
        named = np.array([search in one.casefold() for one in text.ids], np.bool_)
        named |= documents[text.document_of]
        words = self.desk.masks.mask(QueueFilter(search=wanted.search))
        return words | named[self.desk.disputes.columns.sentences]

    def after(self, wishes: Wishes, dispute: int | None, count: int) -> Piece:
        """The next ones after a dispute, which itself need not fit any more; from the first if it is None."""
        found = self.fitting(wishes)
        start = 0 if dispute is None else self._place(found, wishes, dispute, after=True)
        return Piece(tuple(found[start : start + count].tolist()), len(found))

    def before(self, wishes: Wishes, dispute: int, count: int) -> Piece:
        """The ones just before a dispute."""
        found = self.fitting(wishes)
        end = self._place(found, wishes, dispute, after=False)
        return Piece(tuple(found[max(end - count, 0) : end].tolist()), len(found))

    def _place(self, found: IntArray, wishes: Wishes, dispute: int, *, after: bool) -> int:
        """Where a dispute stands among others, or would stand."""
        self.desk.check_dispute(dispute)
        ranks = np.arange(len(self.desk.disputes)) if wishes.order == "text" else self.desk.ranks
        place = np.searchsorted(ranks[found], ranks[dispute], side="right" if after else "left")
        return int(place)
