"""crowdseq demo."""

from pathlib import Path

import click

from crowdseq.cli.options import force_option, quiet_option
from crowdseq.cli.progress import progress_shown


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
    from crowdseq.workflows.run_target import check_free

    check_free(out, force=force)
    with progress_shown(quiet) as progress:
        run = demonstrate(progress=progress)
    run.save(out, force=force)
    click.echo(run_in_words(run.consensus, run.metrics))
    click.echo(f"\nthe report: {out / 'report.html'}")
