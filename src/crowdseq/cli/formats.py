"""crowdseq formats."""

import click

from crowdseq.cli.options import json_option
from crowdseq.cli.printing import print_json, print_table


@click.command(help="List the file formats that can be read and written.")
@json_option
def command(as_json: bool) -> None:
    from crowdseq.formats import list_formats
    from crowdseq.reports.tables import Table
    from crowdseq.workflows.abilities import abilities

    rows = tuple((form.name, abilities(form), form.summary) for form in list_formats())
    if as_json:
        print_json(
            [{"format": name, "can": can.split(", "), "summary": summary} for name, can, summary in rows]
        )
        return
    print_table(Table(("format", "we can", "what it is"), rows))
