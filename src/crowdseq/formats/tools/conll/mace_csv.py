"""The CSV of MACE: one item a line, one annotator a column, nothing where somebody gave no label."""

from collections.abc import Iterator, Sequence

from crowdseq.core.building import Record
from crowdseq.core.labels import split_tag
from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import LIKELY, NO, Format, ReadRecord, Sample
from crowdseq.formats.table_io.csv_rows import Row, read_rows
from crowdseq.formats.tools.conll.answers import column_names

_SEPARATOR = ","
_LOOKED_AT = 2000


def recognise(sample: Sample) -> int:
    """Rows of equally many cells that hold tags of a chunk scheme or nothing, below names or not."""
    rows = [line.split(_SEPARATOR) for line in sample.lines[:_LOOKED_AT] if line]
    if not rows or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return NO
    below = rows[1:] if _are_names(rows[0], rows[1:]) else rows
    given = {cell.strip() for row in below for cell in row} - {""}
    return LIKELY if given and all(split_tag(cell)[0] for cell in given) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Sentences, parted by empty lines. The form has no tokens: made-up ones stand for them."""
    rows = list(read_rows(stream, collector, _SEPARATOR))
    first = next((row for row in rows if row.cells), None)
    if first is None:
        raise FormatError(Problem("the table is empty, a line for each item is expected", stream.name))
    names = column_names(len(first.cells))
    if _are_names(first.cells, [row.cells for row in rows if row is not first]):
        names = [cell.strip() for cell in first.cells]
        rows.remove(first)
        collector.warn(
            "first-row-names", "the first line names the annotators", Problem("", stream.name, first.line)
        )
    collector.check_columns(len(names), stream.name, first.line)
    if len(set(names)) < len(names):
        raise FormatError(Problem("two annotators have the same name, rename one", stream.name, first.line))
    n_tokens = 0
    for number, sentence in enumerate(_sentences(rows), 1):
        record = _record(sentence, names, f"{source.prefix}s{number}", stream.name, collector)
        if record is not None:
            n_tokens += len(record.tokens)
            yield ReadRecord(record, sentence[0].line, [row.cells for row in sentence])
    what = "tokens are not in the file, made-up ones stand in for them: no method learns from words"
    collector.warn("tokens-unknown", what, Problem("", stream.name), n_tokens)


def _are_names(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Names of annotators are filled, different, and never given as a label."""
    names = {cell.strip() for cell in first}
    given = {cell.strip() for row in others for cell in row}
    is_tag = any(split_tag(name)[0] for name in names)
    return bool(given) and len(names) == len(first) and "" not in names and not is_tag and not names & given


def _sentences(rows: Sequence[Row]) -> Iterator[list[Row]]:
    held: list[Row] = []
    for row in rows:
        if row.cells:
            held.append(row)
        elif held:
            yield held
            held = []
    if held:
        yield held


def _record(
    rows: list[Row], names: list[str], identity: str, file: str, collector: Collector
) -> Record | None:
    for row in rows:
        if len(row.cells) != len(names):
            what = f"{len(row.cells)} cells where the file has {len(names)} annotators, correct the line"
            collector.reject(Problem(what, file, row.line, identity), [other.cells for other in rows])
            return None
    columns = zip(*([cell.strip() or None for cell in row.cells] for row in rows), strict=True)
    votes = {who: column for who, column in zip(names, columns, strict=True) if any(column)}
    # A word that no other item shares cannot pass for a repeated mention.
    tokens = [f"{identity}:{place}" for place in range(len(rows))]
    return Record(tokens, identity, None, votes, place=f"{file}:{rows[0].line}")


FORMAT = Format(
    name="mace",
    summary="MACE CSV: an item a line, an annotator a column, empty lines between sentences; no tokens",
    recognise=recognise,
    read=read,
)
