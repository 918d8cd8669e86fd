"""Tasks of Label Studio as it usually writes them, by columns: the short way for nearly all of an export."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from crowdseq.errors import AnnotationError, FormatError
from crowdseq.formats.bulk_marking import PlainDocument
from crowdseq.formats.fields import identity, text_of
from crowdseq.formats.intake import Intake
from crowdseq.formats.label_studio_results import name_of
from crowdseq.formats.offsets import is_basic
from crowdseq.formats.restoring import CARRIED, META

_RESULT, _VALUE, _FROM = itemgetter("result"), itemgetter("value"), itemgetter("from_name")
_FIELDS = itemgetter("start", "end", "labels", "text")
_MOST_TASKS = 32
_MOST_CHARACTERS = 1 << 18  # of text, which bounds the memory; more at a time is not faster either
_UNUSUAL = _MOST_CHARACTERS >> 2  # what a task counts of which nobody knows how large it is


class Task(NamedTuple):
    """A value of the file, where it begins, and the document in it where nothing must be decided."""

    line: int
    value: Any
    document: PlainDocument | None
    control: str | None = None


class _Columns(NamedTuple):
    """The regions of all annotators of a task, and the control that they come from; None without regions."""

    starts: Sequence[int]
    ends: Sequence[int]
    labels: Sequence[str]
    covered: Sequence[str]
    control: str | None


def in_batches(values: Iterable[tuple[int, Any]], file: str, intake: Intake) -> Iterator[list[Task]]:
    """All tasks, some at a time; what was read before a fault comes before it."""
    held: list[Task] = []
    weight, fault = 0, None
    try:
        for line, value in values:
            held.append(_task(line, value, file, intake))
            document = held[-1].document
            weight += len(document.text) if document is not None else _UNUSUAL
            if len(held) >= _MOST_TASKS or weight >= _MOST_CHARACTERS:
                yield held
                held, weight = [], 0
    except FormatError as error:
        fault = error
    if held:
        yield held
    if fault is not None:
        raise fault


def _task(line: int, value: Any, file: str, intake: Intake) -> Task:
    """Nothing is told to the intake here, because tasks before this one may still have something to tell."""
    try:
        data, work = value["data"], value["annotations"]
        is_more = CARRIED in data or (intake.settings.predictions and value.get("predictions"))
        if type(data) is not dict or type(work) is not list or is_more:
            return Task(line, value, None)
        field, text = text_of(data, intake, "")
        columns, votes = _columns(list(map(_RESULT, work))), _votes(work)
        name = identity(value.get("id"), "")
    except (KeyError, TypeError, ValueError, AttributeError, AnnotationError):
        return Task(line, value, None)
    if columns is None or votes is None or name is None or not is_basic(text):
        return Task(line, value, None)
    meta = {key: held for key, held in data.items() if key != field}
    place = f"{file}:{line}"
    extras = {META: meta} if meta else {}
    document = PlainDocument(text, name, votes, *columns[:4], extras, place)
    return Task(line, value, document, columns.control)


def _votes(annotations: Sequence[dict[str, Any]]) -> dict[str, int] | None:
    """The number of regions by annotator; None unless each made one annotation, finished and not as gold."""
    votes: dict[str, int] = {}
    for annotation in annotations:
        name = name_of(annotation.get("completed_by"))
        if name is None or annotation.get("was_cancelled") or annotation.get("ground_truth"):
            return None
        votes[name] = len(annotation["result"])
    return votes if len(votes) == len(annotations) else None


def _columns(results: Sequence[Any]) -> _Columns | None:
    """The regions where all are spans with one label, written as usual and from one control; else None."""
    if set(map(type, results)) - {list}:
        return None
    items = list(chain.from_iterable(results))
    if not items:
        return _Columns((), (), (), (), None)
    values = list(map(_VALUE, items))  # what has no keys is no object, and raises
    starts, ends, labels, covered = zip(*map(_FIELDS, values), strict=True)
    controls = set(map(_FROM, items))
    is_usual = (
        set(map(len, values)) == {4}  # nothing else, such as offsets into HTML
        and {*map(type, starts), *map(type, ends)} == {int}
        and set(map(type, labels)) == {list}
        and set(map(len, labels)) == {1}
        and {*map(type, covered), *map(type, controls)} == {str}
        and len(controls) == 1
    )
    names = list(chain.from_iterable(labels)) if is_usual else []
    if set(map(type, names)) != {str}:
        return None
    return _Columns(starts, ends, names, covered, controls.pop())
