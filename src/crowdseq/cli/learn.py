"""crowdseq learn."""

from pathlib import Path
from typing import Any

import click

from crowdseq.cli.options import (
    crowd_argument,
    crowd_options,
    engine_options,
    excel_option,
    force_option,
    given_options,
    json_option,
    quiet_option,
    seed_option,
)
from crowdseq.cli.terminal import print_json, terminal, terminal_width, typed_command


@click.command(help="Learn consensus, annotator scores and a tagger, and write them to a run folder.")
@crowd_argument
@click.option("-m", "--method", default="sa-slc", show_default=True, help="Which method (crowdseq methods).")
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run folder."
)
@click.option("--dev", metavar="GOLD", help="Text with gold by which sa-slc chooses its best round.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@click.option(
    "--threads",
    type=click.IntRange(1),
    show_default="all cores",
    help="For methods that can use them; the result is the same to the bit for any number.",
)
@click.option(
    "--max-memory",
    type=click.FloatRange(0),
    metavar="MB",
    help="Keep the shards on disk if the run would need more than this; refuse it if that is not enough.",
)
@engine_options
@click.option(
    "--deterministic", is_flag=True, help="Accepted for scripts: results are bit-equal in any case."
)
@click.option(
    "--silence",
    type=click.Choice(["labelled", "abstains", "auto"]),
    help="What it means to leave a token outside: a vote for O, no vote, or what the crowd tells. "
    "[default: as the method has it]",
)
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    metavar="TYPE=FILE",
    help="A list of names, one a line, to search the text for; may be repeated.",
)
@click.option(
    "--vectors",
    metavar="FILE",
    help="Word vectors that tell which words are used alike (word2vec, GloVe, npy+words, safetensors, "
    "Parquet), or `auto` for an installed package; used where they help.",
)
@click.option(
    "--unlabelled",
    multiple=True,
    metavar="TEXT",
    help="Text of the same kind without labels, from which word vectors are learned; may be repeated.",
)
@click.option(
    "--text-model",
    type=click.Choice(["crf", "network", "transformer"]),
    default="crf",
    show_default=True,
    help="What reads the text: the CRF alone, joined by a network over the states of a language model, or by "
    "the fine-tuned model in the tagger too (extra neural).",
)
@click.option("--model", metavar="PATH", help="The folder of that language model, in Hugging Face's layout.")
@click.option(
    "--piece",
    metavar="I/N",
    help="Of a folder of shards settle only every N-th, from the I-th on (majority-vote, gold), for "
    "crowdseq merge.",
)
@click.option("--no-tagger", is_flag=True, help="Stop at the consensus.")
@click.option(
    "--targets",
    type=click.Choice(["hard", "soft"]),
    default="hard",
    show_default=True,
    help="What the tagger that follows a plain method learns from: settled tags or posteriors.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting of the method; may be repeated.",
)
@seed_option
@excel_option
@crowd_options
@force_option
@json_option
@quiet_option
def command(
    crowd: tuple[str, ...],
    reading: Any,
    method: str,
    out: Path,
    dev: str | None,
    resume: bool,
    deterministic: bool,  # noqa: ARG001  nothing to do: sums have a fixed order
    piece: str | None,
    no_tagger: bool,
    targets: str,
    lexicons: tuple[str, ...],
    vectors: str | None,
    unlabelled: tuple[str, ...],
    text_model: str,
    model: str | None,
    settings: tuple[str, ...],
    excel_safe: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **_: Any,  # seed, threads, memory and silence: only those that were given are asked for, below
) -> None:
    from crowdseq.reports.runs import run_in_words, suggestions_in_words
    from crowdseq.workflows.learning.from_files import LearnRequest, learn_files

    request = LearnRequest(
        crowd=crowd,
        reading=reading,
        listener=terminal(quiet),
        out=out,
        method=method,
        settings=settings,
        dev=dev,
        resume=resume,
        tagger=not no_tagger,
        targets=targets,
        lexicons=lexicons,
        vectors=vectors,
        unlabelled=unlabelled,
        text_model=text_model,
        model=model,
        force=force,
        excel_safe=excel_safe,
        command=typed_command(),
        **given_options("seed", "threads", "max_memory", "engine", "workers", "address", "silence"),
    )
    if piece is not None:
        numbers = request.settle_piece(piece)
        told = f"{len(numbers):,} shards settled in {out}/; put all pieces together: crowdseq merge"
        if as_json:
            print_json({"piece": piece, "shards": list(numbers), "folder": str(out)})
        else:
            click.echo(told)
        return
    try:
        saved = learn_files(request)
    except KeyboardInterrupt:
        kept = out.with_name(f"{out.name}.part")
        if (kept / "checkpoint.safetensors").exists():
            click.echo(f"\n{kept} holds what was learned so far: go on with --resume", err=True)
        raise
    if as_json:
        print_json(saved.as_dict())
    else:
        click.echo(run_in_words(saved.run.consensus, saved.run.metrics, terminal_width()))
        click.echo(f"\nwritten to {out}/: {', '.join(sorted(saved.paths))}")
        if told := suggestions_in_words(saved.run.suggestions):
            click.echo(f"{told}: {out / 'suggestions.jsonl'}")
        click.echo(f"the report: {out / 'report.html'}")
