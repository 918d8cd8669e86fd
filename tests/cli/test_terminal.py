"""Progress where there is no terminal: a stage is named once, figures only where they say something."""

import pytest

from crowdseq.cli.terminal import progress_shown


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
