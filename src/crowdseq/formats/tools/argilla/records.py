"""Argilla records with a question for spans, as `to_list` of 2.x gives them, flattened or not, and of 1.x."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.conventions.channels import Channels
from crowdseq.formats.conventions.fields import identity, objects, text_of
from crowdseq.formats.conventions.roles import AS_ANNOTATOR
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io import read_objects
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.kept_text import Document
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.argilla.older import as_newer
from crowdseq.formats.tools.argilla.writing import write, write_consensus

_RESPONSES = ".responses"
_SUGGESTION = ".suggestion"
_KNOWN_STATUSES = ("submitted", "draft", "discarded")
_NESTED = re.compile(r'"fields"\s*:\s*\{')
_NESTED_WORK = re.compile(r'"(?:responses|suggestions)"\s*:\s*[\[{]')
_FLAT = re.compile(r'"[^"\\]+\.(?:responses|suggestion)"\s*:')
_CLASSIFIED = re.compile(r'"annotation_agent"\s*:')
_NOT_META = frozenset({"id", "status", "_server_id"})
_STATUSES = {"draft": "draft", "discarded": "skipped"}


class Response(NamedTuple):
    """What one user answered to one question; status is None where the file does not tell it."""

    question: str
    user: str
    regions: list[Region]
    status: str | None


def is_flat(record: dict[str, Any]) -> bool:
    """Whether questions stand in the keys of the record itself."""
    return "fields" not in record


def nested_responses(record: dict[str, Any]) -> Iterator[Response]:
    """Of a record with `fields` and `responses`."""
    responses = record.get("responses") or {}
    if not isinstance(responses, dict):
        raise AnnotationError("'responses' must be an object with a list for each question")
    for question, answers in responses.items():
        for answer in objects(answers, f"the responses to '{question}'"):
            if is_spans(answer.get("value")):
                user = _user(answer.get("user_id"))
                yield Response(question, user, regions_of(answer["value"]), _status(answer.get("status")))


def flat_responses(record: dict[str, Any]) -> Iterator[Response]:
    """Of a record with keys such as `ner.responses` and `ner.responses.users`."""
    for key, answers in record.items():
        if not key.endswith(_RESPONSES) or answers is None:
            continue
        users, states = record.get(f"{key}.users"), record.get(f"{key}.status")
        if not isinstance(answers, list) or not isinstance(users, list) or len(users) != len(answers):
            raise AnnotationError(f"'{key}' and '{key}.users' must be lists of the same length")
        if states is not None and (not isinstance(states, list) or len(states) != len(answers)):
            raise AnnotationError(f"'{key}' and '{key}.status' must be lists of the same length")
        for place, (value, user) in enumerate(zip(answers, users, strict=True)):
            if is_spans(value):
                status = _status(states[place]) if states is not None else None
                yield Response(key.removesuffix(_RESPONSES), _user(user), regions_of(value), status)


def suggestions(record: dict[str, Any]) -> Iterator[Response]:
    """Suggestions of models, from both shapes; the user is the agent."""
    if is_flat(record):
        for key, value in record.items():
            if key.endswith(_SUGGESTION) and is_spans(value):
                agent = identity(record.get(f"{key}.agent"), "the agent") or "suggestion"
                yield Response(key.removesuffix(_SUGGESTION), agent, regions_of(value), "submitted")
        return
    found = record.get("suggestions") or {}
    if not isinstance(found, dict):
        raise AnnotationError("'suggestions' must be an object")
    for question, item in found.items():
        if isinstance(item, dict) and is_spans(item.get("value")):
            agent = identity(item.get("agent"), "the agent") or "suggestion"
            yield Response(question, agent, regions_of(item["value"]), "submitted")


def is_question_key(key: str, record: dict[str, Any]) -> bool:
    """Whether a key of a flat record belongs to a question and not to a field or to metadata."""
    return any(key.endswith(end) for end in (_RESPONSES, _SUGGESTION)) or any(
        f"{name}{end}" in record
        for end in (_RESPONSES, _SUGGESTION)
        for name, mark, _ in (key.partition(f"{end}."),)
        if mark
    )


def is_spans(value: Any) -> bool:
    """A list of objects with start and end, or an empty one; other questions have other values."""
    if not isinstance(value, list):
        return False
    return all(isinstance(item, dict) and "start" in item and "end" in item for item in value)


def regions_of(value: list[dict[str, Any]]) -> list[Region]:
    """The regions of one answer."""
    return [Region(item["start"], item["end"], [_label(item.get("label"))]) for item in value]


def _label(value: Any) -> str:
    if not isinstance(value, str):
        raise AnnotationError("the label of a span must be a text")
    return value


def _user(value: Any) -> str:
    name = identity(value, "the user of a response")
    if name is None:
        raise AnnotationError("a response does not say who gave it (user_id)")
    return name


def _status(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value in _KNOWN_STATUSES):
        return value
    raise AnnotationError(f"the status of a response is {value!a}, not one of {', '.join(_KNOWN_STATUSES)}")


def recognise(sample: Sample) -> int:
    """Records with `fields` and `responses`, with keys such as `ner.responses`, or of Argilla 1.x."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return NO
    is_nested = _NESTED.search(text) and _NESTED_WORK.search(text)
    return SURE if is_nested or _FLAT.search(text) or _CLASSIFIED.search(text) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """One corpus record for each record."""
    reader = _Reader(stream.name, collector)
    for line, value, raw in read_objects(stream, collector, in_lines=False):
        try:
            found = reader.records(as_newer(value), line)
            yield from (ReadRecord(record, line, raw) for record in found)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, str(value.get("id") or "")), raw)
    reader.questions.finish()
    reader.marker.finish()


