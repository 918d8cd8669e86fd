"""crowdseq agree."""

from typing import Any

import click

from crowdseq.cli.options import crowd_argument, crowd_options, json_option, quiet_option
from crowdseq.cli.terminal import print_json, print_table, terminal


@click.command(help="Measure how far the annotators agree: pairwise, by label, by document.")
@crowd_argument
@crowd_options
@click.option("--documents", is_flag=True, help="List every document, not only the least agreed ones.")
@json_option
@quiet_option
def command(crowd: tuple[str, ...], reading: Any, documents: bool, as_json: bool, quiet: bool) -> None:
    from crowdseq.reports.agreement import agreement_tables
    from crowdseq.workflows.describing import agree_files
    from crowdseq.workflows.reading import CrowdRequest

    agreement = agree_files(CrowdRequest(crowd, reading, terminal(quiet)))
    if as_json:
        print_json({"format_version": 1, **agreement.as_dict()})
        return
    for table in agreement_tables(agreement, all_documents=documents):
        print_table(table)
