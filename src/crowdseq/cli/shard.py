"""crowdseq shard."""

from pathlib import Path
from typing import Any

import click

from crowdseq.cli.options import crowd_argument, crowd_options, force_option, json_option, quiet_option
from crowdseq.cli.terminal import print_json, terminal


@click.command(help="Cut a large corpus into shards of whole documents, never holding it in memory.")
@crowd_argument
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Where they go."
)
@click.option(
    "--shard-tokens",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="Tokens of a shard at most; a longer document is a shard of its own.",
)
@crowd_options
@force_option
@json_option
@quiet_option
def command(
    crowd: tuple[str, ...],
    reading: Any,
    out: Path,
    shard_tokens: int,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.workflows.sharded.cutting import ShardRequest, shard_files

    request = ShardRequest(
        crowd=crowd,
        reading=reading,
        listener=terminal(quiet),
        out=out,
        shard_tokens=shard_tokens,
        force=force,
    )
    made = shard_files(request).as_dict()
    if as_json:
        print_json(made)
        return
    click.echo(
        f"{made['sentences']:,} sentences, {made['tokens']:,} tokens of {made['annotators']:,} annotators in "
        f"{made['shards']:,} shards: {out}/"
    )
    click.echo(f"learn from all of them: crowdseq learn {out} -o RUN")
