"""The long table task, worker, label of crowd-kit as CSV: one row for each label of each annotator."""

import json
from collections.abc import Callable, Iterator
from typing import BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.names import AGREED, agreements
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.table_io.csv_rows import Row, Table, header_of, read_table, safe_cell, write_row
from crowdseq.formats.table_io.long_rows import (
    DOCUMENTS,
    INDEX,
    LABEL,
    TASK,
    WORKER,
    WORKERS,
    LongRow,
    RowCollector,
    is_long,
    losses,
    rows_of,
    split_task,
    token_index,
)

CONFIDENCE = "confidence"


def is_settled(header: list[str]) -> bool:
    """Whether these are the columns of a consensus, whose labels are nobody's."""
    names = {name.strip().lower() for name in header}
    return {TASK, LABEL, CONFIDENCE} <= names and not names & set(WORKERS)


def recognise(sample: Sample) -> int:
    """Told by the names of its columns."""
    header = header_of(sample.text)
    return SURE if is_long(header) or is_settled(header) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """Rows in any order to sentences; the labels of a consensus stand as gold."""
    table = read_table(stream, collector)
    if is_settled(list(table.header)):
        what = "columns of a consensus were left out, its labels are read as gold"
        left = [name for name in (CONFIDENCE, AGREED) if table.column(name) is not None]
        collector.warn("columns-left-out", what, Problem(", ".join(left), stream.name))
    elif not is_long(list(table.header)):
        what = f"has no columns {TASK}, {WORKER} and {LABEL}, but {', '.join(table.header[:10])}"
        raise FormatError(Problem(f"{what}: rename them in the first row", stream.name, 1))
    convert = _converter(table)
    collected = RowCollector(stream.name, collector)
    for row in table.rows:
        try:
            collected.take(convert(row))
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, row.line), row.cells)
    yield from collected.records()


def _converter(table: Table) -> Callable[[Row], LongRow]:
    """From the cells of a row to what they mean."""
    task, index = table.column(TASK), table.column(INDEX)
    found = (table.column(name) for name in DOCUMENTS)
    document = next((column for column in found if column is not None), None)
    who = next((column for column in map(table.column, WORKERS) if column is not None), None)
    label, token, gold = table.column(LABEL), table.column("token"), table.column("gold")

    def convert(row: Row) -> LongRow:
        def cell(column: int | None) -> str | None:
            return None if column is None else row.cells[column]

        if task is not None:
            sentence, number = split_task(row.cells[task])
            doc = cell(document) or None
        else:
            sentence, number, doc = cell(document) or "", token_index(cell(index) or ""), None
        if who is None:
            return LongRow(row.line, sentence, number, None, None, cell(token), doc, cell(label) or None)
        given = (cell(who) or None, cell(label) or None)
        return LongRow(row.line, sentence, number, *given, cell(token), doc, cell(gold) or None)

    return convert


def write(corpus: Corpus, out: BinaryIO, excel_safe: bool = False) -> list[str]:
    """task, worker, label, token, and document and gold where there are some."""
    put = _putter(out, excel_safe)
    with_doc = any(name is not None for name in corpus.text.documents)
    with_gold = bool((corpus.gold_tags >= 0).any())
    header = [TASK, WORKER, LABEL, "token", *(["doc"] if with_doc else []), *(["gold"] if with_gold else [])]
    put(header)
    silent = 0
    for row in rows_of(corpus):
        silent += row.annotator is None
        cells = [f"{row.sentence}:{row.token_number}", row.annotator or "", row.label or "", row.token or ""]
        put([*cells, *([row.doc or ""] * with_doc), *([row.gold or ""] * with_gold)])
    note = f"{silent} tokens that nobody labelled stand in rows without worker and label, for their text"
    return [*([note] if silent else []), *losses(corpus)]


def _putter(out: BinaryIO, excel_safe: bool) -> Callable[[list[str]], None]:
    if excel_safe:
        return lambda cells: write_row(out, list(map(safe_cell, cells)))
    return lambda cells: write_row(out, cells)


def write_consensus(consensus: Consensus, out: BinaryIO, excel_safe: bool = False) -> list[str]:
    """task, token, document, settled label, its confidence, and who gave the same label to the token."""
    corpus, put = consensus.corpus, _putter(out, excel_safe)
    put([TASK, "token", "doc", LABEL, CONFIDENCE, AGREED])
    bounds = corpus.offsets.tolist()
    for number, (sentence, named) in enumerate(zip(corpus.sentences, agreements(consensus), strict=True)):
        first = bounds[number]
        for index, (token, tag) in enumerate(zip(sentence.tokens, consensus.tags[number], strict=True)):
            agreed = json.dumps(named[index], ensure_ascii=False)
            sure = f"{consensus.token_confidence[first + index]:.6f}"
            put([f"{sentence.id}:{index}", token, sentence.doc or "", tag, sure, agreed])
    return losses(corpus.keep_annotators([]).without_gold())


FORMAT = Format(
    name="long",
    summary="long table task,worker,label as crowd-kit takes it, in CSV; a task is sentence:token",
    extensions=("csv",),
    recognise=recognise,
    read=read,
    has_cells=True,
    write=write,
    write_consensus=write_consensus,
)
