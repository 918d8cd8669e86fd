"""crowdseq evaluate."""

from typing import Any

import click

from crowdseq.cli.options import gold_options, json_option, quiet_option, show_report
from crowdseq.cli.printing import print_json, print_table


@click.command(help="Score predicted tags against gold: precision, recall, F1 by type, micro and macro.")
@click.argument("gold")
@click.argument("predicted")
@click.option(
    "--mode",
    type=click.Choice(["strict", "lenient"]),
    default="strict",
    show_default=True,
    help="strict: spans must follow the scheme; lenient: as conlleval reads stray tags.",
)
@gold_options
@json_option
@quiet_option
def command(gold: str, predicted: str, mode: str, reading: Any, as_json: bool, quiet: bool) -> None:
    from crowdseq.reports.scores import score_tables
    from crowdseq.workflows.evaluating import evaluate_paths
    from crowdseq.workflows.metrics import FORMAT_VERSION

    scores, reports = evaluate_paths(gold, predicted, reading, mode=mode)
    for report in reports:
        show_report(report, quiet, is_gold=True)
    if as_json:
        print_json({"format_version": FORMAT_VERSION} | scores.as_dict())
        return
    for table in score_tables(scores):
        print_table(table)
