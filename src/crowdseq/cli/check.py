"""crowdseq check."""

from typing import Any

import click

from crowdseq.cli.options import crowd_argument, crowd_options, json_option, quiet_option, read_crowd
from crowdseq.cli.printing import print_json


@click.command(help="Read, validate and describe a crowd: counts, coverage, agreement, slips, look-alikes.")
@crowd_argument
@crowd_options
@json_option
@quiet_option
def command(crowd: tuple[str, ...], reading: Any, as_json: bool, quiet: bool) -> None:
    from crowdseq.evaluation.agreement import measure_agreement
    from crowdseq.evaluation.description import describe
    from crowdseq.reports.descriptions import describe_in_words

    corpus, report = read_crowd(crowd, reading, silent=quiet)
    description = describe(corpus)
    agreement = measure_agreement(corpus)
    if as_json:
        print_json(
            {
                "format_version": 1,
                **description.as_dict(),
                "agreement": agreement.summary(),
                "import": report.as_dict(),
            }
        )
    else:
        click.echo(describe_in_words(description, agreement.summary()))
