"""crowdseq tag."""

import click

from crowdseq.cli.options import engine_options, force_option, quiet_option, reading_option, typed_settings
from crowdseq.cli.terminal import terminal


@click.command(help="Label new text with a trained tagger.")
@click.argument("run", metavar="RUN|TAGGER")
@click.argument("input", default="-")
@click.option(
    "-o",
    "--out",
    default="-",
    show_default=True,
    help="Where to write; - is stdout. Of a quoted pattern ('part-*.jsonl') a folder, with a file for each.",
)
@click.option(
    "--resume", is_flag=True, help="Of a pattern: leave files alone that are in the folder already."
)
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help="Write as this format, jsonl (with the characters of each span) or any that `convert --consensus` "
    "can write, instead of guessing from the name or giving back what came.",
)
@reading_option(
    "format",
    "What the input is, instead of guessing: text (one sentence a line), conll or jsonl, which come "
    "back with tags in them, or any other format that can be read, which comes back as JSONL, as do "
    "folders and ZIPs.",
)
@reading_option("tokenizer")
@reading_option("sentences")
@reading_option(
    "columns",
    "What the columns of the input hold, if the token is not the first or the tagger needs others: "
    "token, column:NAME, - for anything else.",
)
@click.option("--confidence", is_flag=True, help="Add the probability of every tag.")
@reading_option("encoding")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="They change no number."
)
@engine_options
@force_option
@quiet_option
def command(
    run: str,
    input: str,
    out: str,
    target: str | None,
    format: str | None,
    tokenizer: str,
    sentences: str,
    columns: str | None,
    confidence: bool,
    encoding: str | None,
    threads: int,
    engine: str | None,
    workers: int | None,
    address: str | None,
    resume: bool,
    force: bool,
    quiet: bool,
) -> None:
    from crowdseq.workflows.tagging import TagRequest, tag_text

    request = TagRequest(
        tagger=run,
        input=input,
        out=out,
        target=target,
        settings=typed_settings(
            format=format, encoding=encoding, tokenizer=tokenizer, sentences=sentences, columns=columns
        ),
        confidence=confidence,
        threads=threads,
        engine=engine or "local",
        workers=workers,
        address=address,
        force=force,
        resume=resume,
        listener=terminal(quiet, progress=out != "-"),
    )
    tag_text(request)
