"""crowdseq formats."""

import click

from crowdseq.cli.options import json_option
from crowdseq.cli.printing import print_json, print_table


@click.command(help="List the file formats that can be read and written.")
@json_option
def command(as_json: bool) -> None:
    from crowdseq.formats import list_formats
    from crowdseq.reports.tables import Table

    formats = list_formats()
    if as_json:
        print_json(
            [
                {"format": f.name, "summary": f.summary, "reads": True, "writes": f.write is not None}
                for f in formats
            ]
        )
        return
    rows = tuple((f.name, "read, write" if f.write is not None else "read", f.summary) for f in formats)
    print_table(Table(("format", "we can", "what it is"), rows))
