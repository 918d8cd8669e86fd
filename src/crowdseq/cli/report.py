"""crowdseq report."""

import click

from crowdseq.cli.options import force_option, quiet_option


@click.command(help="Write the report of a run as one HTML page that opens anywhere, offline.")
@click.argument("run")
@click.option("-o", "--out", default="report.html", show_default=True, help="Where to write; - is stdout.")
@click.option("--title", help="The heading of the page (default: the name of the run folder).")
@force_option
@quiet_option
def command(run: str, out: str, title: str | None, force: bool, quiet: bool) -> None:
    from crowdseq.workflows.reporting import write_report

    write_report(run, out, title=title, force=force)
    if out != "-" and not quiet:
        click.echo(f"written to {out}", err=True)
