"""Slow and obvious counting in the shipped demo corpus."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from itertools import groupby, pairwise

from seqeval.metrics import f1_score
from seqeval.scheme import IOB2

from demo_corpus.figures import Record, spans_of
from make_demo_corpus import SHIPPED


def shipped_records() -> list[Record]:
    """The corpus as it stands in the package."""
    with gzip.open(SHIPPED, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def by_document(records: list[Record]) -> list[tuple[str, list[Record]]]:
    """The runs of records that belong to one document."""
    return [(doc, list(block)) for doc, block in groupby(records, key=lambda record: str(record["doc"]))]


def broken_places(tags: list[str | None]) -> list[int]:
    before = ["O", *tags[:-1]]
    return [
        place
        for place, (previous, tag) in enumerate(zip(before, tags, strict=True))
        if tag and tag.startswith("I-") and (previous or "O")[1:] != tag[1:]
    ]


def names_in(record: Record) -> list[tuple[str, ...]]:
    spans = sorted(spans_of(record["gold"]))
    return [tuple(token.casefold() for token in record["tokens"][start:end]) for start, end, _ in spans]


def skeleton(record: Record) -> tuple[str, ...]:
    """The sentence with each mention written as its type and each number as 0."""
    return tuple(
        tag[2:] if tag != "O" else "0" if token[0].isdigit() else token.casefold()
        for token, tag in zip(record["tokens"], record["gold"], strict=True)
        if not tag.startswith("I-")
    )


def shape(record: Record) -> tuple[str, ...]:
    """The skeleton with every run of plain words written as one w."""
    kinds = ["w" if word[0].islower() else word for word in skeleton(record)]
    return tuple(kind for previous, kind in pairwise(["", *kinds]) if not kind == previous == "w")


def work(records: list[Record], name: str) -> list[tuple[list[str], list[str | None]]]:
    """(gold, given) for every sentence that this annotator saw."""
    return [(r["gold"], r["annotations"][name]) for r in records if name in r["annotations"]]


def unzip(pairs: list[tuple[list[str], list[str | None]]]) -> tuple[list[list[str]], list[list[str]]]:
    return [gold for gold, _ in pairs], [[tag or "O" for tag in given] for _, given in pairs]


def strict_f1(pairs: list[tuple[list[str], list[str | None]]]) -> float:
    return float(f1_score(*unzip(pairs), mode="strict", scheme=IOB2, zero_division=0))


def opened(tags: list[str | None]) -> list[str | None]:
    """The tags with every I- that continues nothing turned into B-."""
    broken = broken_places(tags)
    return [f"B{tag[1:]}" if tag and place in broken else tag for place, tag in enumerate(tags)]


def majority(record: Record) -> list[str | None]:
    """The most frequent tag of each token, a mention before O in a tie, made valid."""
    chosen: list[str | None] = []
    for votes in zip(*record["annotations"].values(), strict=True):
        counts = Counter(vote for vote in votes if vote)
        chosen.append(max(sorted(counts), key=lambda vote: (counts[vote], vote != "O")))
    return opened(chosen)


def misfits(
    records: list[Record], name: str, kind: Callable[[tuple[int, int, str], list[str | None]], bool]
) -> float:
    """The share of true mentions that this annotator got wrong in this way."""
    outcomes = [kind(span, given) for gold, given in work(records, name) for span in spans_of(gold)]
    return sum(outcomes) / len(outcomes)


def beside(span: tuple[int, int, str], given: list[str | None]) -> bool:
    """The right type on some of the words, but another start or end."""
    start, end, type = span
    others = [
        other for other in spans_of(opened(given)) if other[2] == type and other[0] < end and start < other[1]
    ]
    return bool(others) and span not in others


def swapped_organisation_and_place(span: tuple[int, int, str], given: list[str | None]) -> bool:
    start, end, type = span
    other = {"ORG": "LOC", "LOC": "ORG"}.get(type)
    return other is not None and any(tag == f"B-{other}" for tag in given[start:end])


def share_right_by_novelty(records: list[Record], name: str) -> tuple[float, float]:
    """The share marked exactly, of mentions whose words are all new in the document and of the others."""
    right: dict[bool, list[bool]] = {False: [], True: []}
    for _, block in by_document(records):
        earlier: set[str] = set()
        for record in (record for record in block if name in record["annotations"]):
            given = spans_of(record["annotations"][name])
            for span in sorted(spans_of(record["gold"])):
                words = {token.casefold() for token in record["tokens"][span[0] : span[1]]}
                right[bool(words & earlier)].append(span in given)
                earlier |= words
    return sum(right[False]) / len(right[False]), sum(right[True]) / len(right[True])
