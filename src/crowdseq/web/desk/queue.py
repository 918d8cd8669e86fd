"""The queue: disputes that fit some wishes, in the order in which looking at them pays most."""

from dataclasses import dataclass, field, replace

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.workflows.reviewing.filtering import ANY, OPEN, STATES, QueueFilter

NOTHING = "–"  # in a pair of labels: no label
_CHOOSABLE = (*STATES, ANY)
_NEAR = 4_096  # places of the order that are looked at first


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
        return self._numbers(wishes, np.flatnonzero(self._in_order(wishes)))

    def _in_order(self, wishes: Wishes) -> BoolArray:
        """(D,) which disputes fit, in the order in which they come."""
        desk, wanted = self.desk, wishes.filter
        desk.sync()
        with desk.lock:
            fits = desk.progress.mask(replace(wanted, state=ANY, search=""))
            if wanted.search:
                fits = fits & self._found(wanted)
            if wanted.state != ANY:
                fits = fits & (desk.progress.states == STATES.index(wanted.state))
        return fits if wishes.order == "text" else fits[desk.order]

    def _numbers(self, wishes: Wishes, places: IntArray) -> IntArray:
        """The disputes at some places of the order."""
        return places if wishes.order == "text" else self.desk.order[places]

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
        fits = self._in_order(wishes)
        start = 0 if dispute is None else self._place(wishes, dispute) + 1
        # Mostly those that fit stand close by: far less than all of them has to be looked at.
        near = fits[start : start + _NEAR] if count < _NEAR else fits[start:]
        some = np.flatnonzero(near)[:count]
        if len(some) < count:
            some = np.flatnonzero(fits[start:])[:count]
        return self._piece(wishes, start + some, fits)

    def before(self, wishes: Wishes, dispute: int, count: int) -> Piece:
        """The ones just before a dispute."""
        fits = self._in_order(wishes)
        some = np.flatnonzero(fits[: self._place(wishes, dispute)])
        return self._piece(wishes, some[max(len(some) - count, 0) :], fits)

    def _piece(self, wishes: Wishes, places: IntArray, fits: BoolArray) -> Piece:
        return Piece(tuple(self._numbers(wishes, places).tolist()), int(np.count_nonzero(fits)))

    def _place(self, wishes: Wishes, dispute: int) -> int:
        """Where a dispute stands in the order."""
        self.desk.check_dispute(dispute)
        return dispute if wishes.order == "text" else int(self.desk.ranks[dispute])
