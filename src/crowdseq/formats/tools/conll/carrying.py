"""Sentences taken out of columns and put back with a tag in the last one."""

import re
from collections.abc import Iterable, Iterator

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import LIKELY, NO, Back, Carried, Sample, with_tags
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER, Columns, parse_columns

_SPACES = re.compile(" +")  # not str.split(): a no-break space belongs to its token
_BLANK = " \t"
_GUESSED_FROM = 200
_EXTENSIONS = ("conll", "bio", "iob", "iob2", "tsv", "col")
_JSON_ARRAY = re.compile(r"\s*\[\s*[\[{]")
_TOKEN_FIRST = Columns(1, 0, None, {}, {})


def recognise_to_carry(sample: Sample) -> int:
    """Told by its name, by tabs in every line, or by the mark of a document."""
    lines = [line for line in (sample.lines or [sample.text])[:_GUESSED_FROM] if line.strip()]
    is_named = sample.has_extension(_EXTENSIONS)
    is_tabbed = bool(lines) and (all("\t" in line for line in lines) or lines[0].startswith(DOCUMENT_START))
    is_array = _JSON_ARRAY.match(sample.text) is not None
    return LIKELY if (is_named or is_tabbed) and not is_array else NO


def carry(stream: Stream, source: Source, collector: Collector, with_tabs: bool) -> Iterator[Carried]:
    """The sentences of columns; which one holds the token, and what others hold, the settings may say."""
    given = collector.settings.columns
    columns = parse_columns(given) if given else None
    return _from_columns(read_lines(stream, collector), source.name, with_tabs, columns)


def _from_columns(
    lines: Iterable[tuple[int, str]], name: str, tabs: bool, columns: Columns | None
) -> Iterator[Carried]:
    """Lines keep all that they have; the tag becomes their last column. Document marks are passed on."""
    waiting: list[str] = []
    between: list[str] = []
    document, begun = 0, 0
    for number, line in lines:
        if line.startswith(HEADER):
            told = "columns of annotators have no place for a tag, make it JSONL with convert first"
            raise FormatError(Problem(told, name, number))
        kept = "\t".join(_SPACES.split(line.strip(_BLANK))) if tabs and "\t" not in line else line
        if kept.strip(_BLANK) and not kept.startswith(DOCUMENT_START):
            if between:
                yield Carried((), None, _marks(between))
                between = []
            begun = begun if waiting else number
            waiting.append(kept)
            continue
        if waiting:
            yield _sentence(waiting, document, columns, Problem("", name, begun))
            waiting = []
        document += kept.startswith(DOCUMENT_START)
        between.append(kept.rstrip(_BLANK))
    if waiting:
        yield _sentence(waiting, document, columns, Problem("", name, begun))
    if between:
        yield Carried((), None, _marks(between))


def _sentence(rows: list[str], document: int, columns: Columns | None, place: Problem) -> Carried:
    separator = "\t" if any("\t" in row for row in rows) else " "
    # A line that ends in a tab has an empty last column; spaces at the end are nothing.
    rows = [row.strip(" ") if separator == " " else row.rstrip(" ") for row in rows]
    cells = [row.split("\t") if separator == "\t" else _SPACES.split(row) for row in rows]
    known = columns or _TOKEN_FIRST
    for number, row in enumerate(cells):
        if len(row) < known.size:
            what = f"{len(row)} columns where {known.size} are named"
            advice = Advice("correct the line or {columns}", columns="")
            raise FormatError(Problem(what, place.file, place.line + number, advice=advice))
    if all(len(row) == 1 for row in cells):
        separator = "\t"
    return Carried(
        tuple(row[known.token] for row in cells),
        f"d{document}",
        lambda tags, confidence: with_tags(rows, separator, tags, confidence),
        {other: tuple(row[at] for row in cells) for other, at in known.others.items()},
    )


def _marks(lines: list[str]) -> Back:
    """Blank lines as they are; marks of documents get as many columns as other lines."""

    def back(_: tuple[str, ...], confidence: list[float] | None) -> str:
        more = ["O"] if confidence is None else [f"{1:.4f}", "O"]
        return "".join(
            ("\t" if "\t" in line else " ").join([line, *more]) + "\n" if line else "\n" for line in lines
        )

    return back
