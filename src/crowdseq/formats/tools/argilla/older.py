"""Records of Argilla 1.x, feedback datasets and token classification, as those of 2.x."""

from collections.abc import Mapping
from typing import Any

from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.fields import identity, objects

_QUESTION = "annotation"  # token classification asks nothing else
_AGENT = "annotation_agent"
_STATUSES = {"Validated": "submitted", "Discarded": "discarded", "Default": "draft", "Edited": "draft"}


def as_newer(record: dict[str, Any]) -> dict[str, Any]:
    """The same record with answers by question; one of 2.x as it is."""
    if _AGENT in record:
        return _classified(record)
    if "fields" in record and any(isinstance(record.get(key), list) for key in ("responses", "suggestions")):
        return _feedback(record)
    return record


def _feedback(record: dict[str, Any]) -> dict[str, Any]:
    """Responses by user, each with values by question, to responses by question."""
    responses: dict[str, list[dict[str, Any]]] = {}
    for response in objects(record.get("responses"), "'responses'"):
        values = response.get("values")
        if values is not None and not isinstance(values, dict):
            raise AnnotationError("'values' must be an object with a value for each question")
        for question, held in (values or {}).items():
            value = held.get("value") if isinstance(held, dict) else held
            answer = {"user_id": response.get("user_id"), "status": response.get("status"), "value": value}
            responses.setdefault(question, []).append(answer)
    suggestions = record.get("suggestions")
    if isinstance(suggestions, list):
        named = objects(suggestions, "'suggestions'")
        suggestions = {str(item.get("question_name")): item for item in named}
    name = record.get("external_id", record.get("id"))
    return {**record, "id": name, "responses": responses, "suggestions": suggestions}


def _classified(record: dict[str, Any]) -> dict[str, Any]:
    """One annotation and one prediction of a text, each with its agent."""
    made: dict[str, Any] = {"id": record.get("id"), "fields": {"text": record.get("text")}}
    if record.get("annotation") is not None:
        user = identity(record[_AGENT], f"'{_AGENT}'") or "unknown"
        status = _STATUSES.get(str(record.get("status")))
        answer = {"user_id": user, "status": status, "value": _spans(record["annotation"])}
        made["responses"] = {_QUESTION: [answer]}
    if record.get("prediction") is not None:
        agent = record.get("prediction_agent")
        made["suggestions"] = {_QUESTION: {"value": _spans(record["prediction"]), "agent": agent}}
    return made | {"metadata": record.get("metadata") or {}}


def _spans(value: Any) -> list[Mapping[str, Any]]:
    """Spans as [label, start, end] (and a score), or as objects."""
    if not isinstance(value, list) or not all(isinstance(item, list | dict) for item in value):
        raise AnnotationError("an annotation must be a list of [label, start, end]")
    return [
        item if isinstance(item, dict) else dict(zip(("label", "start", "end"), item, strict=False))
        for item in value
    ]
