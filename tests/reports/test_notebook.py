"""What a notebook shows of a corpus, a consensus and its annotators: escaped, and never much."""

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus

NASTY = "<script>alert(1)</script>\u202e&\"'"
ALLOWED = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "bdi", "mark", "small"}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def consensus_of(corpus: Corpus) -> Consensus:
    rows = np.full((corpus.n_tokens, len(corpus.scheme)), 1 / len(corpus.scheme))
    size = len(corpus.scheme)
    reports = tuple(
        AnnotatorReport(name, 1, 2, 0.5, (0.1, 0.9), None, 0.25, 1.0, 0.0, np.zeros((size, size)), (name,))
        for name in corpus.annotators
    )
    return Consensus(corpus, np.maximum(corpus.gold_tags, 0), rows, reports)


def pages(corpus: Corpus) -> list[str]:
    consensus: Any = consensus_of(corpus)
    return [noun._repr_html_() for noun in (corpus, consensus, consensus.annotators)]


def nasty_corpus() -> Corpus:
    label = f"B-{NASTY[:25]}"
    records = [
        {"id": NASTY + str(number), "tokens": [NASTY, "x"], "annotations": {NASTY: [label, "O"]}}
        | {"gold": [label, "O"]}
        for number in range(3)
    ]
    for record in records:
        record["annotations"] = {NASTY.replace("\u202e", ""): record["gold"]}
    return Corpus.from_records(records)


@pytest.mark.parametrize("number", range(3))
def test_what_came_from_data_is_escaped(number: int) -> None:
    page = pages(nasty_corpus())[number]
    assert "<script" not in page
    assert "\u202e" not in page
    reader = read(page)
    assert set(reader.names) <= ALLOWED
    assert reader.attributes <= {"class", "scope", "dir"}
    assert "<script>alert(1)</script>" in reader.text


@pytest.mark.parametrize("number", range(3))
def test_a_large_corpus_is_shown_in_part(number: int) -> None:
    corpus = random_corpus(1, sentences=3000, length=200, annotators=400, voters=2)
    page = pages(corpus)[number]
    assert len(page) < 60_000
    assert f"more {'annotators' if number == 2 else 'sentences'}" in page


def test_long_tokens_are_cut() -> None:
    record = {
        "tokens": ["y" * 100_000] * 50,
        "annotations": {"z" * 10_000: ["B-" + "Q" * 9_000] + ["O"] * 49},
    }
    record["gold"] = ["B-" + "Q" * 9_000] + ["O"] * 49
    for page in pages(Corpus.from_records([record])):
        assert len(page) < 20_000


def test_empty_ones_are_shown_too() -> None:
    for page in pages(Corpus.from_records([])):
        assert read(page).text


def test_the_spans_of_a_consensus_are_marked_where_they_stand() -> None:
    record = {"tokens": ["Dr", "Ada", "Byron", "slept"], "gold": ["O", "B-PER", "I-PER", "O"]}
    page = consensus_of(Corpus.from_records([record]))._repr_html_()
    assert "<mark><bdi>Ada Byron</bdi><small> <bdi>PER</bdi> 0.33</small></mark>" in page
    assert "Dr Ada Byron PER 0.33 slept" in read(page).text
