"""The long table task, worker, label of crowd-kit as CSV: one row for each label of each annotator."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.conventions.names import AGREED, agreements
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.table_io.csv_rows import header_of, read_table, safe_cell, separator_of, write_row
from crowdseq.formats.table_io.long_columns import (
    LABEL,
    SENTENCE,
    TASK,
    TOKEN,
    WORKER,
    is_long,
    long_columns,
    places_of,
)
from crowdseq.formats.table_io.long_rows import losses, rows_of
from crowdseq.formats.table_io.wide_columns import wide_columns
from crowdseq.formats.tools.long_table.records import CONFIDENCE, ROWS_LOOKED_AT, is_settled, read_long


def recognise(sample: Sample) -> int:
    """Told by the names of its columns; one without annotators only where no columns of CoNLL are like it."""
    header = header_of(sample.text)
    if is_long(header) or is_settled(header):
        return SURE
    separator = separator_of(sample.text)
    if separator == "\t" and not _names_every_sentence(header, sample):
        return NO
    if long_columns(header) is not None:
        return SURE
    if TOKEN not in places_of(header):
        return NO
    rows = list(csv.reader(sample.lines[1:ROWS_LOOKED_AT], delimiter=separator))
    return SURE if wide_columns(header, rows) is not None else NO


def _names_every_sentence(header: Sequence[str], sample: Sample) -> bool:
    """Whether a column tells the sentence and no blank line does, as it would in columns of CoNLL."""
    return SENTENCE in places_of(header) and all(line.strip() for line in sample.lines[:-1])


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Rows in any order to sentences; the labels of a consensus stand as gold."""
    yield from read_long(read_table(stream, collector), source, collector)


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
    summary="long table in CSV: sentence, token, annotator, label, or task,worker,label of crowd-kit",
    extensions=("csv",),
    settings=("columns", "files_mean"),
    recognise=recognise,
    read=read,
    has_cells=True,
    write=write,
    write_consensus=write_consensus,
)
