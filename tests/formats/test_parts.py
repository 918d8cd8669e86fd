"""A corpus in many files: patterns, folders of parts, and documents that must not be split over parts."""

import json
from pathlib import Path

import pytest

import crowdseq
from crowdseq.errors import FormatError


def _write(path: Path, *records: tuple[str, str]) -> None:
    labels = {"ann": ["B-PER", "O"], "bob": ["O", "O"]}
    lines = [{"id": id, "doc": doc, "tokens": ["Ada", "slept"], "annotations": labels} for id, doc in records]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_pattern_stands_for_all_files_that_it_fits(tmp_path: Path) -> None:
    _write(tmp_path / "part-0.jsonl", ("1", "d1"))
    _write(tmp_path / "part-1.jsonl", ("2", "d2"))
    _write(tmp_path / "other.jsonl", ("3", "d3"))
    assert [one.id for one in crowdseq.read(str(tmp_path / "part-*.jsonl"))] == ["1", "2"]


def test_a_pattern_that_fits_no_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file fits"):
        crowdseq.read(str(tmp_path / "part-*.jsonl"))


def test_a_file_whose_name_looks_like_a_pattern_is_read(tmp_path: Path) -> None:
    _write(tmp_path / "part-[1].jsonl", ("1", "d1"))
    assert len(crowdseq.read(tmp_path / "part-[1].jsonl")) == 1


@pytest.mark.parametrize("means", ["auto", "part"])
def test_a_document_split_over_parts_names_both(tmp_path: Path, means: str) -> None:
    _write(tmp_path / "part-0.jsonl", ("1", "d1"), ("2", "d2"))
    _write(tmp_path / "part-1.jsonl", ("3", "d2"), ("4", "d3"))
    source = tmp_path if means == "part" else f"{tmp_path}/part-*.jsonl"
    with pytest.raises(FormatError, match=r"part-1.jsonl:1: document 'd2'.*part-0.jsonl \(line 2\)"):
        crowdseq.read(str(source), files_mean=means)


def test_files_of_a_folder_are_parts_when_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada B-PER\nslept O\n")
    (tmp_path / "b.conll").write_text("Bo B-PER\nran O\n")
    corpus = crowdseq.read(tmp_path, files_mean="part")
    assert corpus.annotators == ()
    assert list(corpus.gold) == [("B-PER", "O"), ("B-PER", "O")]
