"""Views: disputes and sentences as plain values that a page can show."""

from typing import Any

from crowdseq.core.text import Sentence
from crowdseq.evaluation.disputes import Dispute
from crowdseq.reports.html.passages import gaps_of, running_text
from crowdseq.store.entries import Entry, Marks
from crowdseq.web.desk.desk import UNDECIDED, ReviewDesk
from crowdseq.web.texts import is_right_to_left
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.laying_over import marks_of
from crowdseq.workflows.reviewing.showing import plain

_AROUND = 6  # tokens beside a dispute for which lanes are told
_MOST_LANES = 60


def sentence_view(desk: ReviewDesk, sentence: int, *, blind: bool = False) -> dict[str, Any]:
    """A sentence: tokens, the marks that hold now, its version, its disputes and what was said about it.

    blind: without marks on disputes that are open.
    """
    desk.bounds(sentence)
    text, state = desk.corpus.text.sentence(sentence), desk.state(sentence)
    columns, states = desk.disputes.columns, desk.progress.states
    places = [
        (number, int(columns.begins[number]), int(columns.ends[number]))
        for number in desk.progress.of_sentence(sentence)
    ]
    hidden = [(b, e) for number, b, e in places if blind and states[number] in UNDECIDED]
    return {
        "number": sentence,
        "id": text.id,
        "doc": text.doc,
        "rtl": is_right_to_left(text.tokens),
        "tokens": text.tokens,
        "version": state.version,
        "marks": [mark for mark in desk.marks(sentence) if not any(_touch(mark, one) for one in hidden)],
        "disputes": [[number, b, e, desk.dispute_state(number)] for number, b, e in places],
        "said": [_said(entry) for entry in state.comments],
        "decided": [_decided(entry) for entry in state.decisions],
        "extras": {name: str(value) for name, value in text.extras.items()},
    }


def dispute_view(desk: ReviewDesk, number: int, *, blind: bool = False) -> dict[str, Any]:
    """A dispute and the lanes of those who labelled the sentence, the most skilled first.

    blind: without the suggestion, and without what tells who is usually right.
    """
    desk.check_dispute(number)
    fixed: dict[str, Any] = desk.recent(("dispute", number, blind), lambda: _fixed(desk, number, blind=blind))
    return {**fixed, "state": desk.dispute_state(number)}


def _fixed(desk: ReviewDesk, number: int, *, blind: bool) -> dict[str, Any]:
    """What no decision changes of a dispute."""
    dispute: Dispute = desk.disputes[number]
    view: dict[str, Any] = {
        "number": number,
        "sentence": dispute.sentence,
        "begin": dispute.begin,
        "end": dispute.end,
        "kinds": sorted(dispute.kinds),
        "lanes": lanes(desk, dispute, blind=blind),
        "blind": blind,
    }
    if not blind:
        settled = dispute.readings[dispute.settled]
        view |= {"confidence": dispute.confidence, "gain": dispute.gain, "settled": plain(settled.marks)}
    return view


def lanes(desk: ReviewDesk, dispute: Dispute, *, blind: bool) -> list[dict[str, Any]]:
    """Who said what around a dispute; `agrees` is left out where it would tell the suggestion."""
    corpus = desk.corpus
    ballot = corpus.annotations.ballots[dispute.sentence]
    low, high = dispute.begin - _AROUND, dispute.end + _AROUND
    settled = plain(dispute.readings[dispute.settled].marks)
    found = []
    for annotator, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
        marks = marks_of(tags, corpus.scheme)
        here = inside(marks, dispute.begin, dispute.end)
        saw = bool((tags[dispute.begin : dispute.end] >= 0).all()) or bool(here)
        name = corpus.annotators[annotator]
        lane: dict[str, Any] = {"name": name, "saw": saw, "marks": inside(marks, low, high)}
        if not blind:
            lane |= {"skill": desk.consensus.annotators[annotator].skill, "agrees": here == settled}
        found.append(lane)
    return sorted(found, key=_by_name if blind else _by_skill)[:_MOST_LANES]


def _by_name(lane: dict[str, Any]) -> tuple[bool, float, str]:
    return (not lane["saw"], 0.0, lane["name"])


def _by_skill(lane: dict[str, Any]) -> tuple[bool, float, str]:
    return (not lane["saw"], -(lane["skill"] if lane["skill"] is not None else -2.0), lane["name"])


def _touch(mark: tuple[int, int, str], place: tuple[int, int]) -> bool:
    return mark[0] < place[1] and place[0] < mark[1]


def _said(entry: Entry) -> dict[str, Any]:
    names = ("reviewer", "time", "comment", "begin", "end")
    return {name: getattr(entry, name) for name in names} | {"gap": entry.action == "gap"}


def _decided(entry: Entry) -> dict[str, Any]:
    names = ("id", "reviewer", "time", "begin", "end", "marks", "run")
    return {name: getattr(entry, name) for name in names}


def told_marks(marks: Marks, place: tuple[int, int], sentence: Sentence) -> list[tuple[str, str]]:
    """(words, label) of the marks that touch a place."""
    return [(words_of(sentence, begin, end), label) for begin, end, label in inside(marks, *place)]


def words_of(sentence: Sentence, begin: int, end: int) -> str:
    """Tokens as they stood in the text."""
    return running_text(list(sentence.tokens), gaps_of(sentence), begin, end)


def around(sentence: Sentence, begin: int, end: int, width: int) -> dict[str, str]:
    """The words of a place, and some before and after it with the spaces between: put together they are the
    text as it stood."""
    words, gaps = list(sentence.tokens), gaps_of(sentence)
    low, high = max(begin - width, 0), min(end + width, len(words))
    return {
        "before": running_text(words, gaps, low, begin) + (gaps[begin] if low < begin < len(words) else ""),
        "words": running_text(words, gaps, begin, end),
        "after": (gaps[end] if begin < end < high else "") + running_text(words, gaps, end, high),
    }
