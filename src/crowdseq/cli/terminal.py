"""Data to stdout, notes to stderr, and progress: a bar on a terminal, plain lines elsewhere."""

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from crowdseq.cli.wording import running_command, wording_of
from crowdseq.numerics.em import Progress, quiet
from crowdseq.reports.tables import Table, as_text

_SECONDS_BETWEEN_LINES = 5.0
# Every command and method compiles what it alone needs, so that this may be told more than once.
_COMPILING = (
    "compiling what this run needs and is not compiled yet: some seconds to tag, half a minute or more to "
    "learn; later runs of this kind start at once"
)


@contextmanager
def progress_shown(silent: bool, *, notes: bool | None = None) -> Iterator[Progress]:
    """A progress callback for the time of some work; notes: whether a word may be said beside it, if it is
    not the same question."""
    with _compiling_noted(not silent if notes is None else notes):
        if silent:
            with _heeding(quiet) as report:
                yield report
        elif sys.stderr.isatty():
            with _bars() as bars, _heeding(bars) as report:
                yield report
        else:
            with _heeding(_Lines()) as report:
                yield report


@contextmanager
def one_bar_shown(silent: bool) -> Iterator[Progress]:
    """As above, with one bar for all that is told, whatever its stage, such as the time left."""
    if silent or not sys.stderr.isatty():
        with progress_shown(silent) as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("")

        def show(stage: str, done: int, total: int) -> None:
            bars.update(task, description=stage, completed=done, total=total)

        yield show


@contextmanager
def _compiling_noted(wanted: bool) -> Iterator[None]:
    """Tell why the first run of a kind stands still for a while."""
    if not wanted:
        yield
        return
    from crowdseq.numerics.compiling import compiling_told

    with compiling_told(lambda: click.echo(_COMPILING, err=True)):
        yield


@contextmanager
def _heeding(report: Progress) -> Iterator[Progress]:
    """The same callback, which also stops the work after Ctrl-C: an interrupt that falls into a callback of
    compiled code is swallowed there, and would otherwise be lost."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield report
        return
    asked: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        signal.default_int_handler(number, frame)

    def heeding(stage: str, done: int, total: int) -> None:
        if asked:
            raise KeyboardInterrupt
        report(stage, done, total)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield heeding
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield report


class _Lines:
    """A line when a stage begins, ends, and every few seconds between; one that is done in a single step is
    only named. A total of 0 is not known."""

    def __init__(self) -> None:
        self._stage, self._said = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        ends = done >= total > 1
        if stage == self._stage and not ends and (total == 1 or now - self._said < _SECONDS_BETWEEN_LINES):
            return
        self._stage, self._said = stage, now
        figures = {0: f": {done}", 1: ""}.get(total, f": {done} of {total}")
        click.echo(f"{stage}{figures}", err=True)


if TYPE_CHECKING:
    from crowdseq.workflows.reading import Listener


def terminal(silent: bool, *, progress: bool = True) -> "Listener":
    """A listener that writes to stderr, or one that hears nothing; progress: whether it shows that too."""
    from crowdseq.workflows.reading import Listener

    shown = partial(progress_shown, silent or not progress, notes=not silent)
    return Listener(partial(show_report, silent=silent), shown)


def show_report(report: Any, *, silent: bool, is_gold: bool = False) -> None:
    """The notes of an import report on stderr; where gold is read nobody misses annotators."""
    from crowdseq.reports.tables import visible

    unneeded = ["no-annotators"] if is_gold else []
    for line in () if silent else report.lines(unneeded, wording_of(running_command())):
        click.echo(visible(line), err=True)


def print_json(value: Any) -> None:
    """One object; what is not a number in mathematics is null in JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def print_table(table: Table) -> None:
    """A table and an empty line after it."""
    click.echo(as_text(table))
    click.echo()
