"""What is in a crowd, in words and small tables."""

from typing import Any

from crowdseq.evaluation.description import Description
from crowdseq.reports.tables import Table, as_text, show


def describe_in_words(description: Description, agreement: dict[str, Any]) -> str:
    """Counts, coverage, labels, annotators, oddities."""
    parts = ["\n".join([_counts(description), *_warnings(description)])]
    if description.annotators:
        parts.append(_agreement(agreement))
    parts.append(as_text(_label_table(description)))
    if description.annotators:
        parts.append(as_text(_annotator_table(description)))
    return "\n\n".join(parts)


def _counts(description: Description) -> str:
    lines = [
        f"{description.sentences:,} sentences, {description.tokens:,} tokens, "
        f"{description.documents:,} documents, scheme {description.scheme}, {len(description.tags)} tags"
    ]
    if description.gold_sentences:
        lines.append(f"gold for {description.gold_sentences:,} sentences")
    if not description.annotators:
        lines.append("no annotator: this is a gold or plain text file, learn from it with -m gold")
        return "\n".join(lines)
    spread = ", ".join(f"{count}: {sentences:,}" for count, sentences in description.coverage.items())
    lines.append(f"{len(description.annotators)} annotators, {description.votes:,} votes")
    lines.append(f"annotators per sentence: {spread}")
    return "\n".join(lines)


def _warnings(description: Description) -> list[str]:
    unseen = description.coverage.get(0, 0)
    lines = [f"names that look alike: {', '.join(group)}" for group in description.look_alikes]
    if unseen and description.annotators:
        lines.append(f"{unseen:,} sentences were seen by nobody")
    return lines


def _agreement(agreement: dict[str, Any]) -> str:
    return "agreement: " + ", ".join(f"{name} {show(value)}" for name, value in agreement.items())


def _label_table(description: Description) -> Table:
    rows = tuple(
        (
            name,
            description.voted_spans[name],
            description.gold_spans[name] if description.gold_sentences else None,
        )
        for name in description.voted_spans
    )
    what = "labelled tokens" if description.scheme == "plain" else "spans"
    return Table(("label", f"{what} by annotators", f"{what} in gold"), rows)


def _annotator_table(description: Description) -> Table:
    rows = tuple((a.annotator, a.sentences, a.tokens, a.spans, a.slips) for a in description.annotators)
    return Table(("annotator", "sentences", "tokens", "spans", "slips"), rows)
