"""Label Studio JSON_MIN: one object for each annotation, the fields of its task beside it."""

import re
from collections.abc import Iterator

from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import LIKELY, MARKING, NO, SURE, Format, Found, Sample
from crowdseq.formats.json_io.values import read_values
from crowdseq.formats.tools.label_studio.rows import RowReader

_ROW = re.compile(r'"annotation_id"\s*:')
_ANNOTATOR = re.compile(r'"annotator"\s*:')
_TASKS = re.compile(r'"result"\s*:\s*\[')


def recognise(sample: Sample) -> int:
    """Objects with `annotation_id` and `annotator`."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[") or _TASKS.search(text) or not _ROW.search(text):
        return NO
    return SURE if _ANNOTATOR.search(text) else LIKELY


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:  # noqa: ARG001
    """One record for each annotation; those of one task are joined by its id."""
    reader = RowReader(stream.name, intake)
    for line, row in read_values(stream, intake):
        if not isinstance(row, dict):
            intake.reject(Problem("an annotation must be a JSON object", stream.name, line), row)
            continue
        try:
            yield from (Found(record, line, row) for record in reader.records(row, line))
        except AnnotationError as error:
            intake.reject(Problem(str(error), stream.name, line, f"task {row.get('id')}"), row)
    reader.finish()


FORMAT = Format(
    name="label-studio-min",
    summary="Label Studio JSON_MIN: one object for each annotation",
    settings=(*MARKING, "layer", "text_field"),
    recognise=recognise,
    read=read,
)
