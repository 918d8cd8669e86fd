"""Responses to span questions in Argilla records, from both shapes of a record."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.fields import identity, objects
from crowdseq.formats.spans.resolve import Region

_RESPONSES = ".responses"
_SUGGESTION = ".suggestion"
_STATUSES = ("submitted", "draft", "discarded")


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
    if value is None or (isinstance(value, str) and value in _STATUSES):
        return value
    raise AnnotationError(f"the status of a response is {value!a}, not one of {', '.join(_STATUSES)}")
