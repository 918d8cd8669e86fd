"""Progress in Python: a few lines where somebody watches, none elsewhere."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numba
import pytest

import crowdseq
from builders import random_corpus
from crowdseq.workflows.progress import Lines, in_notebook, progress_told


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _watched(seconds: float, step: float, capsys: pytest.CaptureFixture[str]) -> list[str]:
    clock = Clock()
    lines = Lines(clock)
    total = int(seconds / step)
    for done in range(1, total + 1):
        clock.now += step
        lines("EM rounds", done, total)
    lines.finish()
    return capsys.readouterr().out.splitlines()


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert _watched(0.9, 0.001, capsys) == []


def test_an_hour_is_told_in_little_more_than_a_hundred_lines(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _watched(3600, 0.125, capsys)
    assert 100 < len(lines) < 130
    assert lines[0] == "EM rounds 8 of 28800, 1 s"
    assert lines[-1] == "done, 3600 s"


def test_one_of_one_is_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = Lines(clock)
    clock.now = 2.0
    lines("training the tagger", 0, 1)
    clock.now = 20.0
    lines("training the tagger", 1, 1)
    assert capsys.readouterr().out.splitlines() == ["training the tagger, 2 s", "training the tagger, 20 s"]


def test_a_script_hears_nothing_and_a_function_hears_all(capsys: pytest.CaptureFixture[str]) -> None:
    corpus = random_corpus(1)
    heard: list[tuple[str, int, int]] = []
    crowdseq.learn(corpus, "dawid-skene", tagger=False)
    crowdseq.learn(corpus, "dawid-skene", tagger=False, progress=lambda *told: heard.append(told))
    assert capsys.readouterr().out == ""
    assert heard


@pytest.mark.parametrize(
    ("shell", "is_kernel"), [(SimpleNamespace(kernel=1), True), (SimpleNamespace(), False)]
)
def test_only_a_notebook_is_told_unasked(
    shell: Any, is_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert in_notebook() is is_kernel
    with progress_told() as told:
        assert isinstance(told, Lines) is is_kernel
    with progress_told(False) as told:
        assert not isinstance(told, Lines)
    with progress_told(True) as told:
        assert isinstance(told, Lines)


def test_without_ipython_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()


def _compile_one() -> None:
    made: Callable[[float], float] = numba.njit(lambda x: x + 1.0)
    made(1.0)


def test_whoever_waits_for_the_compiler_hears_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_told():
        _compile_one()
        _compile_one()
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("crowdseq: compiling what this run needs")
    assert len(told.err.splitlines()) == 1
    with progress_told(False):
        _compile_one()
    with progress_told():
        pass
    assert capsys.readouterr() == ("", "")


def test_lines_and_functions_hear_of_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[tuple[str, int, int]] = []
    with progress_told(lambda *told: heard.append(told)):
        _compile_one()
        _compile_one()
    assert heard == [("compiling", 0, 0), ("compiling", 1, 0)]
    with progress_told(True):
        _compile_one()
    assert capsys.readouterr().out.startswith("compiling what this run needs")
