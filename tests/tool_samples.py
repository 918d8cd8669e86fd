"""Exports of annotation tools to test on, and a corpus as the long table that all of them must give."""

import csv
import os
from collections.abc import Mapping
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


def own(name: str) -> Path:
    """A file or folder among the exports of our own: two documents of two annotators in every form."""
    return Path(__file__).parent / "formats" / "exports" / name


def expected_rows(folder: Path | None = None) -> list[LongRow]:
    """Document, token index, token, annotator, label: what every form of the two documents must give.

    folder: where they are, our own exports if it is not said.
    """
    table = (folder or own("two-annotators")) / "expected-long.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return sorted((doc, index, token, who, label) for doc, index, token, who, label in rows)


def rows_of(
    corpus: Corpus,
    names: Mapping[str, str] | None = None,
    people: Mapping[str, str] | None = None,
    *,
    by_id: bool = False,
) -> list[LongRow]:
    """A corpus as such rows; names, people: what documents and annotators are called in the table;
    by_id: a sentence is a document.
    """
    found = []
    for place, sentence in enumerate(corpus.sentences):
        own = sentence.id if by_id else sentence.doc or sentence.id
        doc = (names or {}).get(own, own)
        ballot = corpus.annotations.ballots[place]
        for who, row in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            tags = corpus.scheme.names(row)
            for index, (token, tag) in enumerate(zip(sentence.tokens, tags, strict=True)):
                if tag is not None:
                    name = corpus.annotators[who]
                    found.append((doc, str(index), token, (people or {}).get(name, name), tag))
    return sorted(found)
