"""Rows of Label Studio's JSON_MIN and CSV: one for each annotation, labels under the name of a control."""

from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.conventions.channels import Layers
from crowdseq.formats.conventions.fields import identity, text_of
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.label_studio.results import People, region_of

UNKNOWN = "unknown"
OWN_KEYS = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", CARRIED)


class RowReader:
    """One pass over the rows of one file."""

    def __init__(self, file: str, intake: Intake) -> None:
        self.file, self.intake = file, intake
        self.marker = Marker(intake, file)
        self.controls, self.people = Layers(intake, file, "control"), People(intake)

    def records(self, row: dict[str, Any], line: int) -> list[Record]:
        """The record of one row (or those of its lines)."""
        labelled = {key: value for key, value in row.items() if _is_labels(value)}
        left = row.keys() - labelled.keys() - set(OWN_KEYS)
        others = {key: value for key, value in row.items() if key in left and value != []}
        field, text = text_of(others, self.intake)
        del others[field]
        name = identity(row.get("id"), "the id of a task")
        document = reclaim(text, name, others, row.get(CARRIED))
        place = Problem("", self.file, line, document.id or "")
        regions: list[Region] = []
        for control, values in labelled.items():
            if self.controls.takes(control):
                regions += [region_of(value) for value in values]
        return self.marker.records(document, {self._annotator(row, place): regions}, line=line)

    def finish(self) -> None:
        """Raise what can only be told at the end."""
        self.controls.finish()
        self.marker.finish()

    def _annotator(self, row: dict[str, Any], place: Problem) -> str:
        name = self.people.name(row.get("annotator"))
        if name is None:
            what = f"annotations do not say who made them, read as annotator '{UNKNOWN}'"
            self.intake.warn("annotator-unknown", what, place)
        return name or UNKNOWN


def _is_labels(value: Any) -> bool:
    """A list of regions; what a control for choices or text gives is none."""
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return False
    marked = [item for item in value if "start" in item and "end" in item]
    if marked and len(marked) < len(value):
        raise AnnotationError("a list of labels holds something that has no start and end")
    return bool(marked)