class _Reader:
    """One pass over the records of one file."""

    def __init__(self, file: str, collector: Collector) -> None:
        self.file, self.collector = file, collector
        self.marker = Marker(collector, file)
        self.questions = Channels(collector, file, "question")

    def records(self, value: dict[str, Any], line: int) -> list[Record]:
        document = self._document(value)
        place = Problem("", self.file, line, document.id or "")
        responses = flat_responses(value) if is_flat(value) else nested_responses(value)
        chosen = [response for response in responses if self.questions.takes(response.question)]
        unclear = sum(response.status is None for response in chosen)
        if unclear:
            what = "responses come without a status, so that drafts are read as if they were submitted"
            self.collector.warn(
                "drafts-unknown", f"{what}: export with flatten=True to tell them apart", place
            )
        self.marker.proves_empty = not unclear
        votes = self._votes(chosen) | self._suggested(value, place)
        return self.marker.records(document, votes, line=line)

    def _document(self, value: dict[str, Any]) -> Document:
        fields, metadata = value.get("fields"), value.get("metadata") or {}
        if is_flat(value):
            keys = [key for key in value if key not in _NOT_META and not is_question_key(key, value)]
            fields, metadata = {key: value[key] for key in keys}, {}
        if not isinstance(fields, dict) or not isinstance(metadata, dict):
            raise AnnotationError("'fields' and 'metadata' must be objects")
        others = {**fields, **metadata}
        carried = _carried(others.pop(CARRIED, None))
        name, text = text_of({key: item for key, item in fields.items() if key in others}, self.collector)
        meta = {key: item for key, item in others.items() if key != name}
        return reclaim(text, identity(value.get("id"), "'id'"), meta, carried)

    def _votes(self, responses: list[Response]) -> dict[str, list[Region]]:
        votes: dict[str, list[Region]] = {}
        for response in responses:
            if response.user in votes:
                raise AnnotationError(f"the user {response.user} answered twice, remove one response")
            if response.status in _STATUSES:
                self.collector.status(response.user, _STATUSES[response.status])
            else:
                votes[response.user] = response.regions
        return votes

    def _suggested(self, value: dict[str, Any], place: Problem) -> dict[str, list[Region]]:
        found = list(suggestions(value))
        if found and not self.collector.settings.predictions:
            what = "suggestions of a model were left out"
            self.collector.warn("predictions-left-out", what, place, len(found), advice=AS_ANNOTATOR)
            return {}
        return {item.user: item.regions for item in found if self.questions.takes(item.question)}


def _carried(value: Any) -> Any:
    """Metadata of Argilla is text, so ours travels as JSON inside it."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except JsonFault:
        return None


FORMAT = Format(
    name="argilla",
    summary="Argilla records with spans, of 2.x or 1.x (a consensus is written as suggestions)",
    extensions=("argilla.json",),
    settings=(*MARKING, "layer", "text_field", "predictions"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
