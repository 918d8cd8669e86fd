"""crowdseq evaluate."""

from typing import Any

import click

from crowdseq.cli.options import gold_options, json_option, quiet_option
from crowdseq.cli.terminal import print_json, print_table, terminal


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
    from crowdseq.workflows.evaluating import EvaluateRequest, evaluate_files

    request = EvaluateRequest(
        gold=gold, predicted=predicted, reading=reading, mode=mode, listener=terminal(quiet)
    )
    scores = evaluate_files(request)
    if as_json:
        print_json({"format_version": 1} | scores.as_dict())
        return
    for table in score_tables(scores):
        print_table(table)
