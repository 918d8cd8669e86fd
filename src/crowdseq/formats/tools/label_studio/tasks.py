"""Label Studio JSON: a list of tasks, each with the annotations of everybody who worked on it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.conventions.channels import Channels
from crowdseq.formats.conventions.fields import identity, objects
from crowdseq.formats.conventions.roles import AS_ANNOTATOR
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import LIKELY, MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io.values import plain_value, read_values
from crowdseq.formats.spans.bulk_to_records import BulkMarker
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.label_studio.plain_tasks import Task, in_batches, task_shape
from crowdseq.formats.tools.label_studio.results import People, newest, regions_of
from crowdseq.formats.tools.label_studio.texts import text_of_task
from crowdseq.formats.tools.label_studio.writing import write, write_consensus

UNKNOWN = "unknown"
_DATA = re.compile(r'"data"\s*:\s*\{')
_WORK = re.compile(r'"(?:annotations|completions|predictions)"\s*:\s*\[')
_RESULT = re.compile(r'"result"\s*:\s*\[')
_OF_TASK = re.compile(r'"task"\s*:\s*\{')
_TASK = re.compile(r'\s*\[?\s*\{\s*"id"\s*:\s*\d+\s*,\s*"(?:data"\s*:\s*\{|annotations"\s*:)')


def recognise(sample: Sample) -> int:
    """Objects with `data` and `annotations`, which hold a `result`, or a `result` with its `task`."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return NO
    if _WORK.search(text) and (_RESULT.search(text) or _DATA.search(text)):
        return SURE
    if _RESULT.search(text) and _OF_TASK.search(text) and _DATA.search(text):
        return SURE
    return LIKELY if _TASK.match(text.lstrip("\ufeff")) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """One record for each task (or for each of its lines)."""
    reader = _Reader(stream.name, collector)
    values = read_values(stream, collector, task_shape())
    for batch in in_batches(values, stream.name, collector):
        for task, quick in zip(batch, reader.quick_records(batch), strict=True):
            if quick is not None and reader.takes(task):
                yield ReadRecord(quick, task.line, task.value)
                continue
            line, raw = task.line, plain_value(task.value)
            if not isinstance(raw, dict):
                collector.reject(Problem("a task must be a JSON object", stream.name, line), raw)
                continue
            try:
                yield from (ReadRecord(record, line, raw) for record in reader.records(raw, line))
            except AnnotationError as error:
                collector.reject(problem_of(error, stream.name, line, f"task {raw.get('id')}"), raw)
    reader.controls.finish()
    reader.marker.finish()


class _Reader:
    """One pass over the tasks of one file."""

    def __init__(self, file: str, collector: Collector) -> None:
        self.file, self.collector = file, collector
        self.marker = Marker(collector, file)
        self.controls = Channels(collector, file, "control")
        self.people = People(collector)
        self.turns: Sequence[int] = ()
        self._bulk = BulkMarker(collector.settings, collector.has_room)

    def quick_records(self, batch: Sequence[Task]) -> list[Record | None]:
        """The records of tasks in which nothing must be decided, None for others; nothing is told yet."""
        made = iter(self._bulk.records([task.document for task in batch if task.document is not None]))
        return [None if task.document is None else next(made) for task in batch]

    def takes(self, task: Task) -> bool:
        """Whether the labels of a task, if it has any, come from the control that is read."""
        if task.control is not None and not self.controls.takes(task.control):
            return False
        for person in task.people:
            self.people.name(person)
        return True

    def records(self, task: dict[str, Any], line: int) -> list[Record]:
        task = _as_task(task)
        data = task.get("data")
        if not isinstance(data, dict):
            raise AnnotationError("'data' is missing, this is not a task of Label Studio's JSON export")
        text, field, self.turns = text_of_task(data, _values(task), self.collector, " in 'data'")
        meta = {key: value for key, value in data.items() if key not in (field, CARRIED)}
        document = reclaim(text, identity(task.get("id"), "the id of a task"), meta, data.get(CARRIED))
        place = Problem("", self.file, line, document.id or "")
        votes, gold = self._annotations(task, place)
        votes |= self._predictions(task, place)
        for draft in objects(task.get("drafts"), "'drafts'"):
            self.collector.status(self.people.name(draft.get("user")) or UNKNOWN, "draft")
        return self.marker.records(document, votes, gold, line)

    def _annotations(
        self, task: dict[str, Any], place: Problem
    ) -> tuple[dict[str, list[Region]], list[Region] | None]:
        by_name: dict[str, list[dict[str, Any]]] = {}
        gold: list[dict[str, Any]] = []
        for annotation in objects(task.get("annotations", task.get("completions")), "'annotations'"):
            name = self.people.name(annotation.get("completed_by"))
            if annotation.get("was_cancelled"):
                self.collector.status(name or UNKNOWN, "skipped")
            elif annotation.get("ground_truth"):
                gold.append(annotation)
            else:
                by_name.setdefault(self._named(name, place), []).append(annotation)
        if len(by_name.get(UNKNOWN, ())) > 1:
            raise AnnotationError(
                "several annotations do not say who made them (completed_by), they cannot be told apart: "
                "export again as JSON"
            )
        votes = {name: self._regions(self._newest(found, place), place) for name, found in by_name.items()}
        return votes, self._regions(self._newest(gold, place), place) if gold else None

    def _named(self, name: str | None, place: Problem) -> str:
        if name is None:
            what = f"annotations do not say who made them, read as annotator '{UNKNOWN}'"
            self.collector.warn("annotator-unknown", what, place)
        return name or UNKNOWN

    def _newest(self, annotations: list[dict[str, Any]], place: Problem) -> dict[str, Any]:
        if len(annotations) == 1:
            return annotations[0]
        what = "annotators worked on a task more than once, their newest annotation was taken"
        self.collector.warn("annotated-again", what, place, len(annotations) - 1)
        return newest(annotations)

    def _regions(self, annotation: dict[str, Any], place: Problem) -> list[Region]:
        return regions_of(annotation.get("result"), self.controls, self.collector, place, self.turns)

    def _predictions(self, task: dict[str, Any], place: Problem) -> dict[str, list[Region]]:
        found = objects(task.get("predictions"), "'predictions'")
        if found and not self.collector.settings.predictions:
            what = "predictions of a model were left out"
            self.collector.warn("predictions-left-out", what, place, len(found), advice=AS_ANNOTATOR)
            return {}
        return {
            identity(item.get("model_version"), "'model_version'") or "model": self._regions(item, place)
            for item in found
        }


def _as_task(value: dict[str, Any]) -> dict[str, Any]:
    """A task; Label Studio writes to a storage in the cloud each annotation with its task inside."""
    task = value.get("task")
    if "data" in value or not isinstance(task, dict):
        return value
    return {**task, "annotations": [{key: item for key, item in value.items() if key != "task"}]}


def _values(task: dict[str, Any]) -> list[dict[str, Any]]:
    """What all regions of a task say of themselves."""
    works = [task.get(key) for key in ("annotations", "completions", "predictions")]
    found = [item for work in works if isinstance(work, list) for item in work if isinstance(item, dict)]
    results = [item.get("result") for item in found]
    regions = [region for result in results if isinstance(result, list) for region in result]
    values = [region.get("value") for region in regions if isinstance(region, dict)]
    return [value for value in values if isinstance(value, dict) and "start" in value]


FORMAT = Format(
    name="label-studio",
    summary="Label Studio JSON: tasks with annotations (a consensus is written as predictions)",
    extensions=("label-studio.json",),
    settings=(*MARKING, "layer", "text_field", "predictions"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
