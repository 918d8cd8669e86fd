"""How long work shows that it goes on: a bar on a terminal, plain lines elsewhere, nothing when quiet."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from crowdseq.numerics.em import Progress, quiet

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
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


class _Lines:
    """A line when a stage begins, ends, and every few seconds between."""

    def __init__(self) -> None:
        self._stage, self._said = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._stage and done < total and now - self._said < _SECONDS_BETWEEN_LINES:
            return
        self._stage, self._said = stage, now
        click.echo(f"{stage}: {done}/{total}", err=True)
