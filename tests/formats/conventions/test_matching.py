"""Sentences are joined by their text where ids cannot tell, and only then."""

import json

from crowdseq.formats import read
from file_fixtures import Put


def jsonl(*records: tuple[str, str, str]) -> str:
    """Id, tokens, annotator."""
    return "".join(
        json.dumps({"id": name, "tokens": text.split(), "annotations": {who: ["O"] * len(text.split())}})
        + "\n"
        for name, text, who in records
    )


def test_a_text_keeps_its_first_id_and_an_id_that_is_taken_is_made_anew(put: Put) -> None:
    put("a.jsonl", jsonl(("1", "Ada ran", "ana"), ("2", "Bo ran", "ana")))
    put("b.jsonl", jsonl(("1", "Bo ran", "bob"), ("2", "Cy ran", "bob")))
    found = read(["a.jsonl", "b.jsonl"], match="text").corpus
    assert [s.tokens[0] for s in found.sentences] == ["Ada", "Bo", "Cy"]
    assert found.n_voters.tolist() == [1, 2, 1]
    assert found.sentences[2].id.startswith("text-")


def test_a_text_that_comes_again_from_one_annotator_is_another_sentence(put: Put) -> None:
    put("a.jsonl", jsonl(("1", "Ha", "ana"), ("2", "Ha", "ana")))
    put("b.jsonl", jsonl(("7", "Ha", "bob"), ("8", "Ha", "bob"), ("9", "Ha", "bob")))
    found = read(["a.jsonl", "b.jsonl"], match="text").corpus
    assert found.n_voters.tolist() == [2, 2, 1]


def test_lines_of_one_id_in_one_file_stay_one_sentence(put: Put) -> None:
    name = put("a.jsonl", jsonl(("1", "Ha", "ana"), ("1", "Ha", "bob"), ("2", "Ha", "bob")))
    assert read(name, match="text").corpus.n_voters.tolist() == [2, 1]


def test_texts_that_differ_in_spaces_are_told_and_not_joined(put: Put) -> None:
    put("c/ana.jsonl", json.dumps({"id": 1, "text": "Ada ran", "label": [[0, 3, "PER"]]}))
    put("c/bob.jsonl", json.dumps({"id": 5, "text": "Ada  ran", "label": [[0, 3, "PER"]]}))
    imported = read("c", match="text")
    assert len(imported.corpus) == 2
    assert imported.report.finding("texts-nearly-equal") is not None


def test_annotators_may_have_seen_different_sentences_of_a_document(put: Put) -> None:
    put("c/ana/d1.txt", "Ada B-PER\nran O\n\nBo B-PER\n\nCy B-PER\n")
    put("c/bob/d1.txt", "Ada O\nran O\n\nCy O\n")
    put("c/ana/d2.txt", "Bo O\nsat O\n")
    put("c/bob/d2.txt", "Bo B-PER\nsat O\n")
    found = read("c").corpus
    assert [(s.tokens[0], s.doc) for s in found.sentences] == [
        ("Ada", "d1"),
        ("Bo", "d1"),
        ("Cy", "d1"),
        ("Bo", "d2"),
    ]
    assert found.n_voters.tolist() == [2, 1, 2, 2]
