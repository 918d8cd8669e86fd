"""A corpus as the long table that every form of the two synthetic documents must give."""

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from crowdseq.core.corpus import Corpus

Row: TypeAlias = tuple[str, str, str, str, str]


def samples() -> Path:
    """The folder of sample exports; tests that need it are skipped where it is absent."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "samples"
    folder = Path(os.environ.get("CROWDSEQ_SAMPLES", beside))
    if not folder.is_dir():
        pytest.skip(f"the sample exports are not at {folder}, set CROWDSEQ_SAMPLES to their folder")
    return folder


def expected_long() -> list[Row]:
    """`expected-long.csv` of the synthetic documents, in the order of its rows' text."""
    with (samples() / "synthetic-two-annotators" / "expected-long.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.reader(file))
    return sorted((row[0], row[1], row[2], row[3], row[4]) for row in rows[1:])


def long_table(
    corpus: Corpus, documents: Mapping[str, str] | None = None, annotators: Mapping[str, str] | None = None
) -> list[Row]:
    """Rows (document, place, token, annotator, label), names mapped as told, sorted."""
    docs, people = documents or {}, annotators or {}
    rows: list[Row] = []
    for sentence, ballot in zip(corpus.sentences, corpus.annotations.ballots, strict=True):
        name = docs.get(sentence.id, sentence.id)
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            who = people.get(corpus.annotators[voter], corpus.annotators[voter])
            rows += [
                (name, str(place), token, who, corpus.scheme.tags[tag])
                for place, (token, tag) in enumerate(zip(sentence.tokens, tags, strict=True))
                if tag >= 0
            ]
    return sorted(rows)
