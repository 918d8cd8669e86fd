"""Annotators: how each did, what they mark otherwise than what is settled, and a sheet for each."""

from typing import Any

from crowdseq.errors import UsageError
from crowdseq.evaluation.disputes import Dispute
from crowdseq.reports.habits import find_habits
from crowdseq.reports.html.annotators import ranked_annotators
from crowdseq.reports.html.charts import SkillAxis
from crowdseq.reports.html.desk import verdict_pill
from crowdseq.reports.html.heatmaps import ContextTables, annotator_heatmaps
from crowdseq.reports.outcomes import SpanOutcomes
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.queue import Queue, Wishes
from crowdseq.web.desk.views import around, told_marks
from crowdseq.workflows.reviewing.filtering import ANY, QueueFilter
from crowdseq.workflows.reviewing.laying_over import marks_of

_SHOWN = 40
_AROUND = 7


def annotator_rows(desk: ReviewDesk) -> list[dict[str, Any]]:
    """Everybody, the most skilled first; `plot` is a small drawing of the skill and its interval, as SVG, and
    `verdict` a word in a box, as HTML."""
    reports = desk.consensus.annotators
    axis = SkillAxis(min([0.0, *(one.interval[0] for one in reports if one.interval)]))
    rows = []
    for number in ranked_annotators(reports):
        one = reports[number]
        drawn = None
        if one.interval and one.skill is not None:
            drawn = axis.whisker(one.interval[0], one.skill, one.interval[1]).source
        verdict = verdict_pill(one.verdict).source
        rows.append({"number": number, "report": one, "plot": drawn, "verdict": verdict})
    return rows


def annotator_view(desk: ReviewDesk, queue: Queue, number: int) -> dict[str, Any]:
    """One annotator: figures, habits in words, differences; heat maps and verdict as HTML of our own."""
    if not 0 <= number < len(desk.corpus.annotators):
        raise UsageError(f"there is no annotator {number}")
    name = desk.corpus.annotators[number]
    habits = desk.once("habits", lambda: find_habits(desk.corpus, SpanOutcomes.of(desk.consensus)))
    tables = desk.once("context tables", lambda: ContextTables.of(desk.consensus))
    maps = annotator_heatmaps(desk.consensus, number, tables)
    differing = queue.fitting(Wishes(QueueFilter(annotator=name, state=ANY)))
    return {
        "number": number,
        "name": name,
        "report": desk.consensus.annotators[number],
        "verdict": verdict_pill(desk.consensus.annotators[number].verdict).source,
        "habits": [habit.words for habit in habits[number]],
        "heatmaps": "" if maps is None else maps.source,
        "differing": len(differing),
        "examples": [_difference(desk, number, desk.disputes[one]) for one in differing[:_SHOWN].tolist()],
    }


def _difference(desk: ReviewDesk, annotator: int, dispute: Dispute) -> dict[str, Any]:
    """A place with what somebody marked there and what holds now."""
    ballot = desk.corpus.annotations.ballots[dispute.sentence]
    row = ballot.tags[ballot.voters.tolist().index(annotator)]
    sentence, place = desk.corpus.text.sentence(dispute.sentence), (dispute.begin, dispute.end)
    decisions = desk.state(dispute.sentence).decisions
    return {
        **around(sentence, *place, _AROUND),
        "own": told_marks(marks_of(row, desk.corpus.scheme), place, sentence),
        "settled": told_marks(desk.marks(dispute.sentence), place, sentence),
        "decided": any(one.begin <= dispute.begin and dispute.end <= one.end for one in decisions),
    }


def sheet(desk: ReviewDesk, queue: Queue, number: int) -> str:
    """A page of Markdown for one annotator: what they mark otherwise than what is settled, kindly worded."""
    view = annotator_view(desk, queue, number)
    lines = [
        f"# Notes for {_plain(view['name'])}",
        "",
        "Thank you for your labels. Below are places where what is settled now differs from what you marked. "
        "Some are close calls, and the guideline may have been silent; tell us where you see it otherwise.",
        "",
        f"You labelled {view['report'].sentences:,} sentences; {view['differing']:,} places differ.",
        "",
    ]
    if view["habits"]:
        lines += ["## What comes up again", "", *(f"- {_plain(words)}" for words in view["habits"]), ""]
    lines += ["## Examples", ""]
    for one in view["examples"]:
        lines += [
            f"- {_plain(one['before'])}**{_plain(one['words'])}**{_plain(one['after'])}",
            f"  - you: {_listed(one['own'])}",
            f"  - settled{' by a reviewer' if one['decided'] else ''}: {_listed(one['settled'])}",
        ]
    return "\n".join([*lines, ""])


def _listed(marks: list[tuple[str, str]]) -> str:
    return ", ".join(f"{_plain(words)} = {_plain(label)}" for words, label in marks) or "nothing"


def _plain(text: str) -> str:
    """A text in which Markdown sees no signs of its own."""
    return "".join(
        f"\\{one}" if one in "\\`*_{}[]<>()#+!|-" else " " if one in "\r\n" else one for one in text
    )
