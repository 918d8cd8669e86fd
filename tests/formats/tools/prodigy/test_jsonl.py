"""Prodigy: one line for each text and annotator."""

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

TEXT = "Ada met Bo-Li."
TOKENS = [(0, 3), (4, 7), (8, 13), (13, 14)]


def line(*spans: tuple[int, int, str], **others: Any) -> dict[str, Any]:
    return {
        "text": TEXT,
        "_input_hash": 5,
        "_view_id": "ner_manual",
        "tokens": [
            {"text": TEXT[start:end], "start": start, "end": end, "id": place}
            for place, (start, end) in enumerate(TOKENS)
        ],
        "spans": [{"start": start, "end": end, "label": label} for start, end, label in spans],
        "answer": "accept",
        "_annotator_id": "ann",
    } | others


def lines(*values: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


def test_the_synthetic_documents_give_the_expected_table() -> None:
    found = read(own("two-annotators") / "prodigy" / "export.jsonl").corpus
    people = {"proj-ann1": "ann1", "proj-ann2": "ann2"}
    assert rows_of(found, {"1001": "d1", "1002": "d2"}, people, by_id=True) == expected_rows()


def test_lines_without_a_session_belong_to_the_file(put: Put) -> None:
    task: dict[str, Any] = {
        "_task_hash": 7,
        "_session_id": None,
        "_view_id": "ner_manual",
        "spans": [],
        "answer": "accept",
    }
    texts = [
        {"text": f"Boat {n} left", "_input_hash": n, "meta": {"source": "The log"}} | task for n in range(3)
    ]
    imported = read(put("harbour.jsonl", "".join(json.dumps(text) + "\n" for text in texts)))
    assert imported.corpus.annotators == ("harbour",)
    unknown = imported.report.finding("annotator-unknown")
    assert unknown is not None
    assert unknown.count == 3
    assert imported.corpus.sentences[0].extras["meta"] == {"source": "The log"}


def test_tokens_come_from_the_file() -> None:
    found = read(lines(line((8, 13, "PER")))).corpus
    assert found.sentences[0].tokens == ("Ada", "met", "Bo-Li", ".")
    assert votes(found) == {"ann": ["O", "O", "B-PER", "O"]}


def test_text_without_tokens_is_cut_by_the_tokenizer() -> None:
    found = read(lines(line((8, 13, "PER"), tokens=None))).corpus
    assert votes(found) == {"ann": ["O", "O", "B-PER", "I-PER", "I-PER", "O"]}


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_an_answer_other_than_accept_is_skipped(answer: str) -> None:
    imported = read(lines(line((0, 3, "PER")), line(answer=answer, _annotator_id="b")))
    assert votes(imported.corpus) == {"ann": ["B-PER", "O", "O", "O"]}
    assert imported.report.statuses["b"] == {"skipped": 1}


def test_an_accepted_text_without_spans_is_a_vote() -> None:
    assert votes(read(lines(line())).corpus) == {"ann": ["O"] * 4}


@pytest.mark.parametrize("others", [{"_is_binary": True}, {"_view_id": "ner"}])
def test_yes_or_no_answers_are_refused(faults: Faults, others: dict[str, Any]) -> None:
    (found,) = faults("p.jsonl", lines(line((0, 3, "PER"), **others)))
    assert found.startswith("p.jsonl:1: holds yes-or-no answers about single spans (_view_id 'ner")
    assert found.endswith("annotate with ner.manual, spans.manual or ner.correct and export that")


def test_the_session_stands_in_for_the_annotator() -> None:
    found = read(lines(line(_annotator_id=None, _session_id="proj-eve"))).corpus
    assert found.annotators == ("proj-eve",)


def test_sessions_named_by_time_are_told_once_each() -> None:
    session = "proj-2026-01-05_10-00-00"
    imported = read(lines(line(_annotator_id=session), line(_annotator_id=session, _input_hash=6)))
    told = imported.report.finding("sessions-by-time")
    assert told is not None
    assert told.count == 1


def test_a_review_is_gold() -> None:
    found = read(lines(line(), line((0, 3, "PER"), versions=[]))).corpus
    assert found.gold[0] == ("B-PER", "O", "O", "O")
    assert found.annotators == ("ann",)


def test_one_annotator_twice_on_a_text_is_an_error_unless_told(faults: Faults) -> None:
    (found,) = faults("p.jsonl", lines(line(), line((0, 3, "PER"))))
    assert "annotator ann labelled this sentence before (p.jsonl:1)" in found
    assert votes(read("p.jsonl", duplicates="newest").corpus) == {"ann": ["B-PER", "O", "O", "O"]}


@pytest.mark.parametrize(
    ("others", "what"),
    [
        ({"text": None}, "'text' is missing"),
        ({"text": 3}, "'text' must be a text"),
        ({"answer": "maybe"}, "'answer' is 'maybe', accept, reject or ignore is expected"),
        ({"spans": {}}, "'spans' must be a list of objects"),
        ({"spans": [{"start": 0, "end": "3", "label": "X"}]}, "an offset is '3', a whole number is expected"),
        (
            {"spans": [{"start": True, "end": 3, "label": "X"}]},
            "an offset is True, a whole number is expected",
        ),
        ({"spans": [{"start": 0, "end": 99, "label": "X"}]}, "the span 0-99 lies outside the text"),
        ({"spans": [{"start": 0, "end": 3, "label": 3}]}, "the label of a span must be a text"),
        ({"tokens": [{"start": 0, "end": 99}]}, "the token 0-99 lies outside the text or over another token"),
        (
            {"tokens": [{"start": 2, "end": 3}, {"start": 0, "end": 1}]},
            "the token 0-1 lies outside the text or",
        ),
        ({"tokens": [{"end": 3}]}, "an offset of a token is None, a whole number is expected"),
        ({"_annotator_id": 1.5}, "'_annotator_id' must be a text or a whole number"),
    ],
)
def test_odd_lines_are_named(faults: Faults, others: dict[str, Any], what: str) -> None:
    (found,) = faults("p.jsonl", lines(line(**others)), format="prodigy")
    assert found.startswith("p.jsonl:1: 5: ")
    assert what in found


@given(span_worlds())
def test_a_crowd_with_gold_is_written_and_read_back(world: Corpus) -> None:
    if not len(world):
        return
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / "c.prodigy.jsonl", format="prodigy")
        found = read(Path(folder) / "c.prodigy.jsonl", scheme="IOB2").corpus
    assert plain(found) == plain(world)
    assert [sentence.id for sentence in found.sentences] == [sentence.id for sentence in world.sentences]


