"""Rows of a spreadsheet (.xlsx): the first sheet with anything in it, or the one that is asked for."""

import io
import zipfile

from crowdseq.errors import Advice, FormatError, MissingExtraError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.foreign.worker import MissingLibrary, parse_or_refuse
from crowdseq.formats.table_io.csv_rows import Row, Table
from crowdseq.formats.table_io.long_columns import TASK, TOKEN, places_of

_ROWS_OF_TITLE = 10
_DAMAGED = (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError)


def read_sheet(stream: Stream, source: Source, collector: Collector) -> Table:
    """A table with names in its first row; rows without any value are left out.

    Parsed in a process of its own: it is XML inside a ZIP, of which nobody knows what it does to a parser.
    """
    data = b"".join(stream.blocks())
    _check_size(data, source, collector)
    damaged = Problem("the spreadsheet is damaged ({0}), save it again or as CSV", source.name)
    sheets: dict[str, list[Row]] = {}
    try:
        for title, rows in parse_or_refuse(collector.workers, "sheet_rows", [data], damaged):
            sheets.setdefault(title, []).extend(Row(number, cells) for number, cells in rows)
    except MissingLibrary:
        raise MissingExtraError("reading a spreadsheet (.xlsx)", "xlsx") from None
    rows = _below_title(_chosen(sheets, source, collector), source, collector)
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


def _below_title(rows: list[Row], source: Source, collector: Collector) -> list[Row]:
    """Rows from the one with the names of columns on; people put a title above it."""
    looked_at = rows[:_ROWS_OF_TITLE] if collector.settings.columns is None else []
    for number, row in enumerate(looked_at):
        places = places_of(row.cells)
        if TASK in places or (TOKEN in places and len(places) > 1):
            if number:
                what = "rows above the names of columns were left out"
                collector.warn("rows-left-out", what, Problem("", source.name, row.line), number)
            return rows[number:]
    return rows
