"""crowdseq evaluate."""

from pathlib import Path

import click

from crowdseq.cli.options import json_option
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
@click.option("--scheme", help="Label scheme instead of guessing: IO, IOB1, IOB2, BIOES, BILOU or plain.")
@json_option
def command(gold: str, predicted: str, mode: str, scheme: str | None, as_json: bool) -> None:
    from crowdseq.formats import read
    from crowdseq.reports.scores import score_tables
    from crowdseq.workflows.evaluating import evaluate_files
    from crowdseq.workflows.metrics import FORMAT_VERSION

    answer = Path(predicted) / "consensus.jsonl"
    given = str(answer) if answer.is_file() else predicted  # a run folder: what it settled on
    scores = evaluate_files(read(gold).corpus, read(given).corpus, mode=mode, scheme=scheme)
    if as_json:
        print_json({"format_version": FORMAT_VERSION} | scores.as_dict())
        return
    for table in score_tables(scores):
        print_table(table)
