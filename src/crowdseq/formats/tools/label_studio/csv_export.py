"""Label Studio CSV and TSV: one row for each annotation, labels as JSON in a cell."""

from collections.abc import Iterator
from typing import Any

from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import MARKING, NO, SURE, Format, Found, Sample
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.table_io.csv_rows import header_of, read_table
from crowdseq.formats.tools.label_studio.rows import RowReader

_MARKS = ("annotation_id", "annotator")


def recognise(sample: Sample) -> int:
    """A table with the columns `annotation_id` and `annotator`."""
    if "annotation_id" not in sample.text:
        return NO
    return SURE if set(_MARKS) <= set(header_of(sample.text)) else NO


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:  # noqa: ARG001
    """One record for each row; those of one task are joined by its id."""
    reader = RowReader(stream.name, intake)
    header, rows = read_table(stream, intake)
    for line, cells in rows:
        values = dict(zip(header, cells, strict=True))
        try:
            row = {key: _value(cell) if key != "text" else cell for key, cell in values.items()}
            found = reader.records(row, line)
            yield from (Found(record, line, dict(values)) for record in found)
        except AnnotationError as error:
            name = f"task {values.get('id')}"
            intake.reject(Problem(str(error), stream.name, line, name), dict(values))
    reader.finish()


def _value(cell: str) -> Any:
    """A cell that holds a JSON list or object as that, any other as its text."""
    if not cell.startswith(("[{", '{"')):
        return cell
    try:
        return loads(cell)
    except JsonFault as fault:
        raise AnnotationError(f"a cell begins like JSON but is none ({fault}), export it again") from None


FORMAT = Format(
    name="label-studio-csv",
    summary="Label Studio CSV or TSV: one row for each annotation, labels as JSON in a cell",
    settings=(*MARKING, "layer", "text_field"),
    recognise=recognise,
    read=read,
)
