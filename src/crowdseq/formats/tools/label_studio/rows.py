"""Rows of Label Studio's JSON_MIN and CSV: one for each annotation, labels under the name of a control."""

import re
from collections.abc import Iterator
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.conventions.channels import Channels
from crowdseq.formats.conventions.fields import identity
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import LIKELY, MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.json_io.values import read_values
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.table_io.csv_rows import header_of, read_table
from crowdseq.formats.tools.label_studio.results import People, region_of
from crowdseq.formats.tools.label_studio.texts import text_of_task

UNKNOWN = "unknown"
OWN_KEYS = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", CARRIED)
_ROW = re.compile(r'"annotation_id"\s*:')
_BY = re.compile(r'"annotator"\s*:')
_TASKS = re.compile(r'"result"\s*:\s*\[')
_HEADER = ("annotation_id", "annotator")


class RowReader:
    """One pass over the rows of one file."""

    def __init__(self, file: str, collector: Collector) -> None:
        self.file, self.collector = file, collector
        self.marker = Marker(collector, file)
        self.controls, self.people = Channels(collector, file, "control"), People(collector)

    def records(self, row: dict[str, Any], line: int) -> list[Record]:
        """The record of one row (or those of its lines)."""
        labelled = {key: value for key, value in row.items() if _is_labels(value)}
        left = row.keys() - labelled.keys() - set(OWN_KEYS)
        others = {key: value for key, value in row.items() if key in left and value != []}
        values = [value for marked in labelled.values() for value in marked]
        text, field, turns = text_of_task(others, values, self.collector)
        del others[field]
        name = identity(row.get("id"), "the id of a task")
        document = reclaim(text, name, others, row.get(CARRIED))
        place = Problem("", self.file, line, document.id or "")
        regions: list[Region] = []
        for control, marked in labelled.items():
            if self.controls.takes(control):
                regions += [region_of(value, turns) for value in marked]
        return self.marker.records(document, {self._annotator(row, place): regions}, line=line)

    def finish(self) -> None:
        """Raise what can only be told at the end."""
        self.controls.finish()
        self.marker.finish()

    def _annotator(self, row: dict[str, Any], place: Problem) -> str:
        name = self.people.name(row.get("annotator"))
        if name is None:
            what = f"annotations do not say who made them, read as annotator '{UNKNOWN}'"
            self.collector.warn("annotator-unknown", what, place)
        return name or UNKNOWN


def _is_labels(value: Any) -> bool:
    """A list of regions; what a control for choices or text gives is none."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return False
    marked = [item for item in value if "start" in item and "end" in item]
    if marked and len(marked) < len(value):
        raise AnnotationError("a list of labels holds something that has no start and end")
    return bool(marked)


def recognise_min(sample: Sample) -> int:
    """Objects with `annotation_id` and `annotator`."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[") or _TASKS.search(text) or not _ROW.search(text):
        return NO
    return SURE if _BY.search(text) else LIKELY


def read_min(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """One record for each annotation; those of one task are joined by its id."""
    reader = RowReader(stream.name, collector)
    for line, row in read_values(stream, collector):
        if not isinstance(row, dict):
            collector.reject(Problem("an annotation must be a JSON object", stream.name, line), row)
            continue
        try:
            yield from (ReadRecord(record, line, row) for record in reader.records(row, line))
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, f"task {row.get('id')}"), row)
    reader.finish()


def recognise_csv(sample: Sample) -> int:
    """A table with the columns `annotation_id` and `annotator`."""
    if "annotation_id" not in sample.text:
        return NO
    return SURE if set(_HEADER) <= set(header_of(sample.text)) else NO


def read_csv(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """One record for each row; those of one task are joined by its id."""
    reader = RowReader(stream.name, collector)
    header, rows = read_table(stream, collector)
    for line, cells in rows:
        values = dict(zip(header, cells, strict=True))
        try:
            row = {key: _value(cell) if key != "text" else cell for key, cell in values.items()}
            found = reader.records(row, line)
            yield from (ReadRecord(record, line, dict(values)) for record in found)
        except AnnotationError as error:
            name = f"task {values.get('id')}"
            collector.reject(problem_of(error, stream.name, line, name), dict(values))
    reader.finish()


def _value(cell: str) -> Any:
    """A cell that holds a JSON list or object as that, any other as its text."""
    if not cell.startswith(("[{", '{"')):
        return cell
    try:
        return loads(cell)
    except JsonFault as fault:
        raise AnnotationError(f"a cell begins like JSON but is none ({fault}), export it again") from None


MIN_FORMAT = Format(
    name="label-studio-min",
    summary="Label Studio JSON_MIN: one object for each annotation",
    settings=(*MARKING, "layer", "text_field"),
    recognise=recognise_min,
    read=read_min,
)


CSV_FORMAT = Format(
    name="label-studio-csv",
    summary="Label Studio CSV or TSV: one row for each annotation, labels as JSON in a cell",
    settings=(*MARKING, "layer", "text_field"),
    recognise=recognise_csv,
    read=read_csv,
)
