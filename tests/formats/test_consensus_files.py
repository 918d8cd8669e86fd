"""A consensus as files, with its confidence."""

import json
from pathlib import Path

import numpy as np
import pytest

from builders import corpus
from crowdseq.core.consensus import Consensus
from crowdseq.errors import SettingsError
from crowdseq.formats import read, write_consensus


def consensus() -> Consensus:
    world = corpus("Ada/B-PER/B-PER met/O/O", "Bo/B-PER/O", docs=["d1", "d2"])
    probabilities = np.array([[0.1, 0.9, 0.0], [1.0, 0.0, 0.0], [0.4, 0.6, 0.0]])
    return Consensus(world, np.array([1, 0, 1], np.int16), probabilities, ())


def test_json_lines_hold_labels_and_confidence(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert lines[0] == {
        "crowdseq": 1,
        "id": "s1",
        "doc": "d1",
        "tokens": ["Ada", "met"],
        "labels": ["B-PER", "O"],
        "confidence": [0.9, 1.0],
        "sentence_confidence": 0.9,
    }
    assert "crowdseq" not in lines[1]


def test_a_consensus_is_read_back_as_gold(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.jsonl")
    imported = read(tmp_path / "c.jsonl")
    assert imported.report.files[0].format == "consensus"
    assert imported.corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]
    assert imported.corpus.sentences[0].extras["confidence"] == [0.9, 1.0]


def test_columns_hold_the_label_last(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.conll")
    assert (tmp_path / "c.conll").read_text() == (
        "-DOCSTART-\t-X-\tO\n\nAda\t0.900000\tB-PER\nmet\t1.000000\tO\n\n"
        "-DOCSTART-\t-X-\tO\n\nBo\t0.600000\tB-PER\n\n"
    )
    assert read(tmp_path / "c.conll").corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]


def test_a_format_without_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match="text has no room for a consensus, choose one of consensus, conll"
    ):
        write_consensus(consensus(), tmp_path / "c.txt")
