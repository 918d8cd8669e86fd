"""crowdseq merge."""

from pathlib import Path

import click

from crowdseq.cli.options import excel_option, force_option, json_option, quiet_option
from crowdseq.cli.terminal import print_json, terminal, typed_command


@click.command(help="Put together to one run what learn --piece settled of a folder of shards.")
@click.argument("shards", type=click.Path(path_type=Path))
@click.argument("pieces", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run folder."
)
@click.option("--no-tagger", is_flag=True, help="Stop at the consensus.")
@click.option(
    "--targets",
    type=click.Choice(["hard", "soft"]),
    default="hard",
    show_default=True,
    help="What the tagger learns from: settled tags or posteriors.",
)
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="They change no number."
)
@click.option(
    "--max-memory",
    type=click.FloatRange(0),
    metavar="MB",
    help="Keep the shards on disk if training the tagger would need more than this.",
)
@excel_option
@force_option
@json_option
@quiet_option
def command(
    shards: Path,
    pieces: tuple[Path, ...],
    out: Path,
    no_tagger: bool,
    targets: str,
    threads: int,
    max_memory: float | None,
    excel_safe: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.reports.runs import run_in_words
    from crowdseq.workflows.sharded.pieces import MergeRequest, merge_pieces

    request = MergeRequest(
        shards=shards,
        pieces=pieces,
        out=out,
        tagger=not no_tagger,
        targets=targets,
        threads=threads,
        max_memory=max_memory,
        force=force,
        excel_safe=excel_safe,
        listener=terminal(quiet),
        command=typed_command(),
    )
    merged = merge_pieces(request)
    if as_json:
        print_json(merged.as_dict())
    else:
        click.echo(run_in_words(merged.run.consensus, merged.run.metrics))
        click.echo(f"\nwritten to {out}/: {', '.join(sorted(merged.paths))}")
