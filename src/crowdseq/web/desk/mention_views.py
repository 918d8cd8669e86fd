"""Mentions: screens of places with the same words or the same question, to be settled together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray
from crowdseq.errors import UsageError
from crowdseq.evaluation.disputes import Dispute, Mention
from crowdseq.evaluation.disputes.gathering import MOST_TOGETHER, Gathered, gather
from crowdseq.store.entries import Marks
from crowdseq.web.desk.desk import UNDECIDED, ReviewDesk
from crowdseq.web.desk.elsewhere import Spot
from crowdseq.web.desk.queue import Wishes
from crowdseq.web.texts import is_right_to_left
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import Acted
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.filtering import ANY
from crowdseq.workflows.reviewing.showing import plain

_AROUND = 9  # tokens of context on each side
MOST_PLACES = 200
_MOST_GATHERED = 5_000  # disputes that fit some wishes and are put on screens at a time
_MOST_WORDS = 8


def screen_rows(
    desk: ReviewDesk,
    wishes: Wishes,
    start: int,
    count: int,
    *,
    mention: int | None = None,
    wide: bool = False,
) -> tuple[list[dict[str, Any]], int]:
    """A row for each screen, the greatest gain first, and how many there are in all.

    Places that are decided are left out unless all states are asked for. mention: only the places of this
    one. wide: as many places on a screen as can be shown.
    """
    desk.sync()
    shown = np.ones(len(desk.disputes), np.bool_) if wishes.filter.state == ANY else desk.is_undecided()
    if mention is None and not wide and not _has_wishes(wishes):
        screens, owners = desk.screens, desk.screen_owners
        left = np.bincount(owners[shown], minlength=len(screens))
        some = np.flatnonzero(left)
        chosen: Sequence[Gathered] = [screens[number] for number in some[start : start + count].tolist()]
        return [_row(desk, one, shown) for one in chosen], len(some)
    found = _fitting(desk, wishes, shown, mention)
    made = gather(desk.disputes, found, MOST_PLACES if wide else MOST_TOGETHER, pair=wishes.filter.pair)
    return [_row(desk, one, shown) for one in made[start : start + count]], len(made)


def _has_wishes(wishes: Wishes) -> bool:
    wanted = wishes.filter
    return bool(wanted.search or wanted.label or wanted.pair)


def _fitting(
    desk: ReviewDesk, wishes: Wishes, shown: BoolArray, mention: int | None
) -> list[tuple[int, Mention]]:
    """The mentions that fit, with those of their disputes that do."""
    wanted, fits, found = wishes.filter, shown, desk.mentions
    if wanted.pair:
        with desk.lock:
            fits = fits & desk.masks.mask(type(wanted)(pair=wanted.pair, state=ANY))
    if mention is not None and not 0 <= mention < len(found):
        raise UsageError(f"there is no mention {mention}")
    words = " ".join(wanted.search.casefold().split())
    made, count = [], 0
    for number, one in enumerate(found) if mention is None else [(mention, found[mention])]:
        if wanted.label and wanted.label not in one.readings:
            continue
        if words and words not in " ".join(one.surface).casefold():
            continue
        disputes = tuple(place for place in one.disputes if fits[place])
        if disputes:
            made.append((number, Mention(one.surface, one.readings, disputes, one.gain)))
            count += len(disputes)
        if count >= _MOST_GATHERED:
            break
    return made


def _row(desk: ReviewDesk, screen: Gathered, shown: BoolArray) -> dict[str, Any]:
    words = [" ".join(desk.mentions[number].surface)[:120] for number in screen.mentions[:_MOST_WORDS]]
    only = desk.mentions[screen.mentions[0]] if len(screen.mentions) == 1 else None
    return {
        "disputes": [number for number in screen.disputes if shown[number]],
        "words": words,
        "more": max(len(screen.mentions) - _MOST_WORDS, 0),
        "mention": screen.mentions[0] if only else None,
        "pair": screen.pair,
        "readings": [[label, times] for label, times in only.readings.items()] if only else [],
        "gain": screen.gain,
    }


def screen_view(desk: ReviewDesk, disputes: Sequence[int], *, blind: bool = False) -> list[dict[str, Any]]:
    """Disputed places with the readings that each can be settled as.

    The first reading is what holds now, which for an open place is the suggestion; then come the others by
    what the consensus believes, and nothing. Blind they stand in the order of how many people gave them.
    """
    desk.sync()
    for number in disputes:
        desk.check_dispute(number)
    return [_place(desk, number, desk.disputes[number], blind) for number in disputes[:MOST_PLACES]]


def _place(desk: ReviewDesk, number: int, dispute: Dispute, blind: bool) -> dict[str, Any]:
    is_open = int(desk.progress.states[number]) in UNDECIDED
    now = inside(desk.marks(dispute.sentence), dispute.begin, dispute.end)
    ranked = sorted(
        dispute.readings, key=lambda one: len(one.annotators) if blind else one.probability, reverse=True
    )
    readings = [plain(one.marks) for one in ranked]
    if not (blind and is_open):
        readings = [now, *(one for one in readings if one != now)]
    return {
        **_shown(desk, dispute.sentence, dispute.begin, dispute.end),
        "dispute": number,
        "open": is_open,
        "chosen": not (blind and is_open),
        "readings": _with_nothing(desk, readings),
        "confidence": None if blind else dispute.confidence,
    }


def spot_view(desk: ReviewDesk, spots: Sequence[Spot]) -> list[dict[str, Any]]:
    """Places on which nobody differs: first what was decided on the same words, then what holds now."""
    made = []
    for number, begin, end, label in spots:
        now = inside(desk.marks(number), begin, end)
        readings = [((begin, end, label),), now]
        view = {"dispute": None, "open": True, "chosen": True, "confidence": None}
        made.append(
            _shown(desk, number, begin, end) | view | {"readings": _with_nothing(desk, readings), "was": now}
        )
    return made


def _with_nothing(desk: ReviewDesk, readings: list[Marks]) -> list[Marks]:
    return readings if () in readings or desk.corpus.scheme.is_plain else [*readings, ()]


def _shown(desk: ReviewDesk, number: int, begin: int, end: int) -> dict[str, Any]:
    """A place in its sentence, with the neighbours that its marks may not grow into."""
    text, state, marks = desk.corpus.text.sentence(number), desk.state(number), desk.marks(number)
    low, high = max(begin - _AROUND, 0), min(end + _AROUND, len(text.tokens))
    whose = [one.reviewer for one in state.decisions if one.begin < end and begin < one.end]
    return {
        "place": [number, begin, end],
        "version": state.version,
        "who": whose[-1] if whose else None,
        "id": text.id,
        "rtl": is_right_to_left(text.tokens),
        "tokens": text.tokens[low:high],
        "low": low,
        "cut": [low > 0, high < len(text.tokens)],
        "wall": [
            max([0, *(last for _, last, _ in marks if last <= begin)]),
            min([len(text.tokens), *(first for first, _, _ in marks if first >= end)]),
        ],
    }


@dataclass(frozen=True)
class Ticked:
    """A place to settle: a dispute, or a range on which nobody differs.

    place: sentence, begin and end; version: of the sentence.
    """

    place: tuple[int, int, int]
    dispute: int | None
    version: int
    marks: Marks


def settle_places(desk: ReviewDesk, ticked: Sequence[Ticked], asked: Act) -> Acted:
    """Settle places, each with its own marks.

    asked: who asks and what was shown; its id is that of the batch, which is undone as one. All are settled,
    or none is. Asked for again after a lost answer, nothing happens twice.
    """
    if not ticked:
        raise UsageError("nothing is ticked")
    acts = []
    for number, one in enumerate(ticked):
        where: dict[str, Any] = {"dispute": one.dispute}
        if one.dispute is None:
            where = dict(zip(("sentence", "begin", "end"), one.place, strict=True))
        acts.append(
            Act(
                id=f"{asked.id}:{number}",
                reviewer=asked.reviewer,
                kind="marks",
                base=one.version,
                marks=one.marks,
                shown=asked.shown,
                batch=asked.id,
                **where,
            )
        )
    return desk.act_once(asked.id, acts)
