"""Progress where there is no terminal: a stage is named once, figures only where they say something."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from crowdseq.cli.terminal import _bars, progress_shown, terminal_width
from crowdseq.core.corpus import Corpus
from crowdseq.workflows.demonstrating import demonstrate
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reading import Listener
from crowdseq.workflows.run import Run


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


def test_what_is_told_in_passing_has_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert added == ["EM rounds"]


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


def test_on_a_terminal_what_takes_no_time_is_a_line_and_no_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress_shown(False, notes=False) as told:
        told("about 3 MB of memory", 1, 1)
        told("training", 0, 1)
        told("training", 1, 1)
    lines = [line for line in capsys.readouterr().err.splitlines() if "MB" in line]
    assert lines
    assert not any("1/1" in line or "━" in line for line in lines)


def test_lines_may_be_long_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert terminal_width() is None
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert terminal_width() == 72


def test_the_demo_tells_of_the_compiler_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever listens hears of it from the compiler itself; `learn` would say it a second time."""
    told: list[str] = []

    def learning(corpus: Corpus, *, progress: Callable[[str, int, int], None]) -> Run:
        progress("compiling", 0, 0)
        progress("EM rounds", 1, 10)
        return learn(corpus.select(range(5)), "majority-vote", tagger=False)

    @contextmanager
    def listening() -> Iterator[Callable[[str, int, int], None]]:
        yield lambda stage, *_: told.append(stage)

    monkeypatch.setattr("crowdseq.workflows.demonstrating.learn", learning)
    demonstrate(tmp_path / "demo", listener=Listener(progress=listening))
    assert told == ["EM rounds"]
