"""What the terminal hears while a workflow works: notes of the reading and progress, on stderr."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from crowdseq.cli.progress import progress_shown
from crowdseq.cli.wording import running_command, wording_of

if TYPE_CHECKING:
    from crowdseq.workflows.reading import Listener


def terminal(silent: bool) -> "Listener":
    """A listener that writes to stderr, or one that hears nothing."""
    from crowdseq.workflows.reading import Listener

    return Listener(partial(show_report, silent=silent), partial(progress_shown, silent))


def show_report(report: Any, *, silent: bool, is_gold: bool = False) -> None:
    """The notes of an import report on stderr; where gold is read nobody misses annotators."""
    from crowdseq.reports.tables import visible

    unneeded = ["no-annotators"] if is_gold else []
    for line in () if silent else report.lines(unneeded, wording_of(running_command())):
        click.echo(visible(line), err=True)
