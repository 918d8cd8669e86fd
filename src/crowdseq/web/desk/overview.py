"""The overview: what to do next in three actions; the history of decisions; agreement in tables."""

from typing import Any

import numpy as np

from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.disputes import KINDS
from crowdseq.evaluation.measures import Agreement
from crowdseq.reports.agreement import agreement_tables
from crowdseq.reports.tables import Table
from crowdseq.store.decisions import HistoryItem
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.views import words_of

_MOST_IN_MATRIX = 40
_READ_AT_ONCE = 200


def overview(desk: ReviewDesk) -> dict[str, Any]:
    """Counts of the run and of the work on it."""
    counts = desk.counts()
    gain, left = desk.disputes.gain, desk.is_undecided()
    sentences = np.unique(desk.disputes.columns.sentences)
    return {
        "sentences": len(desk.corpus),
        "annotators": len(desk.corpus.annotators),
        "documents": len(desk.corpus.text.documents),
        "method": desk.settings.get("method", ""),
        "disputes": len(desk.disputes),
        "disputed_sentences": len(sentences),
        **counts,
        "decided": counts["decided"] + counts["audited"] + counts["settled"],
        "kinds": {kind: int((desk.disputes.has_kind(kind) & left).sum()) for kind in KINDS},
        "expected_wrong": float(gain[left].sum()),
        "mentions": len(desk.mentions),
        "many": sum(len(one.disputes) > 1 for one in desk.mentions),
        "labels": list(desk.labels),
        "remarks": [
            {"text": str(one["text"]), "is_warning": one.get("level") == "warning"}
            for one in desk.consensus.parameters.get("remarks", ())
        ],
    }


def next_steps(facts: dict[str, Any]) -> list[dict[str, str]]:
    """Three things to do, the most useful first."""
    steps = []
    if facts["open"] and facts["many"]:
        why = f"{facts['many']:,} words are disputed in several places: one key settles them together."
        steps.append({"path": "/mentions", "name": "Settle words wherever they stand", "why": why})
    if facts["open"]:
        why = f"{facts['open']:,} places are open, those first where looking mends most."
        steps.append({"path": "/disputes", "name": "Go through the disputes", "why": why})
    elif facts["skipped"]:
        why = f"{facts['skipped']:,} places were put off."
        steps.append({"path": "/disputes?state=skipped", "name": "Decide what was skipped", "why": why})
    if facts["decided"]:
        why = "Read some sentences blind, and say with a bound how good the unread rest is."
        steps.append({"path": "/finish", "name": "Finish with a bound", "why": why})
    if facts["decided"] and not facts["open"]:
        why = "The labels as they stand now, in the format of your tool."
        steps.append({"path": "/export", "name": "Take the labels with you", "why": why})
    why = "Pairs of labels and words that people mix up again and again become rules with examples."
    steps.append({"path": "/guideline", "name": "Mend the guideline", "why": why})
    why = "Who does what otherwise, with a sheet for each of them."
    steps.append({"path": "/annotators", "name": "Look at the annotators", "why": why})
    return steps[:3]


def history(desk: ReviewDesk, limit: int, before: int | None) -> tuple[list[dict[str, Any]], int | None]:
    """What was logged, the newest first, in words; and where older entries begin, if there are any.

    Actions that were done together are one row, with how many they are.
    """
    rows: list[dict[str, Any]] = []
    while True:
        some = desk.store.history(_READ_AT_ONCE, before)
        for item in some:
            batch = item.entry.batch
            if rows and batch and rows[-1]["entry"].batch == batch:
                rows[-1]["times"] += 1
            elif len(rows) == limit:
                return rows, before
            else:
                rows.append(_told(desk, item))
            before = item.entry.seq
        if len(some) < _READ_AT_ONCE:
            return rows, None


def _told(desk: ReviewDesk, item: HistoryItem) -> dict[str, Any]:
    entry = item.entry
    sentence = desk.sentence_of(entry)
    words, marks = "", ""
    if sentence is not None:
        whole = desk.corpus.text.sentence(sentence)
        words = words_of(whole, entry.begin, entry.end)[:200]
        marks = ", ".join(f"{words_of(whole, b, e)} = {label}" for b, e, label in entry.marks)[:300]
    return {
        "entry": entry,
        "undone": item.is_undone,
        "sentence": sentence,
        "words": words,
        "marks": marks or "nothing",
        "own_run": entry.run == desk.run_id,
        "times": 1,
    }


def agreement(desk: ReviewDesk) -> tuple[Agreement, list[Table]]:
    """Every figure of agreement, and its tables."""
    measured: Agreement = desk.once("agreement", lambda: measure_agreement(desk.corpus))
    return measured, agreement_tables(measured)


def pair_matrix(desk: ReviewDesk) -> tuple[list[str], list[list[float | None]]]:
    """Names and the span F1 of each two of them, or Cohen's kappa of plain tags; None for no shared text."""
    measured, _ = agreement(desk)
    names = list(desk.corpus.annotators)[:_MOST_IN_MATRIX]
    place = {name: number for number, name in enumerate(names)}
    matrix: list[list[float | None]] = [[None] * len(names) for _ in names]
    for pair in measured.all_pairs():
        if pair.first in place and pair.second in place:
            value = pair.cohen if desk.corpus.scheme.is_plain else pair.span_f1
            matrix[place[pair.first]][place[pair.second]] = value
            matrix[place[pair.second]][place[pair.first]] = value
    return names, matrix
