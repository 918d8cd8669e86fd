"""What the demo corpus holds, counted: the tables in docs/demo-corpus.md."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from demo_corpus.characters import CHARACTERS
from demo_corpus.markup import TYPES

Record = dict[str, Any]
Spans = set[tuple[int, int, str]]


def spans_of(tags: Sequence[str | None]) -> Spans:
    """The mentions that IOB2 tags spell out; an I- that continues nothing opens none."""
    spans: Spans = set()
    start, open_type = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        if tag != f"I-{open_type}":
            if open_type:
                spans.add((start, place, open_type))
            start, open_type = place, tag[2:] if tag and tag.startswith("B-") else ""
    return spans


def precision_recall_f1(
    pairs: Iterable[tuple[Sequence[str | None], Sequence[str | None]]],
) -> tuple[float, ...]:
    """Exact mentions over all (gold, given) pairs; 0 where nothing was given."""
    right = n_gold = n_given = 0
    for gold, given in pairs:
        gold_spans, given_spans = spans_of(gold), spans_of(given)
        right += len(gold_spans & given_spans)
        n_gold += len(gold_spans)
        n_given += len(given_spans)
    return right / max(n_given, 1), right / max(n_gold, 1), 2 * right / max(n_gold + n_given, 1)


def content_table(records: Sequence[Record]) -> str:
    """Documents, sentences, tokens and mentions per topic, as a Markdown table."""
    head = ["| topic | documents | sentences | tokens | " + " | ".join(TYPES) + " |", "|---|" + "---:|" * 7]
    topics = sorted({record["topic"] for record in records})
    rows = [_content_row(topic, [r for r in records if r["topic"] == topic]) for topic in topics]
    return "\n".join([*head, *rows, _content_row("all", records)])


def annotator_table(records: Sequence[Record]) -> str:
    """Each annotator with their share of the work and their score against gold, as a Markdown table."""
    rows = [
        "| annotator | character | sentences | precision | recall | F1 |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for character in CHARACTERS:
        seen = [record for record in records if character.name in record["annotations"]]
        scores = precision_recall_f1(
            (record["gold"], record["annotations"][character.name]) for record in seen
        )
        cells = [
            f"`{character.name}`",
            character.sketch,
            str(len(seen)),
            *(f"{score:.3f}" for score in scores),
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _content_row(topic: str, records: Sequence[Record]) -> str:
    types = Counter(type for record in records for _, _, type in spans_of(record["gold"]))
    documents = len({record["doc"] for record in records})
    tokens = sum(len(record["tokens"]) for record in records)
    cells = [topic, documents, len(records), tokens, *(types[type] for type in TYPES)]
    return "| " + " | ".join(map(str, cells)) + " |"