def test_an_export_written_again_is_read_as_the_same_corpus(put: Put) -> None:
    first = read(own("two-annotators") / "prodigy" / "export.jsonl").corpus
    write(first, put("again.jsonl", b""), format="prodigy", force=True)
    assert read("again.jsonl").corpus == first


def test_the_last_token_of_a_span_is_included_in_its_numbers(tmp_path: Path) -> None:
    write(corpus("Ada/B-PER Lovelace/I-PER met/O", gold=False), tmp_path / "c", format="prodigy")
    (span,) = json.loads((tmp_path / "c").read_text("utf-8"))["spans"]
    assert span == {"start": 0, "end": 12, "token_start": 0, "token_end": 1, "label": "PER"}


def test_a_consensus_becomes_tasks_with_confidence_and_names(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/O met/O/O", gold=False)
    probabilities = np.array([[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]])
    consensus = Consensus(world, np.array([1, 0], np.int16), probabilities, ())
    write_consensus(consensus, tmp_path / "c", format="prodigy")
    made = json.loads((tmp_path / "c").read_text("utf-8"))
    assert "answer" not in made
    assert [(span["score"], span["agreed"]) for span in made["spans"]] == [(0.75, ["a1"])]


TASK = {"text": "Ada slept", "_input_hash": 7, "_view_id": "ner_manual"}
ADA = {"start": 0, "end": 3, "label": "PER"}


def test_spans_of_tasks_that_nobody_answered_are_left_out_and_told_or_read_on_request(put: Put) -> None:
    tasks = [TASK | {"spans": [ADA]}, TASK | {"text": "Bo", "_input_hash": 8}]
    name = put("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    found = read(name)
    assert found.corpus.annotators == ()
    told = found.report.finding("predictions-left-out")
    assert str(told) == (
        "tasks without an answer hold spans that were left out, predictions= reads them as one more "
        "annotator: tasks.jsonl:1: 7"
    )
    predicted = read(name, predictions=True)
    assert predicted.corpus.annotators == ("model",)
    assert [len(ballot.voters) for ballot in predicted.corpus.annotations.ballots] == [1, 0]
    assert predicted.report.finding("predictions-left-out") is None
