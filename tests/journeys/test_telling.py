"""A run says what it saw, at every door."""

import json
from pathlib import Path

import pytest

import crowdseq
from crowdseq.formats import write
from journeys.conftest import Shell
from kinship_oracles import drawn_cast

KIN = "c1, c2, c3 agree far more than independent annotators would"


@pytest.fixture
def copied_crowd(tmp_path: Path) -> Path:
    """Three copies of a poor annotator, and two good ones."""
    path = tmp_path / "crowd.jsonl"
    copies = {"c2": ("c1", 0.0), "c3": ("c1", 0.0)}
    write(drawn_cast({"c1": 0.6, "g1": 0.85, "g2": 0.85}, copies, sentences=60), path)
    return path


def test_copies_are_told_by_check_learn_report_and_python(shell: Shell, copied_crowd: Path) -> None:
    before = shell("check", str(copied_crowd))
    assert f"before learning:\n  {KIN}" in before.out
    assert [one["kind"] for one in shell("check", str(copied_crowd), "--json").json["remarks"]] == ["kin"]
    answer = shell("learn", str(copied_crowd), "-m", "majority-vote", "--no-tagger", "-o", "run")
    assert f"warning: {KIN}" in answer.out
    run = copied_crowd.parent / "run"
    (told,) = json.loads((run / "metrics.json").read_text())["remarks"]
    assert (told["kind"], told["level"]) == ("kin", "warning")
    page = (run / "report.html").read_text()
    assert "What this run says" in page
    assert KIN in page
    opened = crowdseq.load(run)
    assert [remark.text for remark in opened.remarks] == [told["text"]]


def test_copies_that_count_once_are_a_note(shell: Shell, copied_crowd: Path) -> None:
    chosen = ("-m", "majority-vote", "--set", "kinship=true", "--no-tagger", "-o", "run")
    answer = shell("learn", str(copied_crowd), *chosen)
    assert f"\n{KIN}" in answer.out
    assert "counted as 1.0 votes" in answer.out


def test_silence_is_an_option_of_learn(shell: Shell, copied_crowd: Path) -> None:
    chosen = ("-m", "dawid-skene", "--no-tagger", "-o", "run", "--silence", "abstains")
    answer = shell("learn", str(copied_crowd), *chosen, "--json")
    assert answer.code == 0, answer.err
    assert "silence" in [one["kind"] for one in answer.json["remarks"]]
    settings = json.loads((copied_crowd.parent / "run" / "settings.json").read_text())
    assert settings["settings"]["silence"] == "abstains"


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (("-m", "gold", "--silence", "auto"), "method gold has no setting 'silence'"),
        (("-m", "mace", "--silence", "auto", "--set", "silence=labelled"), "silence is given twice"),
        (("-m", "mace", "--set", "silence=golden"), "silence is 'golden', choose one of"),
        (("-m", "majority-vote", "--set", "unit=span", "--silence", "auto"), "choose unit token"),
    ],
)
def test_silence_that_cannot_be_is_refused(
    shell: Shell, copied_crowd: Path, extra: tuple[str, ...], told: str
) -> None:
    answer = shell("learn", str(copied_crowd), "-o", "run", *extra)
    assert answer.code == 2
    assert told in answer.err
    assert not (copied_crowd.parent / "run").exists()
