"""crowdseq convert."""

from typing import Any

import click

from crowdseq.cli.options import crowd_options, force_option, quiet_option, read_crowd


@click.command(help="Turn files of one format into another.")
@click.argument("inputs", nargs=-1, required=True)
@click.option("-o", "--out", required=True, help="The file or folder to write; - is stdout.")
@click.option(
    "--to", "target", metavar="FORMAT", help="Write as this format instead of guessing from the name."
)
@click.option("--as-scheme", metavar="SCHEME", help="Write the tags in another chunk scheme, e.g. BIOES.")
@crowd_options
@force_option
@quiet_option
def command(
    inputs: tuple[str, ...],
    out: str,
    target: str | None,
    as_scheme: str | None,
    reading: Any,
    force: bool,
    quiet: bool,
) -> None:
    from crowdseq.formats import write

    corpus, _ = read_crowd(inputs, reading, silent=quiet)
    if as_scheme is not None:
        corpus = corpus.as_scheme(as_scheme)
    notes = write(corpus, out, format=target, force=force)
    if not quiet:
        for note in notes:
            click.echo(note, err=True)
        click.echo(f"{out}: {len(corpus):,} sentences, {len(corpus.annotators)} annotators", err=True)
