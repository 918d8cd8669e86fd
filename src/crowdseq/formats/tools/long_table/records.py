"""A long table, wherever it was read from, to the records of its sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.names import AGREED
from crowdseq.formats.conventions.roles import annotator_of
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import ReadRecord
from crowdseq.formats.table_io.csv_rows import Table
from crowdseq.formats.table_io.long_columns import (
    LABEL,
    NEEDED,
    TASK,
    WORKER,
    LongColumns,
    are_offsets,
    is_long,
    long_columns,
    spans_refused,
)
from crowdseq.formats.table_io.long_rows import LongRow, RowCollector
from crowdseq.formats.table_io.wide_columns import wide_columns

CONFIDENCE = "confidence"
ROWS_LOOKED_AT = 200


def is_settled(header: list[str]) -> bool:
    """Whether these are the columns of a consensus, whose labels are nobody's."""
    names = {name.strip().lower() for name in header}
    return {TASK, LABEL, CONFIDENCE} <= names and not is_long(header)


def read_long(table: Table, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The sentences of a table, wherever it was read from."""
    if is_settled(list(table.header)):
        what = "columns of a consensus were left out, its labels are read as gold"
        left = [name for name in (CONFIDENCE, AGREED) if table.column(name) is not None]
        collector.warn("columns-left-out", what, Problem(", ".join(left), source.name))
    asked = collector.settings.columns
    columns = long_columns(table.header, asked)
    if columns is None:
        yield from _read_wide(table, source, collector)
        return
    annotator = None if columns.has_workers else annotator_of(source, collector)
    _tell(columns, table, source.name, collector)
    collected = RowCollector(source.name, collector)
    for row in table.rows:
        try:
            taken = columns.row(row.line, row.cells)
            collected.take(taken if annotator is None else _of(taken, annotator))
        except AnnotationError as error:
            collector.reject(problem_of(error, source.name, row.line), row.cells)
    yield from collected.records()


def _read_wide(table: Table, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    first = list(islice(table.rows, ROWS_LOOKED_AT))
    columns = wide_columns(table.header, [row.cells for row in first], collector.settings.columns)
    if columns is None:
        raise FormatError(missing_columns(table.header, source.name))
    twice = [name for name, count in Counter(map(str.strip, table.header)).items() if name and count > 1]
    if twice:
        raise FormatError(Problem(f"has two columns called {twice[0]}, rename one", source.name, 1))
    advice = Advice("say otherwise with {columns}", columns="")
    what = f"columns were taken for annotators: {', '.join(columns.annotators)};"
    collector.warn("columns-guessed", what, Problem("", source.name), advice=advice)
    collected = RowCollector(source.name, collector, drops_silent=True)
    for row in chain(first, table.rows):
        try:
            for taken in columns.rows(row.line, row.cells):
                collected.take(taken)
        except AnnotationError as error:
            collector.reject(problem_of(error, source.name, row.line), row.cells)
    yield from collected.records()


def missing_columns(header: Sequence[str], file: str) -> Problem:
    """What a table needs to be read, and how to say which of its columns that is."""
    if are_offsets(header):
        return spans_refused(header, file)
    what = f"has no columns {TASK}, {WORKER} and {LABEL}, but {', '.join(header[:10])}:"
    shown = ",".join(f"{role}=…" for role in NEEDED)
    return Problem(what, file, 1, advice=Advice("say which column is what: {columns}", columns=shown))


def _of(row: LongRow, annotator: str) -> LongRow:
    """The same row as a vote."""
    return row._replace(annotator=annotator, label=row.gold, gold=None)


def _tell(columns: LongColumns, table: Table, file: str, collector: Collector) -> None:
    """What was taken for what, where names are not those that we write ourselves."""
    usual = (TASK, WORKER, LABEL, "token_index", "token", "gold", "doc", "doc_id", "sentence_id", "annotator")
    if collector.settings.columns is not None or all(
        table.header[at].lower() in usual for at in columns.places.values()
    ):
        return
    shown = ", ".join(f"{role}={table.header[place]}" for role, place in columns.places.items())
    advice = Advice("say otherwise with {columns}", columns="")
    collector.warn("columns-guessed", f"columns were taken as {shown};", Problem("", file), advice=advice)
