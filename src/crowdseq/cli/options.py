"""Options that several commands share, and what they turn into."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


def crowd_options(function: Function) -> Function:
    """How a crowd is read, and which part of it; the command gets `reading` (ReadSettings, Selection)."""

    @wraps(function)
    def wrapper(**options: Any) -> Any:
        return function(reading=_reading(options), **options)

    for option in reversed(_CROWD_OPTIONS):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


_CROWD_OPTIONS = (
    click.option(
        "--from",
        "format",
        metavar="FORMAT",
        help="Read as this format instead of guessing (crowdseq formats).",
    ),
    click.option("--encoding", help="Text encoding of the files (default: UTF-8)."),
    click.option("--scheme", help="Label scheme instead of guessing: IO, IOB1, IOB2, BIOES, BILOU or plain."),
    click.option(
        "--on-error",
        type=click.Choice(["stop", "skip"]),
        default="stop",
        show_default=True,
        help="With skip, bad records are set aside in a rejects file, with the reason, and the rest is used.",
    ),
    click.option("--rejects", metavar="FILE", help="Where skipped records go (default: rejected.jsonl)."),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "newest"]),
        default="error",
        show_default=True,
        help="When an annotator labelled a sentence twice.",
    ),
    click.option(
        "--labels", metavar="A,B", help="The tags or entity types there are; any other is an error."
    ),
    click.option(
        "--columns",
        metavar="A,B",
        help="What the columns of CoNLL files hold: token, gold, column:NAME, an annotator, - for nothing.",
    ),
    click.option(
        "--files-mean",
        type=click.Choice(["auto", "gold", "annotator"]),
        default="auto",
        show_default=True,
        help="What one label column is; auto: an annotator in the files of a folder, else gold.",
    ),
    click.option(
        "--where", multiple=True, metavar="FIELD=VALUE", help="Keep records by any field; may be repeated."
    ),
    click.option("--annotators", metavar="A,B", help="Keep only these annotators."),
    click.option("--without", metavar="A,B", help="Leave out these annotators."),
    click.option("--names", metavar="MAP.csv", help="Rename annotators: a CSV file of old name, new name."),
)


def _reading(options: dict[str, Any]) -> tuple[Any, Any]:
    from crowdseq.formats.settings import ReadSettings
    from crowdseq.workflows.choosing import Selection, parse_where, read_names

    selection = Selection(
        where=parse_where(options.pop("where")),
        annotators=_listed(options.pop("annotators")),
        without=_listed(options.pop("without")),
    )
    names = options.pop("names")
    fields = ("format", "encoding", "scheme", "on_error", "rejects", "duplicates", "files_mean")
    chosen = {name: options.pop(name) for name in fields}
    chosen |= {name: _listed(options.pop(name)) or None for name in ("labels", "columns")}
    if chosen["on_error"] == "skip" and chosen["rejects"] is None:
        chosen["rejects"] = "rejected.jsonl"
    return ReadSettings(**chosen, names=read_names(names) if names else {}), selection


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def read_crowd(paths: tuple[str, ...], reading: tuple[Any, Any], *, silent: bool = False) -> tuple[Any, Any]:
    """The chosen part of some files and the import report, whose notes go to stderr."""
    from crowdseq.errors import AnnotationError
    from crowdseq.formats import read
    from crowdseq.reports.tables import visible

    settings, selection = reading
    imported = read(paths, settings)
    if not silent:
        for line in imported.report.lines():
            click.echo(visible(line), err=True)
    if len(imported.corpus) == 0:
        raise AnnotationError(f"{', '.join(paths)}: there are no sentences in it")
    return selection.apply(imported.corpus), imported.report


json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text."
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes on stderr.")
force_option = click.option("--force", is_flag=True, help="Replace an output that exists.")
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="For all that is drawn at random."
)
crowd_argument = click.argument("crowd", nargs=-1, required=True)
