"""Sentences go back into their file with tags: what came with them stays, what spoke of other labels goes."""

import json

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats.carrying import carry


def lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), start=1))


def test_the_tag_is_the_last_column_with_confidence_before_it() -> None:
    found = [one for one in carry("conll", lines("Ada\tNNP\nmet\tVBD\n"), "a.conll", "words") if one.tokens]
    assert found[0].back(("B-PER", "O"), [0.5, 0.25]) == "Ada\tNNP\t0.5000\tB-PER\nmet\tVBD\t0.2500\tO\n"
    assert found[0].back(("B-PER", "O"), None) == "Ada\tNNP\tB-PER\nmet\tVBD\tO\n"


def test_columns_of_annotators_are_not_taken_for_tokens() -> None:
    crowd = "# columns: token ana bea\nAda\tB-PER\tO\n"
    with pytest.raises(FormatError, match=r"a\.conll:1: .*make it JSONL with convert first"):
        list(carry("conll", lines(crowd), "a.conll", "words"))


def test_what_was_said_of_other_labels_does_not_stay_beside_new_ones() -> None:
    labels = {"labels": ["O"], "confidence": [0.5], "sentence_confidence": 0.5, "agreed": [["ana"]]}
    line = json.dumps({"id": "s1", "tokens": ["Ada"]} | labels)
    (one,) = carry("jsonl", [(1, line)], "a.jsonl", "words")
    assert json.loads(one.back(("B-PER",), None)) == {"id": "s1", "tokens": ["Ada"], "labels": ["B-PER"]}
    assert json.loads(one.back(("B-PER",), [0.9]))["confidence"] == [0.9]
