"""crowdseq check."""

from typing import Any

import click

from crowdseq.cli.options import crowd_argument, crowd_options, json_option, quiet_option, show_report
from crowdseq.cli.printing import print_json


@click.command(help="Read, validate and describe a crowd: counts, coverage, agreement, slips, look-alikes.")
@crowd_argument
@crowd_options
@json_option
@quiet_option
def command(crowd: tuple[str, ...], reading: Any, as_json: bool, quiet: bool) -> None:
    from crowdseq.evaluation.agreement import measure_agreement
    from crowdseq.evaluation.description import describe
    from crowdseq.reports.descriptions import describe_in_words, statuses_in_words
    from crowdseq.workflows.reading import read_parts

    parts, report = read_parts(crowd, reading)
    show_report(report, quiet, is_gold=True)  # the description says so itself where annotators are missing
    found = [(types, describe(corpus), measure_agreement(corpus).summary()) for types, corpus in parts]
    if as_json:
        made = [
            {**({"types": list(types)} if types else {}), **description.as_dict(), "agreement": agreement}
            for types, description, agreement in found
        ]
        whole = made[0] if len(made) == 1 else {"layers": made}
        print_json({"format_version": 1, **whole, "import": report.as_dict()})
        return
    for number, (types, description, agreement) in enumerate(found, 1):
        if types:
            click.echo(f"{'' if number == 1 else chr(10)}layer {number}, --types {','.join(types)}")
        click.echo(describe_in_words(description, agreement))
    if left := statuses_in_words(report.statuses):
        click.echo(f"\nnot labelled: {left}")
