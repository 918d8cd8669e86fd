"""Typical mistakes: one clear line, the right exit code, nothing written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from journeys.conftest import Shell


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("learn", "missing.jsonl", "-o", "run"), 3, "missing.jsonl"),
        (("learn", "crowd.jsonl", "-m", "mayority-vote", "-o", "run"), 2, "did you mean 'majority-vote'?"),
        (
            ("learn", "crowd.jsonl", "-m", "majority-vote", "--set", "tie=o", "-o", "run"),
            2,
            "no setting 'tie'",
        ),
        (("learn", "crowd.jsonl", "-m", "majority-vote", "--set", "ties=o", "-o", "run"), 2, "entity-first"),
        (
            ("learn", "crowd.jsonl", "-m", "dawid-skene", "--set", "rounds=x", "-o", "run"),
            2,
            "a whole number",
        ),
        (("learn", "crowd.jsonl", "-m", "majority-vote", "--annotators", "zoe", "-o", "run"), 3, "'zoe'"),
        (("check", "bad.jsonl"), 3, "bad.jsonl:2"),
        (("check", "."), 3, ""),
        (("evaluate", "crowd.jsonl", "bad.jsonl"), 3, "bad.jsonl:2"),
        (("tag", "nowhere", "crowd.jsonl"), 3, "nowhere: there is no such folder, give the folder of a run"),
        (("tag", "crowd.jsonl", "crowd.jsonl"), 3, "is a file, not the folder of a run"),
        (("methods", "magic"), 2, "unknown"),
        (
            ("learn", "gold.conll", "-m", "majority-vote", "-o", "run"),
            3,
            "say --method gold; if the labels of a file are one annotator's, --files-mean annotator",
        ),
        (("frobnicate",), 2, "No such command 'frobnicate'."),
        (("lern", "crowd.jsonl"), 2, "No such command 'lern', did you mean 'learn'?"),
        (("--lern",), 2, "No such option"),
    ],
)
def test_a_mistake_is_told_in_words(
    shell: Shell, small_crowd: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "tokens": ["x"]}\n{"id": "b", "tokens": ["x"\n')
    (tmp_path / "gold.conll").write_text("Ada B-PER\n\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    answer = shell(*arguments)
    assert answer.code == code, answer.err
    assert words in answer.err
    assert "Traceback" not in answer.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert small_crowd.exists()


def test_a_mistake_on_every_line_is_told_once_with_its_places(shell: Shell, tmp_path: Path) -> None:
    rows = ['{"tokens": ["x"], "annotations": {"": ["O"]}}\n'] * 9 + ['{"tokens": "x"}\n']
    (tmp_path / "crowd.jsonl").write_text("".join(rows))
    lines = shell("check", "crowd.jsonl").err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("crowd.jsonl:1: the name of an annotator is empty")
    assert lines[0].endswith("(the same 8 times more, at 2, 3, 4, 5, 6, …)")
    assert lines[1].startswith("crowd.jsonl:10: ")
    assert lines[2] == "crowdseq: 10 problems"
    converted = shell("convert", "crowd.jsonl", "-o", "made.conll").err.splitlines()
    assert converted == [*lines[:2], "crowdseq: 10 problems, nothing was written"]


def test_advice_on_a_file_is_not_counted_among_its_problems(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text("a b c\nd e f\n\n\ng\n\nh\n")
    lines = shell("check", "x.conll").err.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["x.conll:5:", "x.conll:7:", "x.conll:", "crowdseq:"]
    assert lines[3] == "crowdseq: 2 problems"


def test_check_advises_by_what_is_there(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada B-PER\n\n")
    (tmp_path / "plain.txt").write_text("Ada met Bo\n")
    assert "learn from the gold with -m gold" in shell("check", "gold.conll").out
    plain = shell("check", "plain.txt").out
    assert "no annotator and no gold: there is nothing to learn from" in plain
    assert "-m gold" not in plain


def test_one_of_a_kind_is_told_in_the_singular(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"tokens": ["Ada"], "annotations": {"w": ["B-PER"]}}\n')
    said = shell("check", "one.jsonl").out
    assert "1 sentence, 1 token, 1 document" in said
    assert "1 annotator, 1 vote" in said


def test_bad_records_can_be_set_aside(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mixed.jsonl").write_text(
        '{"id": "a", "tokens": ["x"], "annotations": {"w": ["O"], "v": ["O"]}}\n'
        '{"id": "b", "tokens": ["x", "y"], "annotations": {"w": ["O"]}}\n'
    )
    strict = shell("check", "mixed.jsonl")
    assert strict.code == 3
    assert "1 label for 2 tokens" in strict.err
    loose = shell("check", "mixed.jsonl", "--on-error", "skip", "--rejects", "aside.jsonl", "--json")
    assert loose.code == 0
    assert loose.json["sentences"] == 1
    assert "1 label for 2 tokens" in (tmp_path / "aside.jsonl").read_text("utf-8")


def test_a_folder_that_we_did_not_write_is_never_replaced(
    shell: Shell, small_crowd: Path, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "thesis.txt").write_text("years of work")
    answer = shell("convert", str(small_crowd), "-o", "texts", "--to", "conll-folder", "--force")
    assert answer.code == 2
    assert "holds other files too (thesis.txt)" in answer.err
    assert (tmp_path / "texts" / "thesis.txt").read_text() == "years of work"
    assert shell("convert", str(small_crowd), "-o", "made", "--to", "conll-folder").code == 0
    assert shell("convert", str(small_crowd), "-o", "made", "--to", "conll-folder", "--force").code == 0


def test_a_run_folder_stands_for_its_crowd_and_in_evaluate_for_its_answer(
    shell: Shell, small_crowd: Path
) -> None:
    shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "--no-tagger", "-q")
    crowd = shell("check", "run", "--json").json
    assert crowd["votes"] == shell("check", str(small_crowd), "--json").json["votes"]
    scores = shell("evaluate", str(small_crowd), "run", "--json").json
    assert 0 < scores["f1"] < 1


def test_a_reader_that_goes_away_is_no_failure(small_crowd: Path) -> None:
    command = f"{sys.executable} -m crowdseq convert {small_crowd} -o - --to jsonl -q | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("learn", "crowd.jsonl", "-m", "majority-vote", "-o", "-"), 2, "cannot go to standard output"),
        (("learn", "crowd.jsonl", "-m", "majority-vote", "-o", "crowd.jsonl", "--force"), 2, "is a file"),
        (("learn", "crowd.jsonl", "-m", "majority-vote", "-o", "/", "--force"), 2, "cannot become a run"),
        (("check", "empty.jsonl"), 3, "no sentences"),
        (("learn", "crowd.jsonl", "-m", "mace", "--seed", "-1", "-o", "run"), 2, "x>=0"),
        (("compare", "crowd.jsonl", "--seed", "-1"), 2, "x>=0"),
        (("simulate", "crowd.jsonl", "--seed", "-1", "-o", "made.jsonl"), 2, "x>=0"),
        (("reproduce", "amt", "--seed", "-1"), 2, "x>=0"),
        (("learn", "crowd.jsonl", "--max-memory", "-5", "-o", "run"), 2, "x>=0"),
        (("learn", "crowd.jsonl", "--max-memory", "nan", "-o", "run"), 2, "a finite number"),
        (("learn", "crowd.jsonl", "--set", "coupling=inf", "-o", "run"), 2, "a finite number"),
        (
            ("learn", "crowd.jsonl", "-m", "mace", "--seed", "2", "--set", "seed=1", "-o", "run"),
            2,
            "seed is given twice, as 1 and as 2: say --seed 2 alone",
        ),
        (("check", "crowd.jsonl", "--where", "doc=nowhere"), 2, "nothing is left"),
    ],
)
def test_more_mistakes_are_told_in_words(
    shell: Shell, small_crowd: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    answer = shell(*arguments)
    assert answer.code == code, answer.err
    assert words in answer.err
    assert "Traceback" not in answer.err
    assert small_crowd.stat().st_size > 0


def test_types_that_no_span_has_are_told(shell: Shell, tmp_path: Path) -> None:
    record = {"text": "Ada met Bea", "label": [[0, 3, "PER"]], "annotator": "a"}
    (tmp_path / "d.jsonl").write_text(json.dumps(record) + "\n")
    answer = shell("check", "d.jsonl", "--types", "PERS")
    assert answer.code == 3
    assert "no span is of type PERS, there is PER" in answer.err


def test_rejects_that_exist_are_told_with_the_option_that_helps(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{oops\n")
    (tmp_path / "r.jsonl").write_text("kept\n")
    answer = shell("check", "bad.jsonl", "--on-error", "skip", "--rejects", "r.jsonl")
    assert answer.code == 2
    assert "name another file for rejects with --rejects" in answer.err
    assert "--force" not in answer.err
    assert (tmp_path / "r.jsonl").read_text() == "kept\n"


def test_a_run_folder_below_a_file_is_told(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = shell("learn", str(small_crowd), "-o", "file/run", "-m", "majority-vote", "-q")
    assert answer.code == 2
    assert "file/run cannot be written" in answer.err


def test_check_says_who_skipped(shell: Shell, tmp_path: Path) -> None:
    votes = [{"completed_by": who, "was_cancelled": who == 2, "result": list[str]()} for who in (1, 2)]
    tasks = [{"id": number, "data": {"text": "Ada met Bea"}, "annotations": votes} for number in (1, 2)]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    answer = shell("check", "ls.json")
    assert answer.code == 0
    assert "not labelled: skipped: 2 by 2" in answer.out


def test_a_json_array_is_tagged_as_text_if_that_is_meant(
    shell: Shell, small_crowd: Path, tmp_path: Path
) -> None:
    assert shell("learn", str(small_crowd), "-o", "run", "-m", "majority-vote", "-q").code == 0
    (tmp_path / "a.json").write_text('[{"id": 1}]\n')
    refused = shell("tag", "run", "a.json")
    assert refused.code == 3
    assert "say --from text" in refused.err
    assert shell("tag", "run", "a.json", "--from", "text").code == 0
