"""Rows of a spreadsheet (.xlsx): the first sheet with anything in it, or the one that is asked for."""

import io
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

from crowdseq.errors import Advice, FormatError, MissingExtraError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.table_io.csv_rows import Row, Table

_DAMAGED = (
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    OSError,
)


def read_sheet(stream: Stream, source: Source, collector: Collector) -> Table:
    """A table with names in its first row; rows without any value are left out."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError("reading a spreadsheet (.xlsx)", "xlsx") from None
    data = b"".join(stream.blocks())
    _check_size(data, source, collector)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles, of which nothing is read
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = {sheet.title: list(_rows(sheet)) for sheet in book.worksheets}
    except (*_DAMAGED, SyntaxError) as error:  # broken XML is a kind of SyntaxError
        what = f"the spreadsheet is damaged ({' '.join(str(error).split())[:100]}), save it again or as CSV"
        raise FormatError(Problem(what, source.name)) from None
    rows = _chosen(sheets, source, collector)
    header, size = rows[0].cells, len(rows[0].cells)
    even = (Row(row.line, (row.cells + [""] * size)[:size]) for row in rows[1:])
    return Table(tuple(header), even)


def _check_size(data: bytes, source: Source, collector: Collector) -> None:
    """An archive that would fill the memory is refused before anything of it is unpacked."""
    limits = collector.settings.limits
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except _DAMAGED as error:
        raise FormatError(
            Problem(f"the spreadsheet is damaged ({error}), save it again", source.name)
        ) from None
    is_bomb = unpacked > limits.ratio_after and unpacked > limits.ratio * len(data)
    if unpacked > limits.unpacked_bytes or is_bomb:
        raise FormatError(Problem(f"unpacks to {unpacked:,} bytes, save it as CSV and split it", source.name))


def _rows(sheet: Any) -> Iterator[Row]:
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = [_text(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield Row(number, texts)


def _chosen(sheets: dict[str, list[Row]], source: Source, collector: Collector) -> list[Row]:
    filled = {name: rows for name, rows in sheets.items() if rows}
    asked = collector.settings.layer
    if asked is not None and asked not in filled:
        what = f"there is no sheet '{asked}' with anything in it, but {', '.join(filled)}:"
        raise FormatError(Problem(what, source.name, advice=Advice("name one with {layer}", layer="")))
    if not filled:
        raise FormatError(Problem("the spreadsheet is empty", source.name))
    name = asked or next(iter(filled))
    others = [other for other in filled if other != name]
    if others and asked is None:
        advice = Advice("read another with {layer}", layer=others[0])
        what = f"only the sheet '{name}' was read, not {', '.join(others)};"
        collector.warn("sheets-left-out", what, Problem("", source.name), advice=advice)
    return filled[name]


def _text(value: Any) -> str:
    """A cell as a person sees it: 3 and not 3.0."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
