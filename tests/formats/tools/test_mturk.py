"""Batch results of Mechanical Turk: which rows count, where text and answers stand."""

import csv
import io
import json
from typing import Any

import pytest

from crowdseq.errors import SettingsError
from crowdseq.formats import read
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

COLUMNS = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.text", "Answer.taskAnswers"]


def entity(start: Any, end: Any, label: Any = "PER") -> dict[str, Any]:
    return {"startOffset": start, "endOffset": end, "label": label}


def answer(*entities: Any, widget: str = "annotatedResult") -> str:
    return json.dumps([{widget: {"entities": list(entities)}}])


def batch(*rows: list[str], columns: list[str] = COLUMNS) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([columns, *rows])
    return out.getvalue()


def row(
    worker: str, given: str, status: str = "Approved", text: str = "Ada met Bo", hit: str = "H1"
) -> list[str]:
    return [hit, f"A-{worker}", worker, status, text, given]


def test_the_two_annotators_are_read() -> None:
    names = {"Wann1": "ann1", "Wann2": "ann2"}
    imported = read(own("two-annotators/mturk/batch.csv"), names=names)
    assert imported.report.files[0].format == "mturk"
    assert rows_of(imported.corpus) == expected_rows()


def test_rejected_assignments_are_left_out_and_said(put: Put) -> None:
    rows = [
        row("W1", answer(entity(0, 3))),
        row("W2", answer(), "Rejected"),
        row("W3", answer(), "Submitted"),
    ]
    imported = read(put("b.csv", batch(*rows)))
    assert imported.corpus.annotators == ("W1", "W3")
    assert rows_of(imported.corpus)[-1] == ("H1", "2", "Bo", "W3", "O")
    assert imported.report.statuses["W2"] == {"skipped": 1}
    assert imported.report.finding("assignments-rejected") is not None


def test_an_assignment_without_an_answer_is_no_empty_answer(put: Put) -> None:
    imported = read(put("b.csv", batch(row("W1", answer(entity(0, 3))), row("W2", ""))))
    assert imported.corpus.annotators == ("W1",)
    assert imported.report.statuses["W2"] == {"unknown": 1}


def test_the_requester_may_have_marked_a_row_for_rejection(put: Put) -> None:
    rows = [[*row("W1", answer(entity(0, 3))), "", ""], [*row("W2", answer()), "", "x"]]
    assert read(put("b.csv", batch(*rows, columns=[*COLUMNS, "Approve", "Reject"]))).corpus.annotators == (
        "W1",
    )


@pytest.mark.parametrize(
    "given",
    [
        answer(entity(0, 3), widget="crowd-entity-annotation"),
        json.dumps({"entities": [entity(0, 3)]}),
        json.dumps([{"form": {"ner": {"entities": [entity(0, 3)], "labels": ["PER"]}}, "ok": {"yes": True}}]),
    ],
)
def test_entities_are_found_under_any_widget(put: Put, given: str) -> None:
    found = read(put("b.csv", batch(row("W1", given)))).corpus
    assert rows_of(found)[0] == ("H1", "0", "Ada", "W1", "B-PER")


def test_of_several_widgets_one_must_be_chosen(faults: Faults) -> None:
    given = json.dumps([{"people": {"entities": [entity(0, 3)]}, "places": {"entities": []}}])
    (found,) = faults("b.csv", batch(row("W1", given)))
    assert found == "b.csv:2: H1: several answers hold entities (people, places), say layer= with one of them"
    assert rows_of(read("b.csv", layer="people").corpus)[0][-1] == "B-PER"


def test_columns_can_be_named(put: Put, faults: Faults) -> None:
    columns = ["HITId", "WorkerId", "Input.sentence", "Input.hint", "Input.n", "Answer.a", "Answer.b"]
    text = batch(["H1", "W1", "Ada", "who?", "s7", "x", answer(entity(0, 3))], columns=columns)
    (found,) = faults("b.csv", text)
    assert found == (
        "b.csv:1: the text could stand in several columns or in none (Input.sentence, Input.hint, Input.n), "
        "say which: columns='text:NAME'"
    )
    chosen = read("b.csv", columns=("text:Input.sentence", "id:Input.n", "answer:Answer.b")).corpus
    assert rows_of(chosen) == [("s7", "0", "Ada", "W1", "B-PER")]
    with pytest.raises(SettingsError, match=r"there is no column Input\.x, but HITId"):
        read(put("b.csv", text), columns=("text:Input.x",))
    with pytest.raises(SettingsError, match="column 'token' has no meaning here"):
        read("b.csv", columns=("token",))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("[{", "b.csv:2: H1: the answer is not JSON ("),
        ('{"a": NaN}', "b.csv:2: H1: the answer is not JSON (NaN is not a JSON number (key 'a'), use null)"),
        ("yes", "b.csv:2: H1: no answer holds a list of entities, as crowd-entity-annotation gives it"),
        (answer({"label": "PER"}), "b.csv:2: H1: an entity needs startOffset, endOffset and label"),
        (answer(7), "b.csv:2: H1: an entity needs startOffset, endOffset and label"),
        (answer(entity(-1, 3)), "b.csv:2: H1: annotator W1: the span -1-3 lies outside the text"),
        (answer(entity(3, 1)), "b.csv:2: H1: annotator W1: the span 3-1 ends before it starts"),
        (answer(entity(0, 99)), "b.csv:2: H1: annotator W1: the span 0-99 lies outside the text"),
        (answer(entity(0, 3.0)), "b.csv:2: H1: annotator W1: an offset is 3.0, a whole number is expected"),
        (answer(entity("0", 3)), "b.csv:2: H1: annotator W1: an offset is '0', a whole number is expected"),
        (answer(entity(0, True)), "b.csv:2: H1: annotator W1: an offset is True, a whole number is expected"),
    ],
)
def test_a_faulty_answer_is_named(faults: Faults, given: str, what: str) -> None:
    (found,) = faults("b.csv", batch(row("W1", given)))
    assert found.startswith(what)


def test_a_worker_who_answers_a_hit_twice_is_named(faults: Faults) -> None:
    rows = [row("W1", answer(entity(0, 3))), row("W1", answer())]
    (found,) = faults("b.csv", batch(*rows))
    assert found.startswith("b.csv:3: H1: annotator W1 labelled this sentence before")


def test_offsets_in_utf_16_are_doubted_and_read_on_request(put: Put, faults: Faults) -> None:
    text = batch(row("W1", answer(entity(3, 6)), text="🚀 Ada met"))
    (found,) = faults("b.csv", text)
    assert "say offset_unit='utf-16' (or characters)" in found
    assert rows_of(read(put("b.csv", text), offset_unit="utf-16").corpus)[1] == (
        "H1",
        "1",
        "Ada",
        "W1",
        "B-PER",
    )


def test_long_cells_and_line_ends_inside_text_are_kept(put: Put) -> None:
    text = "Ada\r\nmet " + "x" * 140_000
    found = read(put("b.csv", batch(row("W1", answer(entity(0, 3)), text=text)))).corpus
    assert found.sentences[0].extras["text"] == text


def test_a_table_without_answers_is_refused(faults: Faults) -> None:
    (found,) = faults("b.csv", batch(["H1", "W1", "Ada"], columns=["HITId", "WorkerId", "Input.text"]))
    assert found == "b.csv:1: has no column Answer., download the results of the batch"
