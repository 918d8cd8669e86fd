"""The short way through marking: the records of the long way, or none where something must be decided."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, FormatError
from crowdseq.formats import read
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.reading import Imported
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.spans.bulk_to_records import BulkMarker, PlainDocument
from crowdseq.formats.spans.kept_text import Document
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.label_studio.tasks import _Reader

TEXT = "Ada ran to St. Gallen, then Ada slept."
Marks = list[tuple[int, int, str, str]]


def plain(text: str, votes: dict[str, Marks], name: str = "d1") -> PlainDocument:
    marks = [mark for row in votes.values() for mark in row]
    starts, ends, labels, covered = zip(*marks, strict=True) if marks else ((), (), (), ())
    counts = {who: len(row) for who, row in votes.items()}
    return PlainDocument(text, name, counts, starts, ends, labels, covered, {}, "f.json:1")


def said(text: str, start: int, end: int, label: str = "PER") -> tuple[int, int, str, str]:
    return start, end, label, text[start:end]


def shown(record: Record) -> dict[str, Any]:
    votes = {who: list(tags) for who, tags in record.annotations.items()}
    return {**vars(record), "tokens": list(record.tokens), "annotations": votes}


def judged(document: PlainDocument, collector: Collector) -> list[Record]:
    """The long way."""
    columns = zip(document.starts, document.ends, document.labels, document.covered, strict=True)
    regions = iter([Region(start, end, [label], covered) for start, end, label, covered in columns])
    votes = {who: [next(regions) for _ in range(count)] for who, count in document.votes.items()}
    made = Document(document.text, document.id, extras=document.extras)
    return Marker(collector, "f.json").records(made, votes, line=1)


@st.composite
def marks_on(draw: st.DrawFn, text: str) -> Marks:
    """Spans of all sorts, most of them from one word edge to another."""
    edges = st.sampled_from([0, 3, 4, 7, 8, 10, 11, 13, 14, 15, 21, 22, 23, 27, 28, 31, 32, 37, 38])
    edges |= st.integers(-2, len(text) + 2)
    bounds = draw(st.lists(st.tuples(edges, edges), max_size=5))
    found = [said(text, start, end, draw(st.sampled_from(["PER", "LOC"]))) for start, end in bounds]
    wrong = draw(st.integers(0, 20))
    return [(*mark[:3], "wrong") if place == wrong else mark for place, mark in enumerate(found)]


@given(st.lists(st.dictionaries(st.sampled_from(["w1", "w2"]), marks_on(TEXT)), min_size=1, max_size=4))
def test_a_record_is_that_of_the_long_way_which_has_nothing_to_tell(crowd: list[dict[str, Marks]]) -> None:
    documents = [plain(TEXT, votes, f"d{number}") for number, votes in enumerate(crowd)]
    for document, quick in zip(documents, BulkMarker(ReadSettings()).records(documents), strict=True):
        with Collector(ReadSettings()) as collector:
            try:
                (record,) = judged(document, collector)
            except AnnotationError:
                assert quick is None
                continue
            # The long way decided something exactly where the short one gave up.
            assert (quick is None) == bool(collector.findings())
            assert quick is None or shown(quick) == shown(record)


@pytest.mark.parametrize(
    "mark",
    [
        said(TEXT, 0, 2),
        said(TEXT, 0, 4),
        said(TEXT, 3, 3),
        (0, 3, "PER", "Eve"),
        (0, 3, "PER", "Ada "),
        (0, 3, "PER", "Ad\U0001f680"),
        (-2, 3, "PER", "Ada"),
        (0, 1 << 80, "PER", TEXT),
    ],
)
def test_a_mark_in_doubt_is_left_to_the_long_way(mark: tuple[int, int, str, str]) -> None:
    assert BulkMarker(ReadSettings()).records([plain(TEXT, {"w1": [mark]})]) == [None]


def test_a_document_in_doubt_leaves_the_others_as_they_are() -> None:
    good, bad = plain(TEXT, {"w1": [said(TEXT, 0, 3)]}), plain(TEXT, {"w1": [said(TEXT, 0, 2)], "w2": []})
    first, second, third = BulkMarker(ReadSettings()).records([good, bad, good])
    assert second is None
    assert first is not None
    assert third is not None
    assert list(first.annotations["w1"])[:2] == list(third.annotations["w1"])[:2] == ["B-PER", "O"]


def test_nothing_is_made_where_settings_change_texts_or_tokens() -> None:
    changes: list[dict[str, Any]] = [
        {"tokenizer": "whitespace"},
        {"sentences": "newline"},
        {"normalise": "nfc"},
        {"types": ("PER",)},
        {"offset_unit": "graphemes"},
    ]
    document = plain(TEXT, {"w1": [said(TEXT, 0, 3)]})
    for change in changes:
        assert BulkMarker(ReadSettings(**change)).records([document]) == [None]


def task(number: int, **changes: Any) -> dict[str, Any]:
    value = {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}
    work = {"completed_by": 1, "result": [{"value": value, "from_name": "label"}]}
    return {"id": number, "data": {"text": TEXT}, "annotations": [work], **changes}


def reading(tasks: list[Any], **settings: Any) -> Imported:
    """What is read of the tasks and of plain ones around them, so that none is the first or the last."""
    text = json.dumps([task(98), task(99), *tasks, task(100)])
    return read(text.encode(), format="label-studio", on_error="skip", **settings)


def ids(imported: Imported) -> list[str]:
    return [sentence.id for sentence in imported.corpus.sentences]


def ways(monkeypatch: pytest.MonkeyPatch, tasks: list[Any]) -> list[str]:
    """The tasks that went the long way."""
    seen: list[str] = []
    records = _Reader.records

    def watched(self: _Reader, task: dict[str, Any], line: int) -> list[Record]:
        seen.append(str(task["id"]))
        return records(self, task, line)

    monkeypatch.setattr(_Reader, "records", watched)
    reading(tasks)
    return seen


def test_only_the_first_and_the_last_task_of_a_plain_export_go_the_long_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = {"meta": {}, "drafts": [], "predictions": [], "file_upload": "a.txt", "comment_authors": []}
    someone = [{"completed_by": {"id": 7, "email": "a@b.org", "first_name": ""}, "result": []}]
    tasks = [task(1), task(2, **usual), task(3, annotations=[]), task(4, annotations=someone)]
    assert ways(monkeypatch, tasks) == ["98", "100"]


def test_people_of_plain_tasks_are_told_once() -> None:
    someone = [{"completed_by": {"id": 7, "email": "a@b.org"}, "result": []}]
    finding = reading([task(1, annotations=someone), task(2, annotations=someone)]).report.findings[0]
    assert (finding.kind, finding.count, finding.examples[0].what) == (
        "annotators-named",
        1,
        "7 is a@b.org",
    )


def test_a_field_that_nobody_knows_sends_its_task_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ways(monkeypatch, [task(1), task(2, new=[[]]), task(3)]) == ["98", "2", "100"]


def test_a_key_that_stands_twice_in_a_plain_task_is_found() -> None:
    doubled = json.dumps(task(2)).replace('"start"', '"start": 4, "start"')
    text = f"[{', '.join([json.dumps(task(1)), json.dumps(task(9)), doubled, json.dumps(task(3))])}]"
    with pytest.raises(FormatError, match="the key 'start' stands twice"):
        read(text.encode(), format="label-studio")


def test_a_plain_task_that_the_corpus_refuses_is_set_aside_as_it_was_written() -> None:
    again = {"annotations": task(0)["annotations"], "id": 98, "data": {"text": "Ada fell."}}
    (rejected,) = reading([again]).report.rejected
    assert "the text is not the same as before" in rejected.reason
    assert rejected.raw == json.dumps(again)


def test_what_stands_beside_the_labels_of_a_plain_task_is_told() -> None:
    someone = {"completed_by": {"id": 7, "email": "a@b.org"}, "result": []}
    aside: dict[str, Any] = {"drafts": [{"user": 3}], "predictions": [{"result": []}]}
    found = reading([task(1), task(2, annotations=[someone], **aside)]).report
    assert [finding.kind for finding in found.findings] == ["annotators-named", "predictions-left-out"]
    assert found.statuses == {"1": {"labelled": 4}, "a@b.org": {"labelled": 1}, "3": {"draft": 1}}


def test_findings_stand_in_the_order_of_the_tasks() -> None:
    cut = {"value": {"start": 0, "end": 2, "text": "Ad", "labels": ["PER"]}, "from_name": "label"}
    tasks = [task(1), task(2, annotations=[{"completed_by": 1, "result": [cut]}]), task(3, predictions=[{}])]
    kinds = [finding.kind for finding in reading(tasks).report.findings]
    assert kinds == ["spans-cut", "predictions-left-out"]


def test_tasks_before_and_behind_a_faulty_one_are_read() -> None:
    found = reading([task(1), 3, task(2, data={}), task(3)])
    assert ids(found) == ["98", "99", "1", "3", "100"]
    assert [rejected.reason for rejected in found.report.rejected] == [
        "a task must be a JSON object",
        "task 2: there is no text in 'data', only labels on text can be read",
    ]


def test_faults_before_the_end_of_a_broken_file_are_told_before_it() -> None:
    text = json.dumps([task(1), task(2, data={}), task(3)])[:-1]
    with pytest.raises(FormatError, match=r"(?s)there is no text in 'data'.*after a value"):
        read(text.encode(), format="label-studio")


def test_labels_that_cannot_be_held_refuse_only_their_own_task() -> None:
    value = {"start": 0, "end": 3, "text": "Ada", "labels": [" "]}
    bad = [{"completed_by": 1, "result": [{"value": value, "from_name": "label"}]}]
    found = reading([task(1), task(2, annotations=bad), task(3)])
    assert ids(found) == ["98", "99", "1", "3", "100"]
    assert "annotator 1: label 'B- ' names no entity type" in found.report.rejected[0].reason
