"""Mentions: one decision for every place where the same words are disputed, after a look at all of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from threading import Thread
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.disputes import Mention, mentions
from crowdseq.store.entries import Marks
from crowdseq.workflows.reviewing import editing, showing
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import ALL_OPEN, Acted, Desk
from crowdseq.workflows.reviewing.filtering import AUDITED, DECIDED, QueueFilter
from crowdseq.workflows.reviewing.views import QueuePage, QueueRow

_MOST_AT_ONCE = 20_000


@dataclass(frozen=True)
class MentionRow:
    """Words on which people differ. readings: how often people gave each label, None for nothing.

    disputes: how many there are; matching: how many of them fit the filter, with their expected gain.
    """

    mention: int
    surface: tuple[str, ...]
    readings: tuple[tuple[str | None, int], ...]
    disputes: int
    matching: int
    gain: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class MentionPage:
    """Some mentions, the greatest expected gain first, and how many there are in all."""

    rows: tuple[MentionRow, ...]
    offset: int
    total: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Previewed:
    """What a decision would do at one place. after: the marks there; changes: whether others than now.

    is_kept: decided by a person before, so that it is an exception unless asked for.
    """

    row: QueueRow
    begin: int
    end: int
    after: Marks
    changes: bool
    is_kept: bool


@dataclass(frozen=True)
class Preview:
    """What one decision would do everywhere. versions: of each sentence, to hand back when it is settled."""

    places: tuple[Previewed, ...]
    versions: Mapping[int, int]

    @property
    def n_changed(self) -> int:
        return sum(place.changes and not place.is_kept for place in self.places)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"n_changed": self.n_changed}


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """One decision on many disputes. label: None for nothing there. exceptions: disputes to leave alone.

    again: those to decide although a person decided them before. versions: as the preview gave them; a
    sentence that was changed since is a conflict, and nothing is logged. id: also the name of the batch.
    """

    id: str
    reviewer: str
    disputes: tuple[int, ...]
    label: str | None
    exceptions: frozenset[int] = frozenset()
    again: frozenset[int] = frozenset()
    versions: Mapping[int, int] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)


class MentionBoard:
    """The mentions of a run, made once; counts follow what reviewers decide."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def prepare(self) -> None:
        """Begin to make what the first page needs; asked for meanwhile, it is waited for."""
        Thread(target=self._made, name="mentions", daemon=True).start()

    def _made(self) -> None:
        _ = self._of_dispute, self._by_surface, self._desk.masks.pairs

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        return mentions(self._desk.corpus, self._desk.disputes)

    @cached_property
    def _of_dispute(self) -> IntArray:
        """(D,) the mention of each dispute."""
        found = np.zeros(len(self._desk.disputes), np.int64)
        for number, mention in enumerate(self.mentions):
            found[list(mention.disputes)] = number
        return found

    def page(self, wanted: QueueFilter = ALL_OPEN, offset: int = 0, limit: int = 50) -> MentionPage:
        """The mentions that have disputes which fit a filter, the greatest expected gain first."""
        desk = self._desk
        desk.sync()
        with desk.lock:
            matching = np.flatnonzero(desk.progress.mask(wanted))
        owners = self._of_dispute[matching]
        counts = np.bincount(owners, minlength=len(self.mentions))
        gains = np.bincount(owners, desk.disputes.gain[matching], minlength=len(self.mentions))
        shown = np.flatnonzero(counts)
        order = shown[np.argsort(-gains[shown], kind="stable")]
        some = order[max(0, offset) : max(0, offset) + limit].tolist()
        rows = tuple(self._row(one, int(counts[one]), float(gains[one])) for one in some)
        return MentionPage(rows, offset, len(order))

    def _row(self, number: int, matching: int, gain: float) -> MentionRow:
        found = self.mentions[number]
        return MentionRow(
            number, found.surface, tuple(found.readings.items()), len(found.disputes), matching, gain
        )

    def find(self, surface: Sequence[str]) -> int | None:
        """The number of a mention by its words."""
        return self._by_surface.get(tuple(surface))

    @cached_property
    def _by_surface(self) -> dict[tuple[str, ...], int]:
        return {mention.surface: number for number, mention in enumerate(self.mentions)}

    def mention(self, number: int) -> Mention:
        if not 0 <= number < len(self.mentions):
            raise AnnotationError(f"there is no mention number {number}, this run has {len(self.mentions):,}")
        return self.mentions[number]

    def contexts(
        self, number: int, wanted: QueueFilter = ALL_OPEN, offset: int = 0, limit: int = 50
    ) -> QueuePage:
        """The places of a mention that fit a filter."""
        desk = self._desk
        mine = np.array(self.mention(number).disputes)
        desk.sync()
        with desk.lock:
            fitting = mine[desk.progress.mask(wanted)[mine]]
            some = fitting[max(0, offset) : max(0, offset) + limit].tolist()
            return QueuePage(tuple(showing.row(desk, one) for one in some), offset, len(fitting))

    def preview(self, disputes: Iterable[int], label: str | None) -> Preview:
        """What a label, or None for nothing, would do at some disputes."""
        desk, asked = self._desk, tuple(disputes)
        desk.sync()
        wanted = self._wanted(asked, label)
        places = []
        for dispute in asked:
            row = showing.row(desk, dispute)
            begin, end, marks = wanted[dispute]
            after = editing.inside(marks, row.begin, row.end)
            places.append(
                Previewed(row, begin, end, after, after != row.now, row.state in (DECIDED, AUDITED))
            )
        return Preview(tuple(places), {place.row.sentence: place.row.version for place in places})

    def settle(self, asked: Settlement) -> Acted:
        """Decide all of them at once, but for exceptions; one undo takes all of it back."""
        desk = self._desk
        desk.sync()
        chosen = [one for one in asked.disputes if one not in asked.exceptions]
        chosen = [
            one
            for one in chosen
            if one in asked.again or desk.dispute_state(self._known(one)) not in (DECIDED, AUDITED)
        ]
        if not chosen:
            raise AnnotationError("no dispute is left to settle, all of them are exceptions or decided")
        wanted = self._wanted(chosen, asked.label)
        shown = {"page": "mentions", "label": asked.label, "exceptions": sorted(asked.exceptions)}
        decisions = []
        for dispute in chosen:
            sentence = int(desk.disputes.columns.sentences[dispute])
            act = Act(
                id=f"{asked.id}:{dispute}",
                reviewer=asked.reviewer,
                kind="marks",
                dispute=dispute,
                base=asked.versions.get(sentence),
                batch=asked.id,
                shown=shown | dict(asked.shown),
            )
            decisions.append(desk.decision(act, sentence, wanted[dispute]))
        return desk.submit(decisions)

    def _known(self, dispute: int) -> int:
        self._desk.check_dispute(dispute)
        return dispute

    def _wanted(self, disputes: Sequence[int], label: str | None) -> dict[int, editing.Edit]:
        """What a label makes of each dispute: a reading of it that has this label only, else the one that is
        most common among all of them, else all of its tokens."""
        desk = self._desk
        if len(disputes) > _MOST_AT_ONCE:
            raise AnnotationError(f"{len(disputes):,} disputes are too many for one decision, filter them")
        if label is not None and label not in desk.labels:
            raise AnnotationError(f"label '{label:.60}' is not one of {', '.join(desk.labels)}")
        found = {dispute: desk.disputes[self._known(dispute)] for dispute in disputes}
        readings = {
            dispute: [_relative(one.marks, place.begin) for one in place.readings if _all(one.marks, label)]
            for dispute, place in found.items()
        }
        common = [shape for shape, _ in Counter(r for some in readings.values() for r in some).most_common()]
        made = {}
        for dispute, place in found.items():
            size = place.end - place.begin
            fitting = [*readings[dispute], *(one for one in common if not one or one[-1][1] <= size)]
            whole: Marks = () if label is None else ((0, size, label),)
            shape = fitting[0] if fitting and label is not None else whole
            marks = tuple((place.begin + a, place.begin + b, name) for a, b, name in shape)
            made[dispute] = editing.laid_into(
                desk.marks(place.sentence),
                editing.Edit(place.begin, place.end, marks),
                is_plain=desk.corpus.scheme.is_plain,
            )
        return made


def _all(marks: Sequence[Any], label: str | None) -> bool:
    return bool(marks) and all(mark.label == label for mark in marks)


def _relative(marks: Sequence[Any], begin: int) -> Marks:
    return tuple((mark.begin - begin, mark.end - begin, mark.label) for mark in marks)
