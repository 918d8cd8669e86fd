"""Rows of CSV: any of three separators, cells of any length, quotes over lines, strict where it must be."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.files.lines import head_text, read_text
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector

SEPARATORS = ",;\t"
_NEEDS_QUOTES = re.compile(r'[,;\t"\r\n]')
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_SAYS_SEPARATOR = re.compile(r"\ufeff?sep=([,;\t])\r?\n", re.IGNORECASE)  # for Excel, above the names
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


class Row(NamedTuple):
    """The line that a row begins at, and its cells."""

    line: int
    cells: list[str]


class Table(NamedTuple):
    """The names of the columns, and the rows below them."""

    header: tuple[str, ...]
    rows: Iterator[Row]

    def column(self, name: str) -> int | None:
        """Where a column of this name stands, in any case of letters; None if there is none."""
        names = [cell.strip().lower() for cell in self.header]
        return names.index(name.lower()) if name.lower() in names else None


def read_rows(stream: Stream, collector: Collector, separator: str) -> Iterator[Row]:
    """All rows, blank lines as rows without cells; a broken quote ends the reading of this file."""
    # One limit for the whole process: raising it harms nobody, restoring it could harm another reader.
    csv.field_size_limit(max(csv.field_size_limit(), collector.settings.limits.line_bytes))
    text = read_text(stream, collector)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in rows:
            yield Row(line, cells)
            line = rows.line_num + 1
    except csv.Error as error:
        what = f"not CSV ({error}), a quote inside a cell is written twice: correct the row"
        raise FormatError(Problem(what, stream.name, line)) from None


def read_table(stream: Stream, collector: Collector) -> Table:
    """A table with names in its first row; rows of another length are rejected, blank lines left out."""
    separator = separator_of(head_text(stream, collector.settings.encoding))
    rows = read_rows(stream, collector, separator)
    if _SAYS_SEPARATOR.match(head_text(stream, collector.settings.encoding)):
        next(rows, None)
    first = next((row for row in rows if row.cells), None)
    if first is None:
        raise FormatError(
            Problem("the table is empty, a row with the names of columns is expected", stream.name)
        )
    header = tuple(first.cells)
    collector.check_columns(len(header), stream.name, first.line)
    return Table(header, _even_rows(rows, len(header), stream.name, collector))


def _even_rows(rows: Iterator[Row], size: int, name: str, collector: Collector) -> Iterator[Row]:
    for row in rows:
        if len(row.cells) == size:
            yield row
        elif row.cells:
            what = f"{len(row.cells)} cells where the table has {size} columns, correct the row"
            collector.reject(Problem(what, name, row.line), row.cells)


def separator_of(text: str) -> str:
    """The separator that cuts the first line into most cells, the comma where it does not matter."""
    said = _SAYS_SEPARATOR.match(text)
    if said is not None:
        return said[1]
    return max(SEPARATORS, key=lambda separator: len(header_of(text, separator)))


def header_of(text: str, separator: str | None = None) -> list[str]:
    """The cells of the first line of a text, which may be only the beginning of a file."""
    chosen = separator or separator_of(text)
    said = _SAYS_SEPARATOR.match(text)
    text = text[said.end() :] if said is not None else text
    first = next((line for line in io.StringIO(text.removeprefix("\ufeff")) if line.strip()), "")
    try:
        return next(csv.reader([first[:100_000]], delimiter=chosen), [])
    except csv.Error:
        return []


def write_row(out: BinaryIO, cells: Sequence[str]) -> None:
    """One row; quoted wherever a reader could take a cell for something else, a lone CR too."""
    line = ",".join(map(_quoted, cells)) + "\n"
    try:
        out.write(line.encode("utf-8"))
    except UnicodeEncodeError:
        shown = ascii(cells)[:80]
        raise AnnotationError(f"{shown} holds half a character (a lone surrogate), correct it") from None


def safe_cell(cell: str) -> str:
    """The cell with an apostrophe before it if a spreadsheet would take it for a formula and run it."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) else cell


def safe_table(text: str) -> str:
    """A whole table with safe cells, numbers left alone."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for cells in csv.reader(io.StringIO(text, newline="")):
        rows.writerow([cell if _NUMBER.fullmatch(cell) else safe_cell(cell) for cell in cells])
    return out.getvalue()


def _quoted(cell: str) -> str:
    if not _NEEDS_QUOTES.search(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'
