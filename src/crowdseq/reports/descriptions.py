"""What is in a crowd, in words and small tables."""

from collections.abc import Mapping
from typing import Any

from crowdseq.core.labels import PLAIN
from crowdseq.evaluation.description import Description
from crowdseq.reports.tables import Table, as_text, count, show

_SHOWN_NAMES = 5
_MOST_ROWS = 1000
_MOST_ALIKE = 20


def describe_in_words(description: Description, agreement: dict[str, Any]) -> str:
    """Counts, coverage, labels, annotators, oddities."""
    parts = ["\n".join([_counts(description), *_look_alikes(description)])]
    if any(value is not None for value in agreement.values()):
        parts.append(_agreement(agreement))
    if description.voted_spans and (description.annotators or description.gold_sentences):
        parts.append(as_text(_label_table(description)))
    if description.annotators:
        parts.append(as_text(_annotator_table(description)))
        if len(description.annotators) > _MOST_ROWS:
            parts[-1] += f"\n… and {len(description.annotators) - _MOST_ROWS:,} more annotators"
    return "\n\n".join(parts)


def statuses_in_words(statuses: Mapping[str, Mapping[str, int]]) -> str:
    """What annotators left unlabelled: `skipped: 19 by w6, 2 by w1; draft: 1 by w1`, or nothing."""
    kinds = sorted({kind for counts in statuses.values() for kind in counts} - {"labelled"})
    parts = []
    for kind in kinds:
        ranked = sorted(((counts.get(kind, 0), name) for name, counts in statuses.items()), reverse=True)
        told = [f"{number:,} by {name}" for number, name in ranked if number]
        more = [f"and by {len(told) - _SHOWN_NAMES} more"] if len(told) > _SHOWN_NAMES else []
        parts.append(f"{kind}: {', '.join([*told[:_SHOWN_NAMES], *more])}")
    return "; ".join(parts)


def _counts(description: Description) -> str:
    lines = [
        f"{count(description.sentences, 'sentence')}, {count(description.tokens, 'token')}, "
        f"{count(description.documents, 'document')}, scheme {description.scheme}, "
        f"{count(len(description.tags), 'tag')}"
    ]
    if description.gold_sentences:
        lines.append(f"gold for {count(description.gold_sentences, 'sentence')}")
    if not description.annotators:
        lines.append(_without_annotators(description))
        return "\n".join(lines)
    spread = ", ".join(f"{voters}: {sentences:,}" for voters, sentences in description.coverage.items())
    lines.append(f"{count(len(description.annotators), 'annotator')}, {count(description.votes, 'vote')}")
    lines.append(f"annotators per sentence: {spread}")
    return "\n".join(lines)


def _without_annotators(description: Description) -> str:
    if description.gold_sentences:
        return "no annotator: a tagger can learn from the gold with -m gold"
    return (
        "no annotator and no gold: there is nothing to learn from, but a tagger can label it (crowdseq tag)"
    )


def _look_alikes(description: Description) -> list[str]:
    return [f"names that look alike: {', '.join(group[:_MOST_ALIKE])}" for group in description.look_alikes]


def _agreement(agreement: dict[str, Any]) -> str:
    return "agreement: " + ", ".join(f"{name} {show(value)}" for name, value in agreement.items())


def _label_table(description: Description) -> Table:
    what = "labelled tokens" if description.scheme == PLAIN else "spans"
    by_people, in_gold = description.voted_spans, description.gold_spans
    columns: list[tuple[str, Mapping[str, int]]] = []
    if description.annotators:
        columns.append((f"{what} by annotators", by_people))
    if description.gold_sentences:
        columns.append((f"{what} in gold", in_gold))
    rows = tuple((name, *(counts[name] for _, counts in columns)) for name in by_people)
    return Table(("label", *(title for title, _ in columns)), rows)


def _annotator_table(description: Description) -> Table:
    shown = description.annotators[:_MOST_ROWS]
    if description.scheme == PLAIN:  # every label is a span of its own there, and none can be a slip
        return Table(
            ("annotator", "sentences", "labels"), tuple((a.annotator, a.sentences, a.tokens) for a in shown)
        )
    rows = tuple((a.annotator, a.sentences, a.tokens, a.spans, a.slips) for a in shown)
    return Table(("annotator", "sentences", "tokens", "spans", "slips"), rows)
