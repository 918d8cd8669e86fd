"""The AMT form `answers.txt`: a token and one label for each annotator in a line, `?` for no answer."""

from collections.abc import Iterator

from crowdseq.core.building import Record
from crowdseq.core.labels import split_tag
from crowdseq.errors import Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.table_io.missing import UNLABELLED
from crowdseq.formats.tools.conll.blocks import Block, BlockReader, cut_at_spaces
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER

_LOOKED_AT = 2000


def recognise(sample: Sample) -> int:
    """Rows of equally many cells, all behind the token being tags of a chunk scheme or `?`, which occurs."""
    if sample.text.startswith(HEADER):
        return NO
    rows = [cut_at_spaces(line) for line in sample.lines[:_LOOKED_AT] if line.strip(" \t")]
    rows = [row for row in rows if row[0] != DOCUMENT_START]
    if not rows or len(rows[0]) < 3 or len({len(row) for row in rows}) > 1:
        return NO
    given = {cell for row in rows for cell in row[1:]}
    is_ours = UNLABELLED in given and all(cell == UNLABELLED or split_tag(cell)[0] for cell in given)
    return SURE if is_ours else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The sentences; annotators are called w1, w2, … by their column."""
    names: list[str] = []
    for number, block in enumerate(BlockReader(stream, collector).blocks(), 1):
        rows = [cut_at_spaces(line) for line in block.rows]
        if rows and not names:
            collector.check_columns(len(rows[0]), stream.name, block.line)
            names = column_names(len(rows[0]) - 1)
        fault = block.fault or _fault(block, rows, len(names) + 1, stream.name)
        if fault is not None:
            collector.reject(fault, block.raw)
            continue
        place = f"{stream.name}:{block.line}"
        yield ReadRecord(
            _record(rows, names, f"{source.prefix}s{number}", block, source, place), block.line, block.raw
        )


def column_names(count: int) -> list[str]:
    """w1, w2, … with as many digits as the last one needs, so that they sort as they stand."""
    return [f"w{number:0{len(str(count))}}" for number in range(1, count + 1)]


def _fault(block: Block, rows: list[list[str]], size: int, name: str) -> Problem | None:
    for place, row in enumerate(rows):
        if len(row) != size or size < 2:
            what = f"{len(row) - 1} answers where the first token has {size - 1}, write ? for no answer"
            return Problem(what, name, block.line_of(place))
    return None


def _record(
    rows: list[list[str]], names: list[str], identity: str, block: Block, source: Source, place: str
) -> Record:
    tokens, *columns = zip(*rows, strict=True)
    votes = {
        who: [None if tag == UNLABELLED else tag for tag in column]
        for who, column in zip(names, columns, strict=True)
        if any(tag != UNLABELLED for tag in column)
    }
    doc = f"{source.prefix}d{block.document}" if block.document else None
    return Record(tokens, identity, doc, votes, place=place)


FORMAT = Format(
    name="answers",
    summary="answers.txt of crowd studies: token and one label an annotator in a line, ? for none",
    extensions=("answers.txt",),
    recognise=recognise,
    read=read,
)
