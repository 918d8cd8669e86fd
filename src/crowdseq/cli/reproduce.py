"""crowdseq reproduce."""

from pathlib import Path

import click

from crowdseq.cli.options import quiet_option
from crowdseq.cli.progress import progress_shown


@click.command(help="Run the experiments behind the documented figures; only what is missing is computed.")
@click.argument("what", type=click.Choice(["amt", "simulated"]), default="amt")
@click.option(
    "--data",
    envvar="CROWDSEQ_DATA",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with the corpora.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where cells go.",
)
@click.option("--quick", is_flag=True, help="Only the first rows.")
@quiet_option
def command(what: str, data: Path, out: Path, quick: bool, quiet: bool) -> None:
    from crowdseq.experiments.amt import run_amt
    from crowdseq.experiments.simulated import run_simulated
    from crowdseq.reports.tables import as_markdown, as_text

    with progress_shown(quiet) as progress:
        run = run_amt if what == "amt" else run_simulated
        table = run(data, out, progress, quick=quick)
    (out / f"{what}.md").write_text(as_markdown(table) + "\n", encoding="utf-8")
    click.echo(as_text(table))
