"""Label Studio: JSON, JSON_MIN, CSV, and the CONLL2003 export that lost its annotators."""

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from builders import corpus
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats import read, write, write_consensus
from file_fixtures import Faults, Put
from formats.marked_files import plain, span_worlds, votes
from tool_samples import expected_rows, own, rows_of

DOCUMENTS = {"1": "d1", "2": "d2"}
PEOPLE = {"11": "ann1", "12": "ann2"}
TEXT = "Ada met Bo Li."


def region(start: Any, end: Any, label: Any = "PER", **others: Any) -> dict[str, Any]:
    labels = label if isinstance(label, list) else [label]
    return {
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {"start": start, "end": end, "labels": labels},
    } | others


def annotation(*regions: dict[str, Any], by: Any = 1, **others: Any) -> dict[str, Any]:
    return {"completed_by": by, "was_cancelled": False, "result": list(regions)} | others


def task(*annotations: dict[str, Any], text: str = TEXT, **others: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"text": text}, "annotations": list(annotations)} | others


def export(*tasks: dict[str, Any]) -> bytes:
    return json.dumps(list(tasks)).encode()


@pytest.mark.parametrize("file", ["export.json", "export.JSON_MIN.json"])
def test_the_synthetic_documents_give_the_expected_table(file: str) -> None:
    imported = read(own("two-annotators") / "label-studio" / file)
    assert rows_of(imported.corpus, DOCUMENTS, PEOPLE, by_id=True) == expected_rows()
    trimmed = imported.report.finding("spans-trimmed")
    assert trimmed is not None
    assert trimmed.count == 1


@pytest.mark.parametrize("separator", [",", "\t"])
def test_csv_gives_the_expected_table(put: Put, separator: str) -> None:
    rows = json.loads((own("two-annotators") / "label-studio/export.JSON_MIN.json").read_text("utf-8"))
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), delimiter=separator)
    table.writeheader()
    table.writerows(
        {key: json.dumps(v) if isinstance(v, list) else v for key, v in row.items()} for row in rows
    )
    imported = read(put("export.csv", out.getvalue()))
    assert imported.report.files[0].format == "label-studio-csv"
    assert rows_of(imported.corpus, DOCUMENTS, PEOPLE, by_id=True) == expected_rows()


def test_the_export_that_lost_its_annotators_is_refused(faults: Faults) -> None:
    file = own("two-annotators") / "label-studio" / "export.CONLL2003.conll"
    (found,) = faults(str(file))
    assert found.endswith(
        "and does not say who labelled it (2 texts stand twice or more): export JSON instead"
    )


def test_columns_of_one_annotator_are_gold(put: Put) -> None:
    imported = read(put("e.conll", "-DOCSTART- -X- O\nAda -X- _ B-PER\n\nmet -X- _ O\n"))
    assert imported.report.files[0].format == "label-studio-conll"
    assert imported.corpus.gold[:] == [("B-PER",), ("O",)]


@pytest.mark.parametrize("person", [1, {"id": 1, "email": "a@x.org", "first_name": "", "last_name": ""}])
def test_tasks_on_images_are_refused(faults: Faults, person: Any) -> None:
    task_of_image = {
        "id": 1,
        "data": {"image": "https://images.example/harbour/one.jpg"},
        "annotations": [{"id": 1, "completed_by": person, "result": [], "was_cancelled": False}],
        "predictions": [],
    }
    (found,) = faults("e.json", json.dumps([task_of_image]))
    assert "the field 'image' holds an address (https://" in found
    assert "only labels on text that stands in the file can be read" in found


def test_a_task_without_names_has_an_unknown_annotator(put: Put) -> None:
    value = {"start": 19, "end": 26, "text": "4 March", "labels": ["Date"]}
    region = {"id": "r1", "from_name": "ner", "to_name": "text", "type": "labels", "value": value}
    data = {"text": "The boats leave on 4 March at dawn."}
    only = {"data": data, "annotations": [{"id": "1001", "lead_time": 12.5, "result": [region]}]}
    imported = read(put("e.json", json.dumps([{"id": 1, **only, "predictions": []}])))
    assert imported.corpus.annotators == ("unknown",)
    assert imported.corpus.scheme.types == ("Date",)
    assert imported.report.finding("annotator-unknown")
    start, end, label = imported.corpus.sentences[0].extras["spans"]["unknown"][0]
    assert (imported.corpus.sentences[0].extras["text"][start:end], label) == ("4 March", "Date")


def test_annotators_are_numbers_texts_or_objects() -> None:
    people = [3, "ann", {"id": 4, "email": "d@x.org"}, {"email": "e@x.org"}]
    imported = read(export(task(*(annotation(by=person) for person in people))))
    assert imported.corpus.annotators == ("3", "ann", "d@x.org", "e@x.org")
    assert "4 is d@x.org" in str(imported.report.finding("annotators-named"))


