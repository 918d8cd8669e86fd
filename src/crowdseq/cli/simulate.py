"""crowdseq simulate."""

from typing import Any

import click

from crowdseq.cli.options import (
    force_option,
    gold_options,
    json_option,
    quiet_option,
    seed_option,
)
from crowdseq.cli.terminal import print_json, terminal


@click.command(help="Make up a crowd of known precision out of a file with gold tags.")
@click.argument("gold")
@click.option("-o", "--out", required=True, metavar="CROWD", help="The crowd file to write.")
@click.option(
    "--to", "target", metavar="FORMAT", help="Write as this format instead of guessing from the name."
)
@click.option("-k", "--annotators", type=int, default=5, show_default=True, help="How many annotators.")
@click.option(
    "-p", "--precision", type=float, default=0.5, show_default=True, help="Their mean span precision."
)
@click.option("--recall", type=float, help="Their mean recall (default: like their precision).")
@click.option("--spread", type=float, help="How far they differ from each other, in log-odds.")
@click.option("--consistency", type=float, help="How often an outcome repeats on later mentions of a name.")
@click.option("--per-sentence", type=int, help="How many of them see a sentence (default: all).")
@click.option("--profiles", metavar="A,B", help="Persons of a known character on top, e.g. expert,all-o.")
@seed_option
@gold_options
@force_option
@json_option
@quiet_option
def command(
    gold: str,
    out: str,
    target: str | None,
    annotators: int,
    precision: float,
    recall: float | None,
    spread: float | None,
    consistency: float | None,
    per_sentence: int | None,
    profiles: str | None,
    seed: int,
    reading: Any,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.reports.tables import count
    from crowdseq.workflows.simulating import SimulateRequest, simulate_files

    request = SimulateRequest(
        crowd=(gold,),
        reading=reading,
        listener=terminal(quiet),
        out=out,
        target=target,
        force=force,
        settings={
            "annotators": annotators,
            "precision": precision,
            "seed": seed,
            "profiles": tuple(name.strip() for name in profiles.split(",")) if profiles else (),
            "recall": recall,
            "spread": spread,
            "consistency": consistency,
            "per_sentence": per_sentence,
        },
    )
    made = simulate_files(request)
    if not quiet:
        for note in made.realised.notes(recall):
            click.echo(f"note: {note}", err=True)
    if as_json:
        print_json({"format_version": 1, **made.realised.as_dict()})
    elif not quiet:
        realised = made.realised
        click.echo(
            f"{out}: {count(len(made.corpus), 'sentence')}, "
            f"{count(len(made.corpus.annotators), 'annotator')}, "
            f"mean precision {_shown(realised.mean_precision)}, mean recall {_shown(realised.mean_recall)}"
        )


def _shown(value: float | None) -> str:
    """A crowd of profiles alone has no ordinary annotators to take a mean of."""
    return "n/a" if value is None else f"{value:.3f}"
