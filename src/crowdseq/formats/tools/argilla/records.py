"""Argilla 2.x records with a question for spans, as `to_list` gives them, flattened or not."""

import re
from collections.abc import Iterator
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.conventions.channels import Layers
from crowdseq.formats.conventions.fields import identity, text_of
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import MARKING, NO, SURE, Format, Found, Sample
from crowdseq.formats.json_io.records import read_objects
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Document, Marker
from crowdseq.formats.tools.argilla.responses import (
    Response,
    flat_responses,
    is_flat,
    is_question_key,
    nested_responses,
    suggestions,
)
from crowdseq.formats.tools.argilla.writing import write, write_consensus

_NESTED = re.compile(r'"fields"\s*:\s*\{')
_NESTED_WORK = re.compile(r'"(?:responses|suggestions)"\s*:\s*\{')
_FLAT = re.compile(r'"[^"\\]+\.(?:responses|suggestion)"\s*:')
_NOT_META = frozenset({"id", "status", "_server_id"})
_STATUSES = {"draft": "draft", "discarded": "skipped"}


def recognise(sample: Sample) -> int:
    """Records with `fields` and `responses`, or with keys such as `ner.responses`."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return NO
    is_nested = _NESTED.search(text) and _NESTED_WORK.search(text)
    return SURE if is_nested or _FLAT.search(text) else NO


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:  # noqa: ARG001
    """One corpus record for each record."""
    reader = _Reader(stream.name, intake)
    for line, value, raw in read_objects(stream, intake, in_lines=False):
        try:
            yield from (Found(record, line, raw) for record in reader.records(value, line))
        except AnnotationError as error:
            intake.reject(Problem(str(error), stream.name, line, str(value.get("id") or "")), raw)
    reader.questions.finish()
    reader.marker.finish()


class _Reader:
    """One pass over the records of one file."""

    def __init__(self, file: str, intake: Intake) -> None:
        self.file, self.intake = file, intake
        self.marker = Marker(intake, file)
        self.questions = Layers(intake, file, "question")

    def records(self, value: dict[str, Any], line: int) -> list[Record]:
        document = self._document(value)
        place = Problem("", self.file, line, document.id or "")
        responses = flat_responses(value) if is_flat(value) else nested_responses(value)
        chosen = [response for response in responses if self.questions.takes(response.question)]
        unclear = sum(response.status is None for response in chosen)
        if unclear:
            what = "responses come without a status, so that drafts are read as if they were submitted"
            self.intake.warn("drafts-unknown", f"{what}: export with flatten=True to tell them apart", place)
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
        name, text = text_of({key: item for key, item in fields.items() if key in others}, self.intake)
        meta = {key: item for key, item in others.items() if key != name}
        return reclaim(text, identity(value.get("id"), "'id'"), meta, carried)

    def _votes(self, responses: list[Response]) -> dict[str, list[Region]]:
        votes: dict[str, list[Region]] = {}
        for response in responses:
            if response.user in votes:
                raise AnnotationError(f"the user {response.user} answered twice, remove one response")
            if response.status in _STATUSES:
                self.intake.status(response.user, _STATUSES[response.status])
            else:
                votes[response.user] = response.regions
        return votes

    def _suggested(self, value: dict[str, Any], place: Problem) -> dict[str, list[Region]]:
        found = list(suggestions(value))
        if found and not self.intake.settings.predictions:
            what = "suggestions of a model were left out, --predictions reads them as one more annotator"
            self.intake.warn("predictions-left-out", what, place, len(found))
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
    summary="Argilla 2.x records with spans, flattened or not (a consensus is written as suggestions)",
    extensions=("argilla.json",),
    settings=(*MARKING, "layer", "text_field", "predictions"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
