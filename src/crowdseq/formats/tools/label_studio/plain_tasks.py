"""Tasks of Label Studio as it usually writes them, by columns: the short way for nearly all of an export."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from crowdseq.errors import AnnotationError, FormatError
from crowdseq.formats.conventions.fields import identity, text_of
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.json_io.values import Shape, Shaped
from crowdseq.formats.spans.bulk_to_records import PlainDocument
from crowdseq.formats.spans.from_corpus import CARRIED, META
from crowdseq.formats.spans.offsets import is_basic
from crowdseq.formats.tools.label_studio.results import called

_MOST_TASKS = 32
_MOST_CHARACTERS = 1 << 18  # of text, which bounds the memory; more at a time is not faster either
_DEPTH = 7  # of a label: task, annotations, annotation, result, region, value, labels
_UNUSUAL = _MOST_CHARACTERS >> 2  # what a task counts of which nobody knows how large it is

Scalar: TypeAlias = str | int | float | bool | None
Aside: TypeAlias = Scalar | UnsetType  # what is not read, but must be known to be there
NoList: TypeAlias = Annotated[list[Scalar], Meta(max_length=0)] | UnsetType | None
NoObject: TypeAlias = Annotated[dict[str, Scalar], Meta(max_length=0)] | UnsetType | None
OneLabel: TypeAlias = Annotated[list[str], Meta(min_length=1, max_length=1)]


class _Value(Struct, forbid_unknown_fields=True, gc=False):
    start: int
    end: int
    text: str
    labels: OneLabel


class _Region(Struct, forbid_unknown_fields=True, gc=False):
    value: _Value
    from_name: str
    id: Aside = UNSET
    to_name: Aside = UNSET
    type: Aside = UNSET
    origin: Aside = UNSET
    source: Aside = UNSET
    score: Aside = UNSET
    readonly: Aside = UNSET
    hidden: Aside = UNSET
    meta: NoObject = UNSET


class _Person(Struct, forbid_unknown_fields=True, gc=False):
    id: int | str
    email: Aside = UNSET
    first_name: Aside = UNSET
    last_name: Aside = UNSET
    username: Aside = UNSET
    initials: Aside = UNSET
    avatar: Aside = UNSET


class _Annotation(Struct, forbid_unknown_fields=True, gc=False):
    completed_by: int | str | _Person
    result: list[_Region]
    was_cancelled: bool | UnsetType | None = UNSET
    ground_truth: bool | UnsetType | None = UNSET
    id: Aside = UNSET
    created_at: Aside = UNSET
    updated_at: Aside = UNSET
    draft_created_at: Aside = UNSET
    lead_time: Aside = UNSET
    prediction: NoObject = UNSET
    result_count: Aside = UNSET
    unique_id: Aside = UNSET
    import_id: Aside = UNSET
    last_action: Aside = UNSET
    bulk_created: Aside = UNSET
    task: Aside = UNSET
    project: Aside = UNSET
    updated_by: Aside = UNSET
    parent_prediction: Aside = UNSET
    parent_annotation: Aside = UNSET
    last_created_by: Aside = UNSET


class _Task(Struct, forbid_unknown_fields=True, gc=False):
    id: int | str
    data: dict[str, Scalar]
    annotations: list[_Annotation]
    drafts: NoList = UNSET
    predictions: NoList = UNSET
    meta: NoObject = UNSET
    comment_authors: NoList = UNSET
    file_upload: Aside = UNSET
    created_at: Aside = UNSET
    updated_at: Aside = UNSET
    inner_id: Aside = UNSET
    allow_skip: Aside = UNSET
    total_annotations: Aside = UNSET
    cancelled_annotations: Aside = UNSET
    total_predictions: Aside = UNSET
    comment_count: Aside = UNSET
    unresolved_comment_count: Aside = UNSET
    last_comment_updated_at: Aside = UNSET
    project: Aside = UNSET
    updated_by: Aside = UNSET


class Task(NamedTuple):
    """A value of the file, the line it begins at, and the document in it where nothing must be decided.

    control: the one that all labels of the document come from; None without labels. people: annotators that
    stand there with more than a name or a number, as `People` takes them.
    """

    line: int
    value: Any
    document: PlainDocument | None = None
    control: str | None = None
    people: Sequence[dict[str, Any]] = ()


def task_shape() -> Shape:
    """Tasks with finished annotations of named people, and nothing else that has to be read or told."""
    return Shape(_Task, depth=_DEPTH)


def in_batches(values: Iterable[tuple[int, Any]], file: str, collector: Collector) -> Iterator[list[Task]]:
    """All tasks, some at a time; what was read before a fault comes before it."""
    held: list[Task] = []
    weight, fault = 0, None
    try:
        for line, value in values:
            task = _plain(line, value, file, collector) if isinstance(value, Shaped) else Task(line, value)
            held.append(task)
            weight += _UNUSUAL if task.document is None else len(task.document.text)
            if len(held) >= _MOST_TASKS or weight >= _MOST_CHARACTERS:
                yield held
                held, weight = [], 0
    except FormatError as error:
        fault = error
    if held:
        yield held
    if fault is not None:
        raise fault


def _plain(line: int, shaped: Shaped, file: str, collector: Collector) -> Task:
    """Nothing is told to the collector here: tasks before this one may still have something to tell."""
    task: _Task = shaped.value
    votes = _votes(task.annotations, collector.settings.names)
    try:
        field, text = text_of(task.data, collector)
    except AnnotationError:
        return Task(line, shaped)
    regions = [region for annotation in task.annotations for region in annotation.result]
    values = [region.value for region in regions]
    controls = {region.from_name for region in regions}
    name = identity(task.id, "")
    if votes is None or name is None or len(controls) > 1 or CARRIED in task.data or not is_basic(text):
        return Task(line, shaped)
    meta = {key: held for key, held in task.data.items() if key != field}
    document = PlainDocument(
        text,
        name,
        votes,
        [value.start for value in values],
        [value.end for value in values],
        [value.labels[0] for value in values],
        [value.text for value in values],
        {META: meta} if meta else {},
        f"{file}:{line}",
    )
    return Task(line, shaped, document, next(iter(controls), None), _people(task.annotations))


def _people(annotations: list[_Annotation]) -> list[dict[str, Any]]:
    found = [annotation.completed_by for annotation in annotations]
    return [_plain_person(person) for person in found if isinstance(person, _Person)]


def _plain_person(person: _Person) -> dict[str, Any]:
    keys = ("id", "email", "username", "first_name", "last_name")
    return {key: value for key in keys if (value := getattr(person, key)) is not UNSET}


def _votes(annotations: list[_Annotation], renamed: Mapping[str, str]) -> dict[str, int] | None:
    """The number of regions by annotator; None unless each made one annotation, finished and not as gold."""
    votes: dict[str, int] = {}
    for annotation in annotations:
        who = annotation.completed_by
        name = called(_plain_person(who), renamed) if isinstance(who, _Person) else identity(who, "")
        if name is None or annotation.was_cancelled or annotation.ground_truth:
            return None
        votes[name] = len(annotation.result)
    return votes if len(votes) == len(annotations) else None
