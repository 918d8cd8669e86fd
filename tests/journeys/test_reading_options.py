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
    assert "label 'B-PRE' (1 time) is not in the label set, did you mean 'PER'?" in told.err


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


def test_evaluate_and_simulate_read_as_learn_does(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_bytes("Zoë B-PER\nmet O\n".encode("latin-1"))
    (tmp_path / "p.txt").write_bytes("Zoë O\nmet O\n".encode("latin-1"))
    reading = ("--from", "conll", "--encoding", "latin-1")
    scores = shell("evaluate", "g.txt", "p.txt", *reading, "--json")
    assert (scores.code, scores.err, scores.json["recall"]) == (0, "", 0.0)
    made = shell("simulate", "g.txt", "-k", "2", "-o", "c.jsonl", *reading)
    assert (made.code, made.err) == (0, "")
    assert json.loads((tmp_path / "c.jsonl").read_text())["tokens"] == ["Zoë", "met"]


def test_evaluate_selects_gold_sentences(shell: Shell, tmp_path: Path) -> None:
    lines = [{"id": n, "tokens": ["x"], "gold": ["B-A"], "split": n} for n in ("a", "b")]
    (tmp_path / "g.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = shell("evaluate", "g.jsonl", "g.jsonl", "--where", "split=b", "--json")
    assert found.json["support"] == 1


def test_layers_are_described_written_and_asked_for(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "crowd").mkdir()
    line = '{"id": 1, "text": "Bank of Rome", "label": [[0, 12, "ORG"], [8, 12, "LOC"]]}\n'
    (tmp_path / "crowd/w.jsonl").write_text(line)
    told = shell("check", "crowd", "--overlaps", "layers")
    assert [row for row in told.out.splitlines() if row.startswith("layer")] == [
        "layer 1, --types LOC",
        "layer 2, --types ORG",
    ]
    layers = shell("check", "crowd", "--overlaps", "layers", "--json").json["layers"]
    assert [layer["types"] for layer in layers] == [["LOC"], ["ORG"]]
    asked = shell("agree", "crowd", "--overlaps", "layers")
    assert asked.code == 3
    assert "say which one with --types: LOC (1 spans) or ORG (1 spans)" in asked.err
    assert shell("convert", "crowd", "-o", "out.jsonl", "--overlaps", "layers").code == 0
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.LOC.jsonl", "out.ORG.jsonl"]


def test_a_consensus_is_converted_for_a_tool(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    assert shell("learn", str(small_crowd), "-m", "majority-vote", "--no-tagger", "-o", "run").code == 0
    made = shell("convert", "run", "--consensus", "-o", "tasks.json", "--to", "label-studio")
    assert (made.code, made.err) == (0, "tasks.json: 60 sentences, consensus\n")
    assert all(
        "score" in task["predictions"][0] for task in json.loads((tmp_path / "tasks.json").read_text())
    )
    wrong = shell("convert", str(small_crowd), "--consensus", "-o", "x.json", "--to", "label-studio")
    assert wrong.code == 2
