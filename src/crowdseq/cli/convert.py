"""crowdseq convert."""

from typing import Any

import click

from crowdseq.cli.options import crowd_options, excel_option, force_option, quiet_option
from crowdseq.cli.terminal import terminal

_WHOSE = {
    "consensus": "consensus",
    "decided": "what reviewers decided",
    "both": "consensus with what reviewers decided",
}


@click.command(help="Turn files of one format into another, or a run's consensus into a file for your tool.")
@click.argument("inputs", nargs=-1, required=True)
@click.option("-o", "--out", required=True, help="The file or folder to write; - is stdout.")
@click.option(
    "--to", "target", metavar="FORMAT", help="Write as this format instead of guessing from the name."
)
@click.option("--as-scheme", metavar="SCHEME", help="Write the tags in another chunk scheme, e.g. BIOES.")
@click.option("--consensus", is_flag=True, help="Write the consensus of a run folder instead of its crowd.")
@click.option(
    "--labels-of",
    type=click.Choice(["consensus", "decided", "both"]),
    help="Of a run folder: its consensus, the sentences that reviewers decided, or both in one.",
)
@click.option(
    "--confidence",
    is_flag=True,
    help="In columns, write the confidence of a consensus and who agreed too (other formats always do).",
)
@click.option(
    "--unlabelled",
    type=click.Choice(["error", "outside"]),
    default="error",
    show_default=True,
    help="Single tokens without a label, where the format cannot tell them from O.",
)
@excel_option
@crowd_options
@force_option
@quiet_option
def command(
    inputs: tuple[str, ...],
    out: str,
    target: str | None,
    as_scheme: str | None,
    consensus: bool,
    labels_of: str | None,
    confidence: bool,
    unlabelled: str,
    excel_safe: bool,
    reading: Any,
    force: bool,
    quiet: bool,
) -> None:
    from crowdseq.reports.tables import count
    from crowdseq.workflows.converting import ConvertRequest, convert_files

    request = ConvertRequest(
        crowd=inputs,
        reading=reading,
        listener=terminal(quiet),
        out=out,
        target=target,
        as_scheme=as_scheme,
        consensus=consensus or labels_of is not None,
        labels_of=labels_of or "consensus",
        confidence=confidence,
        unlabelled=unlabelled,
        force=force,
        excel_safe=excel_safe,
    )
    written = convert_files(request)
    for made in () if quiet else written:
        for note in made.notes:
            click.echo(note, err=True)
        whose = (
            _WHOSE[labels_of or "consensus"]
            if consensus or labels_of
            else count(made.annotators, "annotator")
        )
        click.echo(f"{made.out}: {count(made.sentences, 'sentence')}, {whose}", err=True)
