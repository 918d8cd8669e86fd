"""Progress where there is no terminal: a stage is named once, figures only where they say something."""

from typing import Any

import pytest
from rich.progress import Progress

from crowdseq.cli.terminal import _bars, progress_shown


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("crowdseq.cli.terminal.time.monotonic", lambda: now[0])
    return now


def test_one_of_one_is_no_figure(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    with progress_shown(False, notes=False) as told:
        told("training the tagger", 0, 1)
        clock[0] += 60
        told("training the tagger", 1, 1)
        told("counting votes", 1, 1)
    assert capsys.readouterr().err.splitlines() == ["training the tagger", "counting votes"]


def test_rounds_are_told_at_the_ends_and_every_few_seconds(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    with progress_shown(False, notes=False) as told:
        for done in range(1, 31):
            told("EM rounds", done, 30)
            clock[0] += 0.5
    lines = [f"EM rounds: {done} of 30" for done in (1, 11, 21, 30)]
    assert capsys.readouterr().err.splitlines() == lines


def test_what_is_told_in_passing_does_not_begin_a_stage_anew(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crowdseq.cli.terminal.time.monotonic", lambda: 100.0)
    with progress_shown(False, notes=False) as told:
        for done in range(1, 4):
            told(f"round {done}: objective -1.0", 1, 1)
            told("EM rounds", done, 30)
        told("training the tagger", 0, 1)
        told("steps of the CRF", 5, 0)
        told("training the tagger", 1, 1)
    assert capsys.readouterr().err.splitlines() == [
        "round 1: objective -1.0",
        "EM rounds: 1 of 30",
        "round 2: objective -1.0",
        "round 3: objective -1.0",
        "training the tagger",
        "steps of the CRF: 5",
    ]


def test_what_is_told_in_passing_has_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[str] = []
    add = Progress.add_task

    def seen(bars: Progress, description: str, **more: Any) -> Any:
        added.append(description)
        return add(bars, description, **more)

    monkeypatch.setattr(Progress, "add_task", seen)
    with _bars() as told:
        for done in range(1, 4):
            told(f"round {done}: objective -1.0", 1, 1)
            told("EM rounds", done, 30)
    assert added == ["round 1: objective -1.0", "EM rounds"]


def test_without_a_known_end_the_count_is_told_now_and_then(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    with progress_shown(False, notes=False) as told:
        for done in range(4096, 4096 * 100, 4096):
            told("tagging sentences", done, 0)
            clock[0] += 0.1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "tagging sentences: 4096"
    assert len(lines) == 2
