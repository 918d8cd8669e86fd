"""crowdseq report."""

import click

from crowdseq.cli.options import force_option, quiet_option


@click.command(help="Write the report of a run as one HTML page that opens anywhere, offline.")
@click.argument("run")
@click.option("-o", "--out", help="Where to write (default: RUN-report.html beside the run); - is stdout.")
@click.option("--title", help="The heading of the page (default: the name of the run folder).")
@force_option
@quiet_option
def command(run: str, out: str | None, title: str | None, force: bool, quiet: bool) -> None:
    from crowdseq.workflows.reporting import write_report

    written = write_report(run, out, title=title, force=force)
    if written != "-" and not quiet:
        click.echo(f"written to {written}", err=True)
