"""crowdseq check."""

from typing import Any

import click

from crowdseq.cli.options import crowd_argument, crowd_options, json_option, quiet_option
from crowdseq.cli.terminal import print_json, terminal
from crowdseq.cli.wording import running_command, wording_of


@click.command(help="Read, validate and describe a crowd: counts, coverage, agreement, slips, look-alikes.")
@crowd_argument
@crowd_options
@json_option
@quiet_option
def command(crowd: tuple[str, ...], reading: Any, as_json: bool, quiet: bool) -> None:
    from crowdseq.reports.descriptions import describe_in_words, statuses_in_words
    from crowdseq.reports.runs import remarks_in_words
    from crowdseq.workflows.describing import check_files
    from crowdseq.workflows.reading import CrowdRequest

    checked = check_files(CrowdRequest(crowd, reading, terminal(quiet)))
    if as_json:
        print_json(checked.as_dict(wording_of(running_command())))
        return
    for number, (types, description, agreement, remarks) in enumerate(checked.parts, 1):
        if types:
            click.echo(f"{'' if number == 1 else chr(10)}layer {number}, --types {','.join(types)}")
        click.echo(describe_in_words(description, agreement))
        if told := remarks_in_words(remarks):
            click.echo("\n" + "\n".join(["before learning:", *(f"  {line}" for line in told)]))
    if left := statuses_in_words(checked.report.statuses):
        click.echo(f"\nnot labelled: {left}")
