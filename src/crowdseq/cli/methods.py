"""crowdseq methods."""

import click

from crowdseq.cli.options import json_option
from crowdseq.cli.terminal import print_json, print_table


@click.command(help="List the methods, or explain one and its settings.")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    from crowdseq.reports.methods import explain_method, method_table
    from crowdseq.reports.tables import Table

    if name is not None:
        click.echo(explain_method(name, "Defaults (--set name=value):"))
        return
    rows = method_table()
    if as_json:
        print_json([{"method": method, "kind": kind, "summary": summary} for method, kind, summary in rows])
        return
    print_table(Table(("method", "kind", "what it does"), tuple(rows)))
