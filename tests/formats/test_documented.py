"""The examples of the manual are read as it says."""

import re
from pathlib import Path

import pytest

from crowdseq.formats import ReadSettings, read
from file_fixtures import Put

MANUAL = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", MANUAL, re.S)


@pytest.mark.parametrize("block", blocks("json"))
def test_the_line_of_jsonl_is_read(put: Put, block: str) -> None:
    found = read(put("example.jsonl", block)).corpus
    assert (found.annotators, found.gold[0]) == (("w1", "w2"), ("B-PER", "O"))


@pytest.mark.parametrize("block", blocks("text"))
def test_the_columns_are_read(put: Put, block: str) -> None:
    found = read(put("example.conll", block)).corpus
    assert found.sentences[0].tokens == ("Ada", "met")
    assert len(found.annotators) == 2


def test_there_are_examples() -> None:
    assert (len(blocks("json")), len(blocks("text"))) == (1, 2)


def test_the_limits_are_those_of_the_code() -> None:
    limits = ReadSettings().limits
    beyond = f"{limits.ratio} times its packed size once beyond {limits.ratio_after >> 20} MB"
    assert f"{limits.unpacked_bytes >> 30} GB, and {beyond}" in MANUAL
    assert f"| {limits.line_bytes >> 20} MB |" in MANUAL
    assert f"| {limits.depth} levels |" in MANUAL
    assert f"| {limits.faults:,} |" in MANUAL
