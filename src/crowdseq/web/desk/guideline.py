"""The guideline page: what people differ on again and again, and the rules that grow out of it."""

from typing import Any

from crowdseq.evaluation.disputes import AmbiguousWord, ambiguous_words
from crowdseq.web.desk.desk import UNDECIDED, ReviewDesk
from crowdseq.web.desk.views import around
from crowdseq.workflows.reviewing.guideline import GuidelineBook, GuidelineEntry

_EXAMPLES = 4
_AROUND = 6
_SHOWN = 40


def pair_rows(desk: ReviewDesk) -> list[dict[str, Any]]:
    """The pairs of labels that people differ on, with a few examples of each."""
    desk.sync()
    left = desk.is_undecided()
    return [
        {
            "first": pair.first,
            "second": pair.second,
            "disputes": len(pair.disputes),
            "open": int(left[list(pair.disputes)].sum()),
            "settled": pair.settled,
            "examples": [example(desk, number) for number in pair.disputes[:_EXAMPLES]],
        }
        for pair in desk.pairs[:_SHOWN]
    ]


def word_rows(desk: ReviewDesk) -> list[dict[str, Any]]:
    """Words on which labels do not settle, with the mention to settle them by."""
    found: tuple[AmbiguousWord, ...] = desk.once(
        "ambiguous", lambda: ambiguous_words(desk.consensus, desk.disputes)
    )
    numbers: dict[tuple[str, ...], int] = desk.once(
        "surfaces", lambda: {one.surface: number for number, one in enumerate(desk.mentions)}
    )
    return [
        {
            "surface": " ".join(word.surface),
            "mention": numbers.get(word.surface),
            "people": list(word.readings.items()),
            "settled": list(word.settled.items()),
            "disputes": len(word.disputes),
            "open": sum(int(desk.progress.states[one]) in UNDECIDED for one in word.disputes),
        }
        for word in found[:_SHOWN]
    ]


def example(desk: ReviewDesk, number: int) -> dict[str, Any]:
    """A disputed place in its context."""
    desk.check_dispute(number)
    columns = desk.disputes.columns
    sentence = desk.corpus.text.sentence(int(columns.sentences[number]))
    begin, end = int(columns.begins[number]), int(columns.ends[number])
    return {"dispute": number, **around(sentence, begin, end, _AROUND)}


def gaps(desk: ReviewDesk) -> list[dict[str, Any]]:
    """Places of which a reviewer said that the guideline has a gap."""
    return [
        {
            "who": one.reviewer,
            "text": one.comment,
            **around(desk.corpus.text.sentence(sentence), one.begin, one.end, _AROUND),
        }
        for sentence, state in desk.states().items()
        for one in state.gaps
    ]


def add_rule(
    desk: ReviewDesk, asked: GuidelineEntry, mention: int | None, disputes: list[int]
) -> GuidelineEntry:
    """A rule with its examples, about a mention (its number) or a pair of labels."""
    book = GuidelineBook(desk)
    words = asked.mention
    if mention is not None and 0 <= mention < len(desk.mentions):
        found = desk.mentions[mention]
        words, disputes = found.surface, disputes or list(found.disputes[:_EXAMPLES])
    return book.add(
        GuidelineEntry(
            id=asked.id,
            reviewer=asked.reviewer,
            mention=words,
            pair=asked.pair,
            label=asked.label,
            text=asked.text,
            examples=book.examples(disputes),
        )
    )
