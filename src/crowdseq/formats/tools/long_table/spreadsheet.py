"""Spreadsheets (.xlsx): a long table, one row for each label."""

from collections.abc import Iterator

from crowdseq.formats.files.sources import Source, Stream, is_spreadsheet
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.table_io.sheet import read_sheet
from crowdseq.formats.tools.long_table.records import read_long


def recognise(sample: Sample) -> int:
    """A ZIP with a workbook in it."""
    return SURE if is_spreadsheet(sample.head) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Rows in any order to sentences."""
    yield from read_long(read_sheet(stream, source, collector), source, collector)


FORMAT = Format(
    name="xlsx",
    summary="a spreadsheet with a long table: sentence, token, annotator, label (extra: xlsx)",
    extensions=("xlsx",),
    settings=("columns", "files_mean", "layer"),
    recognise=recognise,
    read=read,
)
