"""Exports of annotation tools to test on, and a corpus as the long table that all of them must give."""

import csv
import os
from pathlib import Path

import pytest

from crowdseq.core.corpus import Corpus

LongRow = tuple[str, str, str, str, str]


def sample(name: str) -> Path:
    """A file or folder among the samples; the test is skipped where they are absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CROWDSEQ_DATA", beside)).parent / "samples"
    if not folder.is_dir():
        pytest.skip(f"the sample exports are not at {folder}, set CROWDSEQ_DATA to the folder beside them")
    return folder / name


def expected_rows() -> list[LongRow]:
    """Document, token index, token, annotator, label: what every form of the two documents must give."""
    with (sample("synthetic-two-annotators") / "expected-long.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.reader(file))[1:]
    return sorted((doc, index, token, who, label) for doc, index, token, who, label in rows)


def rows_of(corpus: Corpus, names: dict[str, str] | None = None, *, by_id: bool = False) -> list[LongRow]:
    """A corpus as such rows; names: what the documents are called in the table; by_id: a sentence is one."""
    found = []
    for place, sentence in enumerate(corpus.sentences):
        own = sentence.id if by_id else sentence.doc or sentence.id
        doc = (names or {}).get(own, own)
        ballot = corpus.annotations.ballots[place]
        for who, row in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            tags = corpus.scheme.names(row)
            for index, (token, tag) in enumerate(zip(sentence.tokens, tags, strict=True)):
                if tag is not None:
                    found.append((doc, str(index), token, corpus.annotators[who], tag))
    return sorted(found)
