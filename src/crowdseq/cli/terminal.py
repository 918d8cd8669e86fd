"""What a person at a terminal sees: data on stdout, notes and progress on stderr (a bar on a terminal, plain
lines elsewhere), and advice in which a setting is told as the option that sets it."""

import json
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from crowdseq.errors import Wording
from crowdseq.reports.tables import Table, as_text, visible

if TYPE_CHECKING:  # help and advice need no arithmetic
    from crowdseq.numerics.em import Progress
    from crowdseq.workflows.reading import Listener


def wording_of(command: click.Command | None) -> Wording:
    """`files_mean`, `annotator` to `--files-mean annotator` where the command has such an option.

    A setting of the method is told as `--set name=value` where the command takes those; what the command
    cannot be told at all is named in plain words.
    """
    options = _options(command)
    takes_settings = any(option.name == "settings" for option in options.values())

    def worded(name: str, value: str) -> str:
        option = options.get(name)
        if option is not None:
            flag = max(option.opts, key=len)
            return flag if option.is_flag or not value else f"{flag} {_quoted(value)}"
        if takes_settings:
            return f"--set {name}={value or '…'}"
        return f"{name.replace('_', ' ')} {value}".rstrip()

    return worded


def running_command() -> click.Command | None:
    """The command that runs now."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.command


def typed_command() -> str | None:
    """The command that runs now as it was typed, files without their folders: a path tells of people."""
    context = click.get_current_context(silent=True)
    if context is None:
        return None
    words = ["crowdseq", context.info_name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _OF_THE_MOMENT and context.get_parameter_source(name) is _TYPED:
            words += _as_typed(parameter, context.params[name])
    return shlex.join(words)


_OF_THE_MOMENT = ("", "force", "quiet", "as_json", "resume")
_TYPED = click.core.ParameterSource.COMMANDLINE


def _as_typed(parameter: click.Parameter, value: object) -> list[str]:
    values = [*value] if isinstance(value, tuple | list) else [value]
    told = [_without_folder(one) for one in values]
    if not isinstance(parameter, click.Option):
        return told
    flag = max(parameter.opts, key=len)
    return [flag] if parameter.is_flag else [word for one in told for word in (flag, one)]


def _without_folder(value: object) -> str:
    text = str(value)
    is_file = isinstance(value, os.PathLike) or os.path.isabs(text) or os.path.exists(text)
    return os.path.basename(text.rstrip("/")) if is_file else text


def _options(command: click.Command | None) -> dict[str, click.Option]:
    parameters = command.params if command is not None else ()
    return {one.name: one for one in parameters if isinstance(one, click.Option) and one.name}


def _quoted(value: str) -> str:
    return f"'{value}'" if any(sign in value for sign in " |\\*[?") else value


_SECONDS_BETWEEN_LINES = 5.0
# Every command and method compiles what it alone needs, so that this may be told more than once.
_COMPILING = (
    "compiling what this run needs and is not compiled yet: some seconds, more for a large crowd; later "
    "runs of this kind start at once"
)


@contextmanager
def progress_shown(silent: bool, *, notes: bool | None = None) -> "Iterator[Progress]":
    """A progress callback for the time of some work; notes: whether a word may be said beside it, if it is
    not the same question."""
    shown: list[Progress] = []
    with _compiling_noted(not silent if notes is None else notes, shown):
        if silent:
            from crowdseq.numerics.em import quiet

            with _heeding(quiet) as report:
                yield report
        elif sys.stderr.isatty():
            with _bars() as bars, _heeding(bars) as report:
                shown.append(bars)
                yield report
        else:
            with _heeding(_Lines()) as report:
                yield report


@contextmanager
def one_bar_shown(silent: bool) -> "Iterator[Progress]":
    """As above, with one bar for all that is told, whatever its stage, such as the time left."""
    if silent or not sys.stderr.isatty():
        with progress_shown(silent) as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("")

        def show(stage: str, done: int, total: int) -> None:
            bars.update(task, description=stage, completed=done, total=total)

        yield show


@contextmanager
def _compiling_noted(wanted: bool, bars: "list[Progress]") -> Iterator[None]:
    """Tell why the first run of a kind stands still for a while, and how far it is: on bars, if there are any
    by then, else in a line every few seconds."""
    if not wanted:
        yield
        return
    from crowdseq.numerics.compiling import compiling_told

    said = [time.monotonic()]

    def tell(done: int) -> None:
        now = time.monotonic()
        if done == 0:
            click.echo(_COMPILING, err=True)
        elif bars:
            bars[0]("compiling", done, 0)
        elif now - said[0] < _SECONDS_BETWEEN_LINES:
            return
        else:
            click.echo(f"compiling: {done} done", err=True)
        said[0] = now

    with compiling_told(tell):
        yield


@contextmanager
def _heeding(report: "Progress") -> "Iterator[Progress]":
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
def _bars() -> "Iterator[Progress]":
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
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks and done == total == 1:  # told once, as of each round: a line, and no bar
                bars.console.print(stage, markup=False, highlight=False)
                return
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield report


class _Lines:
    """A line when a stage begins, ends, and every few seconds between; one that is done in a single step is
    only named. A total of 0 is not known."""

    def __init__(self) -> None:
        self._stage, self._said = "", 0.0
        self._begun: set[str] = set()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if total == 1 and done < 1:
            self._begun.add(stage)
        elif total == 1:
            if stage not in self._begun:
                click.echo(stage, err=True)  # in passing: the stage goes on
            return
        now = time.monotonic()
        ends = done >= total > 1
        if stage == self._stage and not ends and (total == 1 or now - self._said < _SECONDS_BETWEEN_LINES):
            return
        self._stage, self._said = stage, now
        figures = {0: f": {done}", 1: ""}.get(total, f": {done} of {total}")
        click.echo(f"{stage}{figures}", err=True)


def terminal(silent: bool, *, progress: bool = True) -> "Listener":
    """A listener that writes to stderr, or one that hears nothing; progress: whether it shows that too."""
    from crowdseq.workflows.reading import Listener

    shown = partial(progress_shown, silent or not progress, notes=not silent)
    return Listener(partial(show_report, silent=silent), shown)


def show_report(report: Any, *, silent: bool, is_gold: bool = False) -> None:
    """The notes of an import report on stderr; where gold is read nobody misses annotators."""
    unneeded = ["no-annotators"] if is_gold else []
    for line in () if silent else report.lines(unneeded, wording_of(running_command())):
        click.echo(visible(line), err=True)


def print_json(value: Any) -> None:
    """One object; what is not a number in mathematics is null in JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def print_table(table: Table) -> None:
    """A table and an empty line after it."""
    click.echo(as_text(table, terminal_width()))
    click.echo()


def terminal_width() -> int | None:
    """Columns of the terminal that shows the output; None where it goes elsewhere, and lines may be long."""
    if sys.stdout is None or not sys.stdout.isatty():  # None: whoever started us closed it
        return None
    return shutil.get_terminal_size().columns