def test_an_annotator_whose_number_is_renamed_is_not_called_by_email() -> None:
    exported = export(task(annotation(by={"id": 4, "email": "d@x.org"})))
    assert read(exported, names={"4": "dora"}).corpus.annotators == ("dora",)


def test_two_annotations_of_nobody_cannot_be_told_apart(faults: Faults) -> None:
    (found,) = faults("e.json", export(task(annotation(by=None), annotation(by=None))))
    assert found.startswith("e.json:1: task 7: several annotations do not say who made them (completed_by)")


def test_cancelled_work_is_skipped_drafts_are_counted_and_ground_truth_is_gold() -> None:
    cancelled = annotation(region(0, 3), by=2, was_cancelled=True)
    truth = annotation(region(8, 13), by=3, ground_truth=True)
    work = task(annotation(region(0, 3)), cancelled, truth, drafts=[{"user": 5, "result": []}])
    imported = read(export(work))
    assert votes(imported.corpus) == {"1": ["B-PER", "O", "O", "O", "O"]}
    assert imported.corpus.gold[0] == ("O", "O", "B-PER", "I-PER", "O")
    assert imported.report.statuses == {"1": {"labelled": 1}, "2": {"skipped": 1}, "5": {"draft": 1}}


def test_an_empty_annotation_is_a_vote() -> None:
    assert votes(read(export(task(annotation()))).corpus) == {"1": ["O"] * 5}


def test_of_two_annotations_by_one_person_the_newest_counts() -> None:
    old = annotation(region(0, 3), updated_at="2026-01-01T00:00:00Z")
    new = annotation(region(8, 10), updated_at="2026-01-02T00:00:00Z")
    imported = read(export(task(new, old)))
    assert votes(imported.corpus) == {"1": ["O", "O", "B-PER", "O", "O"]}
    assert imported.report.finding("annotated-again")


def test_predictions_are_read_when_asked_for() -> None:
    work = task(annotation(), predictions=[{"model_version": "m1", "result": [region(0, 3)]}])
    assert read(export(work)).report.finding("predictions-left-out")
    assert votes(read(export(work), predictions=True).corpus)["m1"] == ["B-PER", "O", "O", "O", "O"]


def test_of_several_controls_one_must_be_chosen(faults: Faults) -> None:
    work = export(task(annotation(region(0, 3), region(8, 10, "X", from_name="other"))))
    assert faults("e.json", work) == [
        "e.json: labels come from several controls (label, other), say which one with layer="
    ]
    assert votes(read("e.json", layer="other").corpus) == {"1": ["O", "O", "B-X", "O", "O"]}
    (found,) = faults("e.json", layer="third")
    assert "no label comes from the control 'third', there is label, other" in found


def test_results_that_mark_no_text_are_counted() -> None:
    choice = {"from_name": "mood", "type": "choices", "value": {"choices": ["good"]}}
    imported = read(export(task(annotation(choice, region(0, 3), region(4, 7, [])))))
    assert votes(imported.corpus) == {"1": ["B-PER", "O", "O", "O", "O"]}
    assert imported.report.finding("results-left-out")
    assert imported.report.finding("spans-without-label")


def test_html_is_read_by_global_offsets_or_refused(faults: Faults) -> None:
    value = {"start": "/p[1]", "end": "/p[1]", "startOffset": 0, "endOffset": 3, "hypertextlabels": ["PER"]}
    whole = value | {"globalOffsets": {"start": 0, "end": 3}, "text": "Ada"}
    imported = read(export(task(annotation(region(0, 0, value=whole)))))
    assert votes(imported.corpus) == {"1": ["B-PER", "O", "O", "O", "O"]}
    (found,) = faults("e.json", export(task(annotation(region(0, 0, value=value)))))
    assert "a region on HTML has no globalOffsets" in found


def test_old_offsets_in_utf_16_are_proven_by_the_covered_text() -> None:
    old = region(0, 0, value={"start": 3, "end": 6, "text": "Ada", "labels": ["PER"]})
    imported = read(export(task(annotation(old), text="🚀 Ada met Bo")))
    assert votes(imported.corpus) == {"1": ["O", "B-PER", "O", "O"]}
    assert imported.report.finding("offsets-utf-16")
    assert imported.corpus.sentences[0].extras["spans"] == {"1": [[2, 5, "PER"]]}


def test_a_covered_text_that_fits_nowhere_is_an_error(faults: Faults) -> None:
    wrong = region(0, 0, value={"start": 0, "end": 3, "text": "Bob", "labels": ["PER"]})
    (found,) = faults("e.json", export(task(annotation(wrong))))
    assert found.startswith(
        "e.json:1: task 7: annotator 1: the span 0-3 covers 'Ada' in the text, but 'Bob' in the annotation"
    )


