"""How files are to be read, said on the command line."""

import json
from pathlib import Path

from journeys.conftest import Shell

TWO = "Ada\tB-PER\tO\nmet\tO\tO\n\nBo\tO\tB-PER\n"


def test_columns_are_named(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "two.conll").write_text(TWO)
    unnamed = shell("check", "two.conll")
    assert (unnamed.code, "--columns" in unnamed.err) == (3, True)
    named = shell("convert", "two.conll", "--columns", "token,ann1,ann2", "-o", "two.jsonl")
    assert named.code == 0, named.err
    first = json.loads((tmp_path / "two.jsonl").read_text().splitlines()[0])
    assert first["annotations"] == {"ann1": ["B-PER", "O"], "ann2": ["O", "O"]}


def test_files_are_declared_annotators(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada B-PER\n")
    (tmp_path / "b.conll").write_text("Ada O\n")
    assert "--files-mean annotator" in shell("check", "a.conll", "b.conll").err
    told = shell("check", "a.conll", "b.conll", "--files-mean", "annotator", "--json")
    assert told.code == 0, told.err
    assert [row["annotator"] for row in told.json["annotators"]] == ["a", "b"]


def test_an_unknown_label_is_refused_with_its_neighbour(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "g.conll").write_text("Ada B-PRE\nmet O\n")
    told = shell("check", "g.conll", "--labels", "PER,LOC")
    assert told.code == 3
    assert "label 'B-PRE' (1 times) is not in the label set, did you mean 'PER'?" in told.err


def test_skipped_records_have_a_file_by_default(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"tokens": ["x"], "gold": ["O"]}\nbroken\n')
    told = shell("check", "c.jsonl", "--on-error", "skip")
    assert told.code == 0, told.err
    assert "1 faulty records were set aside, see rejected.jsonl" in told.err
    assert json.loads((tmp_path / "rejected.jsonl").read_text())["raw"] == "broken"


def test_what_a_format_has_no_room_for_is_said(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"tokens": ["x"], "gold": ["O"], "split": "test"}\n')
    told = shell("convert", "c.jsonl", "-o", "c.conll")
    assert "extra keys have no place in plain CoNLL and were left out: split" in told.err
