"""Batch results of Mechanical Turk: CSV, one row a worker, with answers of crowd-entity-annotation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crowdseq.errors import Advice, AnnotationError, FormatError, Problem, SettingsError
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.kept_text import Document
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.table_io.csv_rows import Row, Table, header_of, read_table

_HIT, _WORKER = "HITId", "WorkerId"
_INPUT, _ANSWER = "Input.", "Answer."
_IDS = ("Input.id", "Input.doc_id", "Input.document_id", "Input.doc")
_ENTITIES = "entities"
_REJECTED = "rejected"
_ROLES = ("text", "answer", "id")


@dataclass(frozen=True)
class _Places:
    """Where the text, the answers, the id and further facts stand in a row."""

    text: int
    answers: tuple[int, ...]
    document: int
    worker: int
    status: int | None
    rejection: int | None


def recognise(sample: Sample) -> int:
    """Told by the names of its columns."""
    header = header_of(sample.text)
    return SURE if {_HIT, _WORKER} <= set(header) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """A record for each assignment that was not rejected."""
    table = read_table(stream, collector)
    places = _places(table, stream.name, collector)
    marker = Marker(collector, stream.name)
    for row in table.rows:
        name = row.cells[places.document]
        try:
            votes = _votes(row, places, marker, collector)
            document = Document(row.cells[places.text], name)
            records = marker.records(document, votes, line=row.line) if votes is not None else []
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, row.line, name), row.cells)
        else:
            yield from (ReadRecord(record, row.line, row.cells) for record in records)


def _places(table: Table, file: str, collector: Collector) -> _Places:
    chosen = _chosen(collector)

    def one(role: str, usual: list[str], what: str) -> int:
        names = [chosen[role]] if role in chosen else usual
        found = [table.header.index(name) for name in names if name in table.header]
        if len(found) != 1 and role in chosen:
            raise SettingsError(f"there is no column {chosen[role]}, but {', '.join(table.header[:40])}")
        if len(found) != 1:
            advice = Advice("say which: {columns}", columns=f"{role}:NAME")
            raise FormatError(Problem(what, file, 1, advice=advice))
        return found[0]

    inputs = [name for name in table.header if name.startswith(_INPUT)]
    texts = ["Input.text"] if "Input.text" in inputs else [name for name in inputs if name not in _IDS]
    shown = ", ".join(texts) or "none"
    answers = [name for name in table.header if name.startswith(_ANSWER)]
    if not answers and "answer" not in chosen:
        raise FormatError(Problem("has no column Answer., download the results of the batch", file, 1))
    identity = next((name for name in (*_IDS, _HIT) if name in table.header), _HIT)
    return _Places(
        one("text", texts, f"the text could stand in several columns or in none ({shown})"),
        (one("answer", [], ""),) if "answer" in chosen else tuple(map(table.header.index, answers)),
        one("id", [identity], "no column tells the document"),
        one("worker", [_WORKER], f"has no column {_WORKER}"),
        table.column("AssignmentStatus"),
        table.column("Reject"),
    )


def _chosen(collector: Collector) -> dict[str, str]:
    """The columns that the user names: `text:Input.sentence`, `answer:Answer.x`, `id:Input.number`."""
    entries = collector.settings.columns or ()
    pairs = [entry.partition("=" if "=" in entry else ":") for entry in entries]
    for role, _, name in pairs:
        if role not in _ROLES or not name:
            raise SettingsError(f"column '{role}' has no meaning here, say text:NAME, answer:NAME or id:NAME")
    return {role: name for role, _, name in pairs}


def _votes(row: Row, places: _Places, marker: Marker, collector: Collector) -> dict[str, list[Region]] | None:
    """What the worker marked; None for an assignment that does not count."""
    worker = row.cells[places.worker]
    place = Problem(worker, marker.file, row.line)
    status = row.cells[places.status].strip().lower() if places.status is not None else ""
    if status == _REJECTED or (places.rejection is not None and row.cells[places.rejection].strip()):
        collector.warn("assignments-rejected", "rejected assignments were left out", place)
        collector.status(worker, "skipped")
        return None
    answers = [cell for cell in (row.cells[place] for place in places.answers) if cell.strip()]
    if not answers:
        collector.warn("assignments-empty", "assignments without any answer were left out", place)
        collector.status(worker, "unknown")
        return None
    return {worker: [_region(entity) for entity in _entities(answers, collector)]}


def _entities(answers: list[str], collector: Collector) -> list[Any]:
    """The list of entities, wherever the widget put it; the setting `layer` names one of several widgets."""
    found: dict[str, list[Any]] = {}
    for answer in answers:
        if answer.lstrip().startswith(("{", "[")):
            try:
                value = loads(answer, depth=collector.settings.limits.depth)
            except JsonFault as fault:
                raise AnnotationError(f"the answer is not JSON ({fault})") from None
            found.update(_lists(value, ""))
    layer = collector.settings.layer
    if layer is not None:
        found = {name: entities for name, entities in found.items() if name == layer}
    if not found:
        raise AnnotationError(
            "no answer holds a list of entities, as crowd-entity-annotation gives it:",
            Advice("say which column has it ({columns}) or leave the row out", columns="answer:NAME"),
        )
    if len(found) > 1:
        raise AnnotationError(
            f"several answers hold entities ({', '.join(found)})",
            Advice("say {layer} with one of them", layer=""),
        )
    (entities,) = found.values()
    return entities


def _lists(value: Any, name: str) -> Iterator[tuple[str, list[Any]]]:
    """Every list called entities below a value, by the key above it."""
    waiting = [(name, value)]
    while waiting:
        above, item = waiting.pop(0)
        if isinstance(item, list):
            waiting.extend((above, inner) for inner in item)
        elif isinstance(item, dict):
            entities = item.get(_ENTITIES)
            if isinstance(entities, list):
                yield above or _ENTITIES, entities
            waiting.extend(
                (key, inner) for key, inner in item.items() if key != _ENTITIES or not isinstance(inner, list)
            )


def _region(entity: Any) -> Region:
    if not isinstance(entity, dict) or not {"startOffset", "endOffset", "label"} <= entity.keys():
        raise AnnotationError("an entity needs startOffset, endOffset and label")
    label = entity["label"]
    return Region(entity["startOffset"], entity["endOffset"], [] if label is None else [label])


FORMAT = Format(
    name="mturk",
    summary="batch results of Mechanical Turk (CSV) with answers of crowd-entity-annotation",
    settings=(*MARKING, "layer", "columns"),
    recognise=recognise,
    read=read,
)
