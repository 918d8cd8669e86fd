"""crowdseq report."""

import sys

import click

from crowdseq.cli.options import force_option, quiet_option


@click.command(help="Write the report of a run as one HTML page that opens anywhere, offline.")
@click.argument("run")
@click.option("-o", "--out", default="report.html", show_default=True, help="Where to write; - is stdout.")
@click.option("--title", help="The heading of the page (default: the name of the run folder).")
@force_option
@quiet_option
def command(run: str, out: str, title: str | None, force: bool, quiet: bool) -> None:
    from crowdseq.storage.atomic import AtomicFile, check_free
    from crowdseq.workflows.reporting import run_report

    if out != "-":
        check_free(out, force=force)
    page = run_report(run, title=title).encode("utf-8")
    if out == "-":
        sys.stdout.buffer.write(page)
        return
    with AtomicFile(out, force=force) as file:
        file.write(page)
    if not quiet:
        click.echo(f"written to {out}", err=True)
