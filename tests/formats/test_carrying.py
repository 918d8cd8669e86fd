"""Sentences go back into their file with tags: what came with them stays, what spoke of other labels goes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from crowdseq.errors import FormatError, SettingsError
from crowdseq.formats.carrying import format_to_tag, sentences_to_tag
from crowdseq.formats.files.sources import Source, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import Carried
from crowdseq.formats.settings import ReadSettings


def carry(
    kind: str,
    text: str,
    name: str,
    words: str = "words",
    tabs: bool = False,
    columns: list[str] | None = None,
) -> Iterator[Carried]:
    source = Source(name, name, data=text.encode())
    settings = ReadSettings(format=kind, tokenizer=words, columns=tuple(columns) if columns else None)
    with open_source(source, settings.limits) as stream, Collector(settings) as collector:
        yield from sentences_to_tag(stream, source, collector, with_tabs=tabs)


def guessed(name: str, data: str | bytes) -> str:
    source = Source(name, name, data=data.encode() if isinstance(data, str) else data)
    with open_source(source, ReadSettings().limits) as stream, Collector(ReadSettings()) as collector:
        return format_to_tag(stream, collector).name


def test_the_tag_is_the_last_column_with_confidence_before_it() -> None:
    found = [one for one in carry("conll", "Ada\tNNP\nmet\tVBD\n", "a.conll", "words") if one.tokens]
    assert found[0].back(("B-PER", "O"), [0.5, 0.25]) == "Ada\tNNP\t0.5000\tB-PER\nmet\tVBD\t0.2500\tO\n"
    assert found[0].back(("B-PER", "O"), None) == "Ada\tNNP\tB-PER\nmet\tVBD\tO\n"


def test_columns_of_annotators_are_not_taken_for_tokens() -> None:
    crowd = "# columns: token ana bea\nAda\tB-PER\tO\n"
    with pytest.raises(FormatError, match=r"a\.conll:1: .*make it JSONL with convert first"):
        list(carry("conll", crowd, "a.conll", "words"))


def test_what_was_said_of_other_labels_does_not_stay_beside_new_ones() -> None:
    labels = {"labels": ["O"], "confidence": [0.5], "sentence_confidence": 0.5, "agreed": [["ana"]]}
    line = json.dumps({"id": "s1", "tokens": ["Ada"]} | labels)
    (one,) = carry("jsonl", line, "a.jsonl", "words")
    assert json.loads(one.back(("B-PER",), None)) == {"id": "s1", "tokens": ["Ada"], "labels": ["B-PER"]}
    assert json.loads(one.back(("B-PER",), [0.9]))["confidence"] == [0.9]


def back(kind: str, text: str, tags: list[tuple[str, ...]], confidence: bool = False, **how: Any) -> str:
    """The whole file with tags, a tuple for each sentence that has tokens."""
    waiting = iter(tags)
    found = []
    for one in carry(kind, text, "a", "words", **how):
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
    (one,) = carry("conll", "10\u00a0000 CD\n\u00a0 X\nb X\n", "a", "words")
    assert one.tokens == ("10\u00a0000", "\u00a0", "b")


def test_tags_with_spaces_go_behind_tabs() -> None:
    text = "-DOCSTART- -X-\n\nOslo NNP\n"
    made = back("conll", text, [("B-Geo Location",)], tabs=True)
    assert made == "-DOCSTART-\t-X-\tO\n\nOslo\tNNP\tB-Geo Location\n"


def test_named_columns_are_carried_and_missing_ones_told() -> None:
    named = ["-", "token", "column:pos"]
    (one,) = carry("conll", "1 Ada NNP\n2 met VBD\n", "a", "words", columns=named)
    assert (one.tokens, dict(one.columns)) == (("Ada", "met"), {"pos": ("NNP", "VBD")})
    with pytest.raises(FormatError, match="a:2: 2 columns where 3 are named"):
        list(carry("conll", "1 Ada NNP\n2 met\n", "a", "words", columns=named))
    record = {"tokens": ["Ada"], "columns": {"pos": ["NNP"], "bad": ["x", "y"]}}
    (one,) = carry("jsonl", json.dumps(record), "a", "words")
    assert dict(one.columns) == {"pos": ("NNP",)}


def test_tokens_of_plain_text_may_have_spaces_but_are_not_blank() -> None:
    (one,) = carry("text", "New York|is| |big\n", "a", "regex:[^|]+")
    assert one.tokens == ("New York", "is", "big")
    assert one.back(("B-LOC", "O", "O"), None) == "New York\tB-LOC\nis\tO\nbig\tO\n\n"


def test_a_json_array_is_not_taken_for_text() -> None:
    with pytest.raises(FormatError, match=r"a\.json: is a JSON array.*convert"):
        guessed("a.json", '[\n  {"id": 1}\n]\n')
    assert guessed("a.txt", "[Ada] met her\n") == "text"


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a", '{"tokens": ["Ada"]}\n', "jsonl"),
        ("a.txt", '\n {"tokens": ["Ada"]}\n', "jsonl"),
        ("a.conll", "Ada\nmet\n", "conll"),
        ("a.tsv.gz", "Ada met\n", "conll"),
        ("a", "Ada\tNNP\nmet\tVBD\n", "conll"),
        ("a", "-DOCSTART- -X-\n\nAda NNP\n", "conll"),
        ("a", "Ada NNP\nmet VBD\n", "text"),
        ("a", "Ada met\tBo\nThey spoke\n", "text"),
        ("a", "", "text"),
        ("a.bin", "a\0b", "text"),
        ("a.json", '[{"id": 1, "annotations": [], "data": {"text": "Ada"}}]', "label-studio"),
    ],
)
def test_what_is_to_be_tagged_is_told_from_name_and_content(name: str, text: str, form: str) -> None:
    assert guessed(name, text) == form


def test_whatever_can_be_read_can_be_tagged_and_comes_as_lines() -> None:
    text = '{"id": 1, "text": "Ada met Bo", "label": []}\n{"id": 2, "text": "They spoke", "label": []}\n'
    first, second = carry("doccano", text, "gold")
    assert (first.tokens, second.tokens) == (("Ada", "met", "Bo"), ("They", "spoke"))
    made = json.loads(second.back(("O", "O"), [0.5, 0.75]))
    labels = {"labels": ["O", "O"], "confidence": [0.5, 0.75]}
    assert made == {"id": "2", "tokens": ["They", "spoke"], **labels, "text": "They spoke", "spans": []}


def test_spans_stand_at_their_characters_of_the_original_text() -> None:
    (one,) = carry("doccano", '{"id": 1, "text": "  Ada  Byron met\\u00a0Bo.", "label": []}\n', "gold")
    made = json.loads(one.back(("B-PER", "I-PER", "O", "B-PER", "O"), None))
    covered = [made["text"][span["start"] : span["end"]] for span in made["spans"]]
    assert covered == ["Ada  Byron", "Bo"]
    assert [span["label"] for span in made["spans"]] == ["PER", "PER"]


def test_comments_and_names_of_columns_stay_where_they_are() -> None:
    text = "token\tlabel\n# sent_id = a\nAda\tO\n\n# sent_id = b\nBo\tO\n"
    made = "".join(
        one.back(("B-PER",) if one.tokens else (), None) for one in carry("conll", text, "a.conll")
    )
    rows = ["Ada\tO\tB-PER", "", "# sent_id = b", "Bo\tO\tB-PER", ""]
    assert made == "\n".join(["token\tlabel\tpredicted", "# sent_id = a", *rows])


def test_the_token_stands_behind_a_running_number() -> None:
    rows = "1\tAda\tO\n2\tran\tO\n3\t.\tO\n"
    assert [one.tokens for one in carry("conll", rows, "a.conll") if one.tokens] == [("Ada", "ran", ".")]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (
            '{"text": "Ada met Bo", "_input_hash": 7, "tokens": [{"text": "Ada", "start": 0, "end": 3}]}',
            "prodigy",
        ),
        ('{"id": 1, "text": "Ada met Bo", "label": [[0, 3, "PER"]]}', "doccano"),
        ('{"id": 1, "tokens": ["Ada"]}', "jsonl"),
        ('{"id": 1, "words": ["Ada"]}', "jsonl"),
    ],
)
def test_objects_of_other_tools_are_known_by_themselves(line: str, name: str) -> None:
    assert guessed("new.jsonl", f"{line}\n") == name


def test_a_sentence_that_several_labelled_is_tagged_once() -> None:
    text = "task,worker,label,token\ns:0,w1,O,Ada\ns:0,w2,B-PER,Ada\n"
    (one,) = carry("long", text, "a.csv")
    assert one.tokens == ("Ada",)


def test_two_texts_of_one_id_are_told_instead_of_dropping_one() -> None:
    text = '{"id": 1, "text": "Ada met Bo", "label": []}\n{"id": 1, "text": "They spoke", "label": []}\n'
    with pytest.raises(FormatError, match="the id was used before for another text"):
        list(carry("doccano", text, "gold"))


def test_a_format_that_is_only_written_cannot_be_tagged() -> None:
    with pytest.raises(SettingsError, match="a file cannot be read as conll-folder"):
        list(carry("conll-folder", "Ada\n", "a"))


def test_a_document_without_a_name_is_told() -> None:
    with pytest.raises(FormatError, match='a:1: "doc" is no text'):
        list(carry("jsonl", '{"doc": [1], "tokens": ["Ada"]}', "a", "words"))
