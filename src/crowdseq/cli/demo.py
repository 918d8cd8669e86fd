"""crowdseq demo."""

import shlex
from pathlib import Path

import click

from crowdseq.cli.options import force_option, quiet_option
from crowdseq.cli.terminal import terminal, terminal_width


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
    click.echo(run_in_words(saved.run.consensus, saved.run.metrics, terminal_width()))
    click.echo(f"\nthe report, to open in a browser: {out / 'report.html'}")
    crowd = shlex.quote(str(out / "crowd.jsonl.gz"))
    click.echo(f"the crowd that this was learned from: crowdseq check {crowd}")
    click.echo("the same on a file of yours: crowdseq check FILE, then crowdseq learn FILE -o RUN")
