"""crowdseq formats."""

import click

from crowdseq.cli.options import json_option
from crowdseq.cli.terminal import print_json, print_table


@click.command(help="List the file formats that can be read and written.")
@json_option
def command(as_json: bool) -> None:
    from crowdseq.reports.tables import Table
    from crowdseq.workflows.listing import format_rows

    rows = list(format_rows())
    if as_json:
        print_json([{"format": row.name, "can": row.able, "summary": row.summary} for row in rows])
        return
    shown = tuple((row.name, ", ".join(row.able), row.summary) for row in rows)
    print_table(Table(("format", "we can", "what it is"), shown))
