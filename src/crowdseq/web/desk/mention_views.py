"""Mentions: every place where the same words are disputed, to be settled together."""

from collections import Counter
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray
from crowdseq.errors import UsageError
from crowdseq.evaluation.disputes import Dispute, Mention
from crowdseq.store.entries import Marks
from crowdseq.web.desk.desk import UNDECIDED, ReviewDesk
from crowdseq.web.desk.queue import Wishes
from crowdseq.web.desk.views import around
from crowdseq.web.texts import is_right_to_left
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import Acted
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.filtering import ANY
from crowdseq.workflows.reviewing.showing import plain

_AROUND = 9  # tokens of context on each side
MOST_CONTEXTS = 200
_MOST_CHOICES = 9  # as many as there are digits


def mention_rows(
    desk: ReviewDesk, wishes: Wishes, start: int, count: int
) -> tuple[list[dict[str, Any]], int]:
    """A row for each surface form, the greatest gain first, and how many there are in all.

    Those without an open dispute are left out unless all states are asked for.
    """
    desk.sync()
    found, wanted = desk.mentions, wishes.filter
    left = np.bincount(desk.mention_owners[desk.is_undecided()], minlength=len(found))
    kept = left > 0 if wanted.state != ANY else np.ones(len(found), np.bool_)
    if wanted.search:
        kept &= _with_surface(found, wanted.search)
    if wanted.label:
        kept &= np.array([wanted.label in one.readings for one in found], np.bool_)
    numbers = np.flatnonzero(kept)
    some = numbers[start : start + count].tolist()
    return [_row(number, found[number], int(left[number])) for number in some], len(numbers)


def _with_surface(found: tuple[Mention, ...], words: str) -> BoolArray:
    wanted = " ".join(words.casefold().split())
    return np.array([wanted in " ".join(one.surface).casefold() for one in found], np.bool_)


def _row(number: int, mention: Mention, left: int) -> dict[str, Any]:
    return {
        "number": number,
        "surface": " ".join(mention.surface),
        "readings": [[label, times] for label, times in mention.readings.items()],
        "disputes": len(mention.disputes),
        "open": left,
        "gain": mention.gain,
    }


def mention_view(desk: ReviewDesk, number: int, *, blind: bool = False) -> dict[str, Any]:
    """The contexts of a surface form and the readings that it can be settled as.

    Marks count from the begin of each place. Open places come first, and the reading that the consensus
    believes most; blind, the one that most people gave.
    """
    if not 0 <= number < len(desk.mentions):
        raise UsageError(f"there is no mention {number}")
    desk.sync()
    mention, states = desk.mentions[number], desk.progress.states
    ordered = sorted(mention.disputes, key=lambda one: int(states[one]) not in UNDECIDED)
    disputes = [(one, desk.disputes[one]) for one in ordered[:MOST_CONTEXTS]]
    votes: Counter[Marks] = Counter()
    beliefs: Counter[Marks] = Counter()
    for _, dispute in disputes:
        for reading in dispute.readings:
            marks = _relative(plain(reading.marks), dispute.begin)
            votes[marks] += len(reading.annotators)
            beliefs[marks] += reading.probability
    ranked = (votes if blind else beliefs).most_common(_MOST_CHOICES)
    left = sum(int(states[one]) in UNDECIDED for one in mention.disputes)
    return {
        **_row(number, mention, left),
        "tokens": mention.surface,
        "choices": [{"marks": marks, "people": votes[marks]} for marks, _ in ranked],
        "contexts": [_context(desk, one, dispute, blind) for one, dispute in disputes],
        "left_out": max(len(mention.disputes) - MOST_CONTEXTS, 0),
    }


def _relative(marks: Marks, begin: int) -> Marks:
    return tuple((first - begin, last - begin, label) for first, last, label in marks)


def _context(desk: ReviewDesk, number: int, dispute: Dispute, blind: bool) -> dict[str, Any]:
    text, state = desk.corpus.text.sentence(dispute.sentence), desk.state(dispute.sentence)
    is_open = int(desk.progress.states[number]) in UNDECIDED
    now = inside(desk.marks(dispute.sentence), dispute.begin, dispute.end)
    whose = [one.reviewer for one in state.decisions if one.begin < dispute.end and dispute.begin < one.end]
    return {
        "dispute": number,
        "version": state.version,
        "open": is_open,
        "who": whose[-1] if whose and not is_open else None,
        "id": text.id,
        "rtl": is_right_to_left(text.tokens),
        **around(text.tokens, dispute.begin, dispute.end, _AROUND),
        "cut": [dispute.begin > _AROUND, dispute.end + _AROUND < len(text.tokens)],
        "now": None if blind and is_open else _relative(now, dispute.begin),
        "confidence": None if blind else dispute.confidence,
    }


def settle_mention(desk: ReviewDesk, ticked: list[tuple[int, int]], marks: Marks, asked: Act) -> Acted:
    """Settle disputes over the same words with the same marks, which count from the begin of each place.

    ticked: disputes with the version of their sentence. asked: who asks and what was shown; its id is that of
    the batch, which is undone as one. All are settled, or none is.
    """
    if not ticked:
        raise UsageError("nothing is ticked")
    acts = []
    for place, (number, version) in enumerate(ticked):
        desk.check_dispute(number)
        begin = int(desk.disputes.columns.begins[number])
        acts.append(
            Act(
                id=f"{asked.id}:{place}",
                reviewer=asked.reviewer,
                kind="marks",
                dispute=number,
                base=version,
                marks=tuple((first + begin, last + begin, label) for first, last, label in marks),
                shown=asked.shown,
                batch=asked.id,
            )
        )
    return desk.act(*acts)
