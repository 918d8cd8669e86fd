"""Argilla records, flattened and not."""

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

PEOPLE = {
    "00000000-0000-0000-0000-00000000000b": "ann1",
    "00000000-0000-0000-0000-00000000000c": "ann2",
}
ADA = [{"start": 0, "end": 3, "label": "PER"}]


def nested(*responses: dict[str, Any], question: str = "ner", **others: Any) -> bytes:
    return json.dumps(
        [{"id": "r", "fields": {"text": "Ada met"}, "responses": {question: list(responses)}} | others]
    ).encode()


def flat(values: Any, users: Any, states: Any, **others: Any) -> bytes:
    keys = {"ner.responses": values, "ner.responses.users": users, "ner.responses.status": states}
    return json.dumps([{"id": "r", "text": "Ada met"} | keys | others]).encode()


def given_by(user: Any, value: Any, **others: Any) -> dict[str, Any]:
    return {"user_id": user, "value": value} | others


@pytest.mark.parametrize("file", ["records.to_list.json", "records.to_list.flatten.json"])
def test_the_synthetic_documents_give_the_expected_table(file: str) -> None:
    found = read(own("two-annotators") / "argilla" / file, names=PEOPLE).corpus
    assert rows_of(found, by_id=True) == expected_rows()
    assert set(found.sentences[0].extras["spans"]) == {"ann1", "ann2"}


def test_only_what_was_submitted_counts() -> None:
    imported = read(flat([ADA, ADA, ADA], ["a", "b", "c"], ["submitted", "draft", "discarded"]))
    assert votes(imported.corpus) == {"a": ["B-PER", "O"]}
    assert imported.report.statuses == {"a": {"labelled": 1}, "b": {"draft": 1}, "c": {"skipped": 1}}


def test_a_submitted_empty_answer_is_a_vote() -> None:
    assert votes(read(flat([[]], ["a"], ["submitted"])).corpus) == {"a": ["O", "O"]}


def test_without_a_status_drafts_cannot_be_told_and_empty_answers_are_asked_about(faults: Faults) -> None:
    imported = read(nested(given_by("a", ADA)))
    assert "export with flatten=True to tell them apart" in str(imported.report.finding("drafts-unknown"))
    (found,) = faults("r.json", nested(given_by("a", [])))
    assert found.startswith("r.json:1: r: 1 document has no span")
    assert votes(read("r.json", empty_means="labelled").corpus) == {"a": ["O", "O"]}


def test_a_status_in_the_nested_form_is_heeded() -> None:
    imported = read(nested(given_by("a", [], status="submitted"), given_by("b", ADA, status="draft")))
    assert votes(imported.corpus) == {"a": ["O", "O"]}


def test_of_several_span_questions_one_must_be_chosen(faults: Faults) -> None:
    responses = {"ner": [given_by("a", ADA)], "pos": [given_by("a", ADA)], "mood": [given_by("a", "good")]}
    (found,) = faults("r.json", nested(responses=responses))
    assert found == "r.json: labels come from several questions (ner, pos), say which one with layer="
    assert votes(read("r.json", layer="pos").corpus) == {"a": ["B-PER", "O"]}


@pytest.mark.parametrize(
    "others",
    [{"suggestions": {"ner": {"value": ADA, "agent": "m", "score": [0.5]}}}, {"suggestions": {}}],
)
def test_suggestions_are_read_when_asked_for(others: dict[str, Any]) -> None:
    data = nested(given_by("a", [], status="submitted"), **others)
    has_one = bool(others["suggestions"])
    assert bool(read(data).report.finding("predictions-left-out")) == has_one
    assert ("m" in votes(read(data, predictions=True).corpus)) == has_one


def test_flat_suggestions_are_read_when_asked_for() -> None:
    data = flat([[]], ["a"], ["submitted"], **{"ner.suggestion": ADA, "ner.suggestion.agent": "m"})
    found = read(data, predictions=True).corpus
    assert votes(found) == {"a": ["O", "O"], "m": ["B-PER", "O"]}
    assert "meta" not in found.sentences[0].extras


def test_metadata_and_other_fields_are_kept() -> None:
    fields = {"text": "Ada met", "title": "T"}
    for data in (
        nested(given_by("a", ADA), fields=fields, metadata={"page": 3}),
        flat([ADA], ["a"], ["submitted"], title="T", page=3),
    ):
        assert read(data).corpus.sentences[0].extras["meta"] == {"title": "T", "page": 3}


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (nested(responses=[]), ""),
        (nested(responses="x"), "'responses' must be an object with a list for each question"),
        (nested(responses={"ner": 3}), "the responses to 'ner' must be a list of objects"),
        (nested(given_by(None, ADA)), "a response does not say who gave it (user_id)"),
        (nested(given_by("a", ADA), given_by("a", ADA)), "the user a answered twice, remove one response"),
        (nested(given_by("a", ADA, status="new")), "the status of a response is 'new', not one of submitted"),
        (nested(given_by("a", [{"start": 0, "end": 3}])), "the label of a span must be a text"),
        (nested(given_by("a", [{"start": 0, "end": 3.0, "label": "X"}])), "an offset is 3.0, a whole number"),
        (
            nested(given_by("a", [{"start": -1, "end": 3, "label": "X"}])),
            "the span -1-3 lies outside the text",
        ),
        (nested(fields=[]), "'fields' and 'metadata' must be objects"),
        (nested(fields={"image": 3}), "there is no text, only labels on text can be read"),
        (
            flat([ADA], ["a", "b"], None),
            "'ner.responses' and 'ner.responses.users' must be lists of the same",
        ),
        (
            flat([ADA], ["a"], []),
            "'ner.responses' and 'ner.responses.status' must be lists of the same length",
        ),
    ],
)
def test_odd_records_are_named(faults: Faults, put: Put, data: bytes, what: str) -> None:
    if not what:  # an empty list in place of an empty object says the same
        assert len(read(put("r.json", data), format="argilla").corpus) == 1
        return
    (found,) = faults("r.json", data, format="argilla")
    assert found.startswith("r.json:1: r: ")
    assert what in found


@given(span_worlds(with_gold=False))
def test_a_crowd_is_written_and_read_back(world: Corpus) -> None:
    if not len(world):
        return
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / "c.argilla.json", format="argilla")
        found = read(Path(folder) / "c.argilla.json", scheme="IOB2").corpus
    assert plain(found) == plain(world)
    assert [sentence.id for sentence in found.sentences] == [sentence.id for sentence in world.sentences]


@pytest.mark.parametrize("file", ["records.to_list.json", "records.to_list.flatten.json"])
def test_records_written_again_are_read_as_the_same_corpus(put: Put, file: str) -> None:
    first = read(own("two-annotators") / "argilla" / file).corpus
    write(first, put("again.json", b""), format="argilla", force=True)
    assert read("again.json").corpus == first


def test_losses_are_said(tmp_path: Path) -> None:
    notes = write(corpus("Ada/B-PER/O met/O/O"), tmp_path / "c", format="argilla")
    assert notes[0] == "argilla has no room for gold, it was left out"
    assert notes[1].startswith("1 names of annotators are no ids of Argilla users")


def test_a_consensus_becomes_suggestions_with_scores(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER met/O", gold=False)
    probabilities = np.array([[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]])
    consensus = Consensus(world, np.array([1, 0], np.int16), probabilities, ())
    write_consensus(consensus, tmp_path / "c", format="argilla")
    (made,) = json.loads((tmp_path / "c").read_text("utf-8"))
    assert made["suggestions"]["ner"] == {"value": ADA, "score": [0.75], "agent": "crowdseq"}
