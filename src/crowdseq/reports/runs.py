"""A finished run as text: a few lines for the terminal, CSV tables for its folder."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.names import counted
from crowdseq.reports.tables import Table, as_text, count, show, span_of, visible

if TYPE_CHECKING:
    from crowdseq.evaluation.suggestions import Suggestion

_SHOWN_ANNOTATORS = 12


def run_in_words(consensus: Consensus, metrics: dict[str, Any], width: int | None = None) -> str:
    """What was done, how good it is where gold is known, and who is who; width: of the terminal."""
    parts = ["\n".join([_opening(metrics), *remarks_in_words(metrics.get("remarks", ()))])]
    if "consensus" in metrics:
        parts.append(_scores(metrics["consensus"]))
    if consensus.annotators:
        parts.append(as_text(annotator_table(consensus), width))
    return "\n\n".join(parts)


def remarks_in_words(remarks: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each remark; warnings are marked."""
    return [f"{'warning: ' if one['level'] == 'warning' else ''}{visible(one['text'])}" for one in remarks]


def suggestions_in_words(suggestions: "Sequence[Suggestion]") -> str:
    """How many there are of each kind; nothing where there are none."""
    words = {"add": "to add", "doubt": "in doubt", "instead": "other than kept"}
    numbers = {kind: sum(one.kind == kind for one in suggestions) for kind in words}
    told = [f"{number:,} {words[kind]}" for kind, number in numbers.items() if number]
    return f"{counted(len(suggestions), 'suggestion')} of the text ({', '.join(told)})" if told else ""


def _opening(metrics: dict[str, Any]) -> str:
    rounds = f", {count(metrics['rounds'], 'round')}" if metrics["rounds"] else ""
    return (
        f"{metrics['method']}: {count(metrics['sentences'], 'sentence')}, "
        f"{count(metrics['tokens'], 'token')}, {count(metrics['annotators'], 'annotator')}{rounds}, "
        f"{metrics['seconds']:.1f} s; "
        f"mean confidence {show(metrics['mean_confidence'])}"
    )


def _scores(scores: dict[str, Any]) -> str:
    if scores["f1"] is None:
        return f"Against gold: token accuracy {show(scores['token_accuracy'])}; F1 is n/a"
    return (
        f"Against gold ({scores['mode']} spans): precision {scores['precision']:.3f}, "
        f"recall {scores['recall']:.3f}, F1 {scores['f1']:.3f}, macro F1 {show(scores['macro_f1'])}, "
        f"token accuracy {show(scores['token_accuracy'])}"
    )


def annotator_table(consensus: Consensus, limit: int = _SHOWN_ANNOTATORS) -> Table:
    """The annotators with their verdicts, the most skilled first; the middle of a long list is left out."""
    ranked = sorted(
        consensus.annotators, key=lambda report: -(-2.0 if report.skill is None else report.skill)
    )
    rows: list[tuple[object, ...]] = []
    for report in ranked:
        low, high = report.interval or (None, None)
        reach = span_of(low, high)
        rows.append(
            (
                report.annotator,
                report.verdict,
                report.sentences,
                report.skill,
                reach,
                None if report.skill is None else report.f1,  # their own labels may be the consensus
                report.spam,
                "; ".join([report.reason, *report.further_flags] if report.reason else report.flags),
            )
        )
    if len(rows) > limit:
        left_out = len(rows) - limit
        rows[limit // 2 : -(limit // 2)] = [(f"… {left_out} more", "", "", "", "", "", "", "")]
    measure = "token F1" if consensus.corpus.scheme.is_plain else "span F1"
    columns = ("annotator", "verdict", "sentences", "skill", "95 % interval", measure, "spam", "why")
    return Table(columns, tuple(rows))


FILES = {"local": ("local_confusion.csv", "previous"), "repeat": ("repeat_confusion.csv", "earlier_mention")}
_LEAST_COUNT = 0.5  # cells with less than half an expected vote say nothing


def dependency_tables(consensus: Consensus) -> dict[str, str]:
    """File name to content, for methods that keep the counts behind α and β; else nothing.

    Each row: annotator, their label before (or on the nearest earlier mention of the word), the truth, the
    given label, the expected number of such votes, and their share among all of that context and truth.
    """
    tables = {}
    for name, (file, context) in FILES.items():
        kinds, counts = (consensus.parameters.get(f"{name}_{part}") for part in ("kinds", "counts"))
        if kinds is None or counts is None:
            continue
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["annotator", context, "truth", "given", "count", "share"])
        tags, people = consensus.corpus.scheme.tags, consensus.corpus.annotators
        totals: dict[tuple[int, int], np.ndarray] = {}
        for (who, before, _), row in zip(kinds.tolist(), counts, strict=True):
            totals[who, before] = totals.get((who, before), np.zeros(len(tags))) + row
        for (who, before, given), row in zip(kinds.tolist(), counts, strict=True):
            for truth in np.flatnonzero(row >= _LEAST_COUNT).tolist():
                share = row[truth] / totals[who, before][truth]
                earlier = tags[before] if before >= 0 else ""
                rows.writerow(
                    [people[who], earlier, tags[truth], tags[given], f"{row[truth]:.2f}", f"{share:.4f}"]
                )
        tables[file] = out.getvalue()
    return tables
