"""A new user's first commands, from a file to an answer."""

import csv
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from crowdseq.cli.main import COMMANDS
from journeys.conftest import Shell


def test_help_lists_every_command_and_comes_at_once(new_shell: Shell) -> None:
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = new_shell("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert answer.code == 0
    assert all(name in answer.out for name in COMMANDS)
    # What the program needs by itself, whatever else the machine is doing.
    assert min(times) < 0.3


def test_help_imports_no_arithmetic() -> None:
    code = "import sys, crowdseq.cli.main as m; print('numpy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_tagging_starts_without_the_formats_of_other_tools() -> None:
    code = "import sys, crowdseq.workflows.tagging; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in done.stdout.split() if name.startswith("crowdseq.formats.tools")]


def test_check_describes_a_crowd(shell: Shell, small_crowd: Path) -> None:
    answer = shell("check", str(small_crowd))
    assert answer.code == 0
    assert "60 sentences" in answer.out
    assert "annotators per sentence" in answer.out
    found = shell("check", str(small_crowd), "--json").json
    assert found["sentences"] == 60
    assert found["scheme"] == "IOB2"


def test_learn_writes_a_whole_run_folder(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    answer = shell("learn", str(small_crowd), "-m", "dawid-skene", "-o", "run", "--json")
    assert answer.code == 0
    metrics = answer.json
    assert 0 < metrics["consensus"]["f1"] <= 1
    run = tmp_path / "run"
    lines = [json.loads(line) for line in (run / "consensus.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 60
    assert all(len(line["labels"]) == len(line["tokens"]) == len(line["confidence"]) for line in lines)
    rows = list(csv.DictReader((run / "annotators.csv").read_text("utf-8").splitlines()))
    assert {row["annotator"] for row in rows} <= {"ana", "ben", "cleo", "dan", "eva", "finn", "gus", "hal"}
    settings = json.loads((run / "settings.json").read_text("utf-8"))
    assert settings["method"] == "dawid-skene"
    assert len(settings["inputs"][0]["sha256"]) == 64
    assert (run / "tagger" / "weights.safetensors").exists()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("given", [("--set", "seed=3"), ("--seed", "3"), ("--seed", "3", "--set", "seed=3")])
def test_a_seed_is_given_as_an_option_or_as_a_setting(
    shell: Shell, small_crowd: Path, tmp_path: Path, given: tuple[str, ...]
) -> None:
    answer = shell("learn", str(small_crowd), "-m", "majority-vote", "--no-tagger", "-o", "run", *given)
    assert answer.code == 0, answer.err
    assert json.loads((tmp_path / "run" / "settings.json").read_text("utf-8"))["settings"]["seed"] == 3


def test_a_run_is_not_overwritten_without_force(shell: Shell, small_crowd: Path) -> None:
    shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "--no-tagger", "-q")
    again = shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "--no-tagger", "-q")
    assert again.code == 2
    assert "exists already" in again.err
    forced = shell(
        "learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "--no-tagger", "-q", "--force"
    )
    assert forced.code == 0


def test_a_folder_that_is_no_run_is_never_replaced(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    answer = shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "mine", "--no-tagger", "--force")
    assert answer.code == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_text_is_tagged_from_stdin_to_stdout(shell: Shell, small_crowd: Path) -> None:
    shell("learn", str(small_crowd), "-m", "gold", "-o", "run", "-q")
    answer = shell("tag", "run", stdin="Ada Morrow spoke in Oslo.\nNobody listened.\n")
    assert answer.code == 0
    sentences = answer.out.strip().split("\n\n")
    assert [line.split("\t")[0] for line in sentences[0].splitlines()][:2] == ["Ada", "Morrow"]
    assert len(sentences) == 2


def test_tagging_keeps_ids_and_columns(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    shell("learn", str(small_crowd), "-m", "gold", "-o", "run", "-q")
    (tmp_path / "new.conll").write_text("-DOCSTART-\tX\n\nOslo\tNNP\nsleeps\tVBZ\n\n")
    columns = shell("tag", "run", "new.conll").out.splitlines()
    assert columns[0] == "-DOCSTART-\tX\tO"
    assert columns[2].startswith("Oslo\tNNP\t")
    (tmp_path / "new.jsonl").write_text('{"id": "x7", "tokens": ["Oslo"], "note": 1}\n')
    record = json.loads(shell("tag", "run", "new.jsonl", "--confidence").out)
    assert record["id"] == "x7"
    assert record["note"] == 1
    assert len(record["labels"]) == len(record["confidence"]) == 1


def test_evaluate_names_its_mode(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada B-PER\nLee I-PER\n\nOslo B-LOC\n\n")
    (tmp_path / "said.conll").write_text("Ada B-PER\nLee I-PER\n\nOslo O\n\n")
    scores = shell("evaluate", "gold.conll", "said.conll", "--json").json
    assert scores["mode"] == "strict"
    assert scores["precision"] == 1.0
    assert scores["recall"] == 0.5
    assert "strict" in shell("evaluate", "gold.conll", "said.conll").out


def test_agreement_is_measured(shell: Shell, small_crowd: Path) -> None:
    assert shell("agree", str(small_crowd)).code == 0
    assert "format_version" in shell("agree", str(small_crowd), "--json").json


def test_convert_goes_there_and_back(shell: Shell, small_crowd: Path, tmp_path: Path) -> None:
    assert shell("convert", str(small_crowd), "-o", "there.conll").code == 0
    assert shell("convert", "there.conll", "-o", "back.jsonl").code == 0
    first = [json.loads(line) for line in small_crowd.read_text("utf-8").splitlines()]
    second = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text("utf-8").splitlines()]
    assert [line["tokens"] for line in first] == [line["tokens"] for line in second]
    assert [line["gold"] for line in first] == [line["gold"] for line in second]


def test_part_of_a_crowd_can_be_chosen(shell: Shell, small_crowd: Path) -> None:
    found = shell("check", str(small_crowd), "--where", "topic=news", "--without", "gus,hal", "--json").json
    names = {one["annotator"] for one in found["annotators"]}
    assert not names & {"gus", "hal"}
    wrong = shell("check", str(small_crowd), "--where", "colour=red")
    assert wrong.code == 2
    assert "no record has the field 'colour'" in wrong.err


@pytest.mark.parametrize("command", ["methods", "formats"])
def test_lists_are_given_as_text_and_json(shell: Shell, command: str) -> None:
    assert shell(command).code == 0
    assert isinstance(shell(command, "--json").json, list)


def test_one_method_is_explained_with_its_settings(shell: Shell) -> None:
    answer = shell("methods", "majority-vote")
    assert "ties='entity-first'" in answer.out
