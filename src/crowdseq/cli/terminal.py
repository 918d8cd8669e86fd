"""The terminal: data on stdout, and on stderr notes of the reading and progress."""

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from crowdseq.cli.progress import progress_shown
from crowdseq.cli.wording import running_command, wording_of
from crowdseq.reports.tables import Table, as_text

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
