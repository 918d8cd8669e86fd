"""Sentences go back into their file with tags: what came with them stays, what spoke of other labels goes."""

import json
from typing import Any

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats.carrying import carry, guess_input
from crowdseq.formats.tools.conll.columns import parse_columns


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


def back(kind: str, text: str, tags: list[tuple[str, ...]], confidence: bool = False, **how: Any) -> str:
    """The whole file with tags, a tuple for each sentence that has tokens."""
    waiting = iter(tags)
    found = []
    for one in carry(kind, lines(text), "a", "words", **how):
        given = next(waiting) if one.tokens else ()
        found.append(one.back(given, [0.5] * len(given) if confidence else None))
    return "".join(found)


def test_marks_of_documents_have_as_many_columns_as_tokens() -> None:
    text = "-DOCSTART-\t-X-\n\nAda\tNNP\n"
    assert back("conll", text, [("B-PER",)]) == "-DOCSTART-\t-X-\tO\n\nAda\tNNP\tB-PER\n"
    made = back("conll", text, [("B-PER",)], confidence=True)
    assert made == "-DOCSTART-\t-X-\t1.0000\tO\n\nAda\tNNP\t0.5000\tB-PER\n"


def test_an_empty_last_column_stays_and_a_no_break_space_belongs_to_its_token() -> None:
    assert back("conll", "Ada\tNNP\t\nmet\tVBD\tx\n", [("O", "O")]) == "Ada\tNNP\t\tO\nmet\tVBD\tx\tO\n"
    (one,) = carry("conll", lines("10\u00a0000 CD\n\u00a0 X\nb X\n"), "a", "words")
    assert one.tokens == ("10\u00a0000", "\u00a0", "b")


def test_tags_with_spaces_go_behind_tabs() -> None:
    text = "-DOCSTART- -X-\n\nOslo NNP\n"
    made = back("conll", text, [("B-Geo Location",)], tabs=True)
    assert made == "-DOCSTART-\t-X-\tO\n\nOslo\tNNP\tB-Geo Location\n"


def test_named_columns_are_carried_and_missing_ones_told() -> None:
    named = parse_columns(["-", "token", "column:pos"])
    (one,) = carry("conll", lines("1 Ada NNP\n2 met VBD\n"), "a", "words", columns=named)
    assert (one.tokens, dict(one.columns)) == (("Ada", "met"), {"pos": ("NNP", "VBD")})
    with pytest.raises(FormatError, match="a:2: 2 columns where 3 are named"):
        list(carry("conll", lines("1 Ada NNP\n2 met\n"), "a", "words", columns=named))
    record = {"tokens": ["Ada"], "columns": {"pos": ["NNP"], "bad": ["x", "y"]}}
    (one,) = carry("jsonl", [(1, json.dumps(record))], "a", "words")
    assert dict(one.columns) == {"pos": ("NNP",)}


def test_tokens_of_plain_text_may_have_spaces_but_are_not_blank() -> None:
    (one,) = carry("text", lines("New York|is| |big\n"), "a", "regex:[^|]+")
    assert one.tokens == ("New York", "is", "big")
    assert one.back(("B-LOC", "O", "O"), None) == "New York\tB-LOC\nis\tO\nbig\tO\n\n"


def test_a_json_array_is_not_taken_for_text() -> None:
    with pytest.raises(FormatError, match=r"a\.json: is a JSON array.*convert"):
        guess_input("a.json", ["[", '  {"id": 1}', "]"])
    assert guess_input("a.txt", ["[Ada] met her"]) == "text"


def test_a_document_without_a_name_is_told() -> None:
    with pytest.raises(FormatError, match='a:1: "doc" is no text'):
        list(carry("jsonl", [(1, '{"doc": [1], "tokens": ["Ada"]}')], "a", "words"))
