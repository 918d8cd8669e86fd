"""crowdseq demo."""

from pathlib import Path

import click

from crowdseq.cli.options import force_option, quiet_option
from crowdseq.cli.terminal import terminal


@click.command(help="Do the whole job on the corpus that ships with the package.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("crowdseq-demo"),
    show_default=True,
    help="The run folder.",
)
@force_option
@quiet_option
def command(out: Path, force: bool, quiet: bool) -> None:
    from crowdseq.reports.runs import run_in_words
    from crowdseq.workflows.demonstrating import demonstrate

    saved = demonstrate(out, force=force, listener=terminal(quiet))
    click.echo(run_in_words(saved.run.consensus, saved.run.metrics))
    click.echo(f"\nthe report: {out / 'report.html'}")
