"""crowdseq tag."""

import sys
from io import TextIOWrapper

import click

from crowdseq.cli.options import force_option, quiet_option
from crowdseq.cli.progress import progress_shown


@click.command(help="Label new text with a trained tagger.")
@click.argument("run", metavar="RUN|TAGGER")
@click.argument("input", default="-")
@click.option("-o", "--out", default="-", show_default=True, help="Where to write; - is stdout.")
@click.option(
    "--from",
    "format",
    metavar="FORMAT",
    help="What the input is, instead of guessing: text (one sentence a line), conll or jsonl, which come "
    "back with tags in them, or any other format that can be read, which comes back as JSONL.",
)
@click.option(
    "--tokenizer",
    default="words",
    show_default=True,
    help="For plain text: words, whitespace or regex:PATTERN.",
)
@click.option(
    "--columns",
    metavar="A,B",
    help="What the columns of the input hold, if the token is not the first or the tagger needs others: "
    "token, column:NAME, - for anything else.",
)
@click.option("--confidence", is_flag=True, help="Add the probability of every tag.")
@click.option("--encoding", help="Text encoding of the input (default: UTF-8).")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="They change no number."
)
@force_option
@quiet_option
def command(
    run: str,
    input: str,
    out: str,
    format: str | None,
    tokenizer: str,
    columns: str | None,
    confidence: bool,
    encoding: str | None,
    threads: int,
    force: bool,
    quiet: bool,
) -> None:
    from crowdseq.formats.settings import ReadSettings
    from crowdseq.storage.atomic import AtomicFile
    from crowdseq.workflows.tagging import open_tagger, tag_file

    tagger = open_tagger(run)
    with progress_shown(quiet or out == "-", notes=not quiet) as progress:
        pieces = tag_file(
            tagger,
            input,
            confidence=confidence,
            threads=threads,
            settings=ReadSettings(
                format=format,
                encoding=encoding,
                tokenizer=tokenizer,
                columns=tuple(columns.split(",")) if columns else None,
            ),
            progress=progress,
        )
        if out == "-":
            if isinstance(sys.stdout, TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")  # as files are, whatever the terminal is set to
            for piece in pieces:
                sys.stdout.write(piece)
            return
        with AtomicFile(out, force=force) as file:
            for piece in pieces:
                file.write(piece.encode("utf-8"))
