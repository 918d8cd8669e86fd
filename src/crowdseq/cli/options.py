"""Options that several commands share, and what they turn into."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

Function = TypeVar("Function", bound=Callable[..., Any])


def crowd_options(function: Function) -> Function:
    """How a crowd is read, and which part of it; the command gets `reading` (ReadSettings, Selection)."""

    return _with_reading(function, (*_READING_OPTIONS, *_ANNOTATOR_OPTIONS))


def gold_options(function: Function) -> Function:
    """The same for a file of gold, in which no annotators are chosen."""
    return _with_reading(function, _READING_OPTIONS)


def _with_reading(function: Function, declared: tuple[Callable[[Any], Any], ...]) -> Function:
    @wraps(function)
    def wrapper(**options: Any) -> Any:
        return function(reading=_reading(options), **options)

    for option in reversed(declared):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


_READING_OPTIONS = (
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
    *(
        click.option(
            f"--{name}", type=click.Choice(choices), default=choices[0], show_default=True, help=words
        )
        for name, choices, words in (
            ("empty-means", ["ask", "labelled", "missing"], "What a document without spans means."),
            ("offset-unit", ["auto", "characters", "utf-16", "graphemes"], "What character offsets count."),
            ("overlaps", ["longest", "error", "layers"], "When spans of one annotator overlap."),
            ("cut-tokens", ["expand", "contract", "drop", "error"], "When a span cuts a token."),
            ("several-labels", ["error", "first", "joined"], "When one span has several labels."),
            ("discontinuous", ["error", "drop", "split"], "When a span has a gap."),
            ("sentences", ["document", "newline"], "What one sequence is, in text without sentences."),
            ("normalise", ["none", "nfc"], "Make texts equal that differ in Unicode form or line ends."),
        )
    ),
    click.option(
        "--tokenizer",
        default="words",
        show_default=True,
        help="For text without tokens: words, whitespace, regex:PATTERN or spacy:LANGUAGE.",
    ),
    click.option("--layer", help="The control, question or layer to read where a file has several."),
    click.option("--text-field", help="The field that holds the text where a file has several."),
    click.option("--types", metavar="A,B", help="Only spans of these types."),
    click.option("--predictions", is_flag=True, help="Read a model's predictions as one more annotator."),
    click.option(
        "--where", multiple=True, metavar="FIELD=VALUE", help="Keep records by any field; may be repeated."
    ),
)
_ANNOTATOR_OPTIONS = (
    click.option("--annotators", metavar="A,B", help="Keep only these annotators."),
    click.option("--without", metavar="A,B", help="Leave out these annotators."),
    click.option(
        "--names",
        metavar="MAP.csv",
        help="Rename annotators: a CSV file of old name, new name; a third cell 'document' renames those.",
    ),
)


_AS_THEY_ARE = (
    "format",
    "encoding",
    "scheme",
    "on_error",
    "rejects",
    "duplicates",
    "files_mean",
    "empty_means",
    "offset_unit",
    "overlaps",
    "cut_tokens",
    "several_labels",
    "discontinuous",
    "sentences",
    "normalise",
    "tokenizer",
    "layer",
    "text_field",
    "predictions",
)


def _reading(options: dict[str, Any]) -> tuple[Any, Any]:
    from crowdseq.formats.settings import ReadSettings
    from crowdseq.workflows.choosing import Selection, parse_where, read_names

    selection = Selection(
        where=parse_where(options.pop("where")),
        annotators=_listed(options.pop("annotators")) if "without" in options else (),
        without=_listed(options.pop("without", None)),
    )
    names = options.pop("names", None)
    chosen = {name: options.pop(name) for name in _AS_THEY_ARE}
    chosen |= {name: _listed(options.pop(name)) or None for name in ("labels", "columns", "types")}
    if chosen["on_error"] == "skip" and chosen["rejects"] is None:
        chosen["rejects"] = "rejected.jsonl"
    if names is not None:
        chosen["names"], chosen["documents"] = read_names(names)
    return ReadSettings(**chosen), selection


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def read_crowd(
    paths: tuple[str, ...], reading: tuple[Any, Any], *, silent: bool = False, is_gold: bool = False
) -> tuple[Any, Any]:
    """The chosen part of some files and the import report, whose notes go to stderr."""
    from crowdseq.errors import AnnotationError
    from crowdseq.formats import read

    settings, selection = reading
    imported = read(paths, settings)
    show_report(imported.report, silent, is_gold=is_gold)
    if len(imported.corpus) == 0:
        raise AnnotationError(f"{', '.join(paths)}: {imported.report.why_empty()}")
    return selection.apply(imported.corpus), imported.report


def show_report(report: Any, silent: bool, *, is_gold: bool = False) -> None:
    """The notes of an import report on stderr; where gold is read nobody misses annotators."""
    from crowdseq.reports.tables import visible

    for line in () if silent else report.lines(without=["no-annotators"] if is_gold else []):
        click.echo(visible(line), err=True)


def given_options(*names: str) -> dict[str, Any]:
    """The values of those options of the running command that the user gave."""
    context = click.get_current_context()
    defaults = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    return {
        name: context.params[name] for name in names if context.get_parameter_source(name) not in defaults
    }


json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text."
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes on stderr.")
force_option = click.option("--force", is_flag=True, help="Replace an output that exists.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For all that is drawn at random.",
)
excel_option = click.option(
    "--excel-safe",
    is_flag=True,
    help="In CSV, put an apostrophe before cells that a spreadsheet would run as a formula.",
)
crowd_argument = click.argument("crowd", nargs=-1, required=True)
