"""Sentences taken out of columns and put back with a tag in the last one."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER, Columns

# Tags and, if asked for, their confidence, to the text that a sentence becomes.
Back: TypeAlias = Callable[[tuple[str, ...], list[float] | None], str]

_SPACES = re.compile(" +")  # not str.split(): a no-break space belongs to its token
_BLANK = " \t"
_TOKEN_FIRST = Columns(1, 0, None, {}, {})


@dataclass(frozen=True)
class Carried:
    """One sentence: its tokens, its document, its way back into the file, and what else its tokens have."""

    tokens: tuple[str, ...]
    doc: str | int | None
    back: Back
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def from_columns(
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
            advice = Advice("mend the line or {columns}", columns="")
            raise FormatError(Problem(what, place.file, place.line + number, advice=advice))
    if all(len(row) == 1 for row in cells):
        separator = "\t"
    return Carried(
        tuple(row[known.token] for row in cells),
        f"d{document}",
        lambda tags, confidence: with_tags(rows, separator, tags, confidence),
        {other: tuple(row[at] for row in cells) for other, at in known.others.items()},
    )


def with_tags(
    rows: Sequence[str], separator: str, tags: tuple[str, ...], confidence: list[float] | None
) -> str:
    """Lines with a tag at their end, and its confidence before it."""
    more = [tags] if confidence is None else [tuple(f"{value:.4f}" for value in confidence), tags]
    return "".join(separator.join(cells) + "\n" for cells in zip(rows, *more, strict=True))


def _marks(lines: list[str]) -> Back:
    """Blank lines as they are; marks of documents get as many columns as other lines."""

    def back(_: tuple[str, ...], confidence: list[float] | None) -> str:
        more = ["O"] if confidence is None else [f"{1:.4f}", "O"]
        return "".join(
            ("\t" if "\t" in line else " ").join([line, *more]) + "\n" if line else "\n" for line in lines
        )

    return back