@pytest.mark.parametrize(
    ("start", "end", "what"),
    [
        (-1, 3, "the span -1-3 lies outside the text, which has 14 characters"),
        (0, 15, "the span 0-15 lies outside the text, which has 14 characters"),
        (3, 0, "the span 3-0 ends before it starts, correct it"),
        (0.0, 3, "an offset is 0.0, a whole number is expected"),
        (0, 3.0, "an offset is 3.0, a whole number is expected"),
        (0, True, "an offset is True, a whole number is expected"),
        (0, None, "an offset is None, a whole number is expected"),
        (0, "3", "an offset is '3', a whole number is expected"),
        ("0", 3, "an offset is '0', a whole number is expected"),
        (0, "١٢", "an offset is '\\u0661\\u0662', a whole number is expected"),
        (0, "1_0", "an offset is '1_0', a whole number is expected"),
    ],
)
def test_offsets_that_cannot_be_right_are_named(faults: Faults, start: Any, end: Any, what: str) -> None:
    assert faults("e.json", export(task(annotation(region(start, end))))) == [
        f"e.json:1: task 7: annotator 1: {what}"
    ]


def test_faulty_tasks_are_set_aside_when_asked() -> None:
    good, bad = task(annotation(region(0, 3)), id=1), task(annotation(region(0, 99)), id=2)
    imported = read(export(good, bad), on_error="skip")
    assert [sentence.id for sentence in imported.corpus.sentences] == ["1"]
    assert "lies outside the text" in imported.report.rejected[0].reason


@pytest.mark.parametrize(
    ("work", "what"),
    [
        ({"id": 1, "annotations": [{"result": []}]}, "'data' is missing"),
        ({"id": 1, "data": {"a": 1}, "annotations": [{"result": []}]}, "there is no text in 'data'"),
        (
            {"id": 1, "data": {"a": "x", "b": "y"}, "annotations": []},
            "several fields could hold the text (a, b)",
        ),
        ({"id": 1, "data": {"text": "x"}, "annotations": {}}, "'annotations' must be a list of objects"),
        (task(annotation(result=3)), "'result' must be a list of objects"),
        (task(annotation(by=[])), "the annotator must be a text or a whole number"),
        (task(annotation(region(0, 3, [3]))), "the label of the span 0-3 must be a text"),
    ],
)
def test_odd_tasks_are_named(faults: Faults, work: dict[str, Any], what: str) -> None:
    (found,) = faults("e.json", export(work), format="label-studio")
    assert what in found


def test_the_field_of_the_text_can_be_named() -> None:
    work = {"id": 1, "data": {"a": "x", "b": "Ada met"}, "annotations": [annotation(region(0, 3))]}
    assert votes(read(export(work), text_field="b").corpus) == {"1": ["B-PER", "O"]}


def test_fields_of_the_task_are_kept_and_written_back(put: Put) -> None:
    found = read(export(task(annotation(region(0, 3)), data={"text": TEXT, "source": {"page": 3}}))).corpus
    assert found.sentences[0].extras["meta"] == {"source": {"page": 3}}
    write(found, put("again.json", b""), format="label-studio", force=True)
    assert read("again.json").corpus == found


def test_an_export_written_again_gives_back_the_users_own_characters(put: Put) -> None:
    file = own("two-annotators") / "label-studio" / "export.json"
    first = read(file).corpus
    write(first, put("again.json", b""), format="label-studio", force=True)
    again = json.loads((file.parent / "export.json").read_text("utf-8"))
    written = json.loads(Path("again.json").read_text("utf-8"))
    for before, after in zip(again, written, strict=True):
        assert [[item["value"] for item in one["result"]] for one in before["annotations"]] == [
            [item["value"] for item in one["result"]] for one in after["annotations"]
        ]
    assert read("again.json").corpus == first


def test_a_consensus_becomes_predictions_with_confidence_and_names(put: Put) -> None:
    world = corpus("Ada/B-PER/O met/O/O Bo/O/B-PER", gold=False)
    probabilities = np.array([[0.1, 0.9, 0.0], [1.0, 0.0, 0.0], [0.8, 0.2, 0.0]])
    consensus = Consensus(world, np.array([1, 0, 0], np.int16), probabilities, ())
    write_consensus(consensus, put("p.json", b""), format="label-studio", force=True)
    (made,) = json.loads(Path("p.json").read_text("utf-8"))
    (prediction,) = made["predictions"]
    (marked,) = prediction["result"]
    assert marked["value"] == {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}
    assert (marked["score"], marked["meta"]) == (0.9, {"text": ["marked by a1"]})
    assert prediction["score"] == pytest.approx(0.72)
    assert votes(read("p.json", predictions=True).corpus) == {"crowdseq": ["B-PER", "O", "O"]}


@given(span_worlds())
def test_a_crowd_with_gold_is_written_and_read_back(world: Corpus) -> None:
    if not len(world):
        return
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / "c.label-studio.json", format="label-studio")
        found = read(Path(folder) / "c.label-studio.json", scheme="IOB2").corpus
    assert plain(found) == plain(world)
    assert [sentence.id for sentence in found.sentences] == [sentence.id for sentence in world.sentences]
