"""The faults that any file may have, reader by reader; the numbers are those of one list of faults."""

import json
from typing import Any

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.errors import CrowdseqError
from crowdseq.formats import read
from file_fixtures import Faults, Put

# Files in which TEXT, START, END, LABEL and WHO stand for what is marked, where, how and by whom.
SPANS = {
    "label-studio": '[{"id": 1, "data": {"text": TEXT}, "annotations": [{"id": 2, "completed_by": WHO, '
    '"result": [{"from_name": "l", "value": {"start": START, "end": END, "labels": [LABEL]}}]}]}]',
    "label-studio-min": '[{"id": 1, "text": TEXT, "annotator": WHO, "annotation_id": 2, '
    '"label": [{"start": START, "end": END, "labels": [LABEL]}]}]',
    "doccano": '{"id": 1, "text": TEXT, "label": [[START, END, LABEL]]}\n',
    "argilla": '[{"id": "1", "fields": {"text": TEXT}, "responses": {"ner": '
    '[{"value": [{"start": START, "end": END, "label": LABEL}], "user_id": WHO, "status": "submitted"}]}}]',
    "prodigy": '{"text": TEXT, "_input_hash": 1, "spans": [{"start": START, "end": END, "label": LABEL}], '
    '"answer": "accept", "_annotator_id": WHO}\n',
}
JSON = {
    **SPANS,
    "jsonl": '{"id": "1", "tokens": [TEXT], "annotations": {WHO: [LABEL]}, "n": START}\n',
    "consensus": '{"id": "1", "tokens": [TEXT], "labels": [LABEL], "confidence": [START]}\n',
}
# The same in forms of lines and tables: one record in which TEXT is a token.
LINES = {
    "conll": "TEXT B-PER\nslept O\n",
    "answers": "TEXT B-PER ?\nslept O O\n",
    "conll-u": "1\tTEXT\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n",
    "long": "task,worker,label,token\nd1:0,w,B-PER,TEXT\n",
    "label-studio-csv": "id,text,annotator,label\n"
    '1,TEXT,7,"[{""start"": 0, ""end"": 3, ""labels"": [""X""]}]"\n',
    "mturk": 'HITId,WorkerId,Input.text,Answer.a\nH,w,TEXT,"{""x"": {""entities"": '
    '[{""startOffset"": 0, ""endOffset"": 3, ""label"": ""X""}]}}"\n',
    "text": "TEXT slept\n",
}


def filled(form: str, **values: Any) -> str:
    """The file of a form; what is not given is sound."""
    given = {"TEXT": "Ada slept", "START": 0, "END": 3, "LABEL": "B-PER", "WHO": "w1"} | values
    made = JSON[form]
    for name, value in given.items():
        made = made.replace(name, value if isinstance(value, Raw) else json.dumps(value, ensure_ascii=False))
    return made


class Raw(str):
    """Text that goes into a file as it is."""


def line(form: str, token: str = "Ada") -> str:
    return LINES[form].replace("TEXT", token)


def same(one: Corpus, other: Corpus) -> bool:
    return one.text == other.text and one.annotations.tags.tolist() == other.annotations.tags.tolist()


@pytest.mark.parametrize("form", JSON)
def test_a_sound_file_is_read(put: Put, form: str) -> None:
    found = read(put("w1.f", filled(form)), format=form).corpus
    assert len(found) == 1
    assert found.annotators == (() if form == "consensus" else ("w1",))


@pytest.mark.parametrize("form", JSON)
def test_fault_01_json_that_is_cut_off_has_its_line(faults: Faults, form: str) -> None:
    content = filled(form)
    for cut in (len(content) // 3, len(content) // 2, len(content) - 3):
        found = faults("w1.f", content[:cut], format=form)
        assert found[0].startswith("w1.f:1: ")


@pytest.mark.parametrize("form", JSON)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("NaN", "NaN is not a JSON number"),
        ("1e999", "1e999 is not a JSON number"),
        ("[" * 300 + "]" * 300, "nested more than 200 levels deep"),
        ("9" * 5000, "a number has 5,000 digits"),
        ('{"k": 1, "k": 2}', "the key 'k' stands twice in one object"),
        ('"\\ud83d"', "half a character (a lone surrogate)"),
    ],
)
def test_faults_03_04_08_are_refused_by_every_reader_of_json(
    faults: Faults, form: str, value: str, message: str
) -> None:
    (found,) = faults("w1.f", filled(form, START=Raw(value)), format=form)
    assert message in found
    assert found.startswith("w1.f:1: ")


@pytest.mark.parametrize("form", [*JSON, *LINES])
def test_fault_05_marks_and_line_ends_change_nothing(put: Put, form: str) -> None:
    content = filled(form) if form in JSON else line(form)
    plain = read(put("w1.f", content), format=form).corpus
    for other in ("\ufeff" + content, content.replace("\n", "\r\n")):
        imported = read(put("w1.f", other), format=form)
        assert same(imported.corpus, plain)
    assert read(put("w1.f", "\ufeff" + content), format=form).report.finding("byte-order-mark")


@pytest.mark.parametrize("form", JSON)
@pytest.mark.parametrize("character", ["\u2028", "\u0085", "\v", "\f", "\x1c"])
def test_fault_06_only_line_feeds_end_a_line(put: Put, form: str, character: str) -> None:
    text = f"Ada{character}slept"
    content = filled(form, TEXT=Raw(json.dumps(text, ensure_ascii=not character.isprintable())))
    (sentence,) = read(put("w1.f", content), format=form).corpus.sentences
    assert sentence.extras.get("text", sentence.tokens[0]) == text


@pytest.mark.parametrize("form", ["conll", "conll-u", "long"])
@pytest.mark.parametrize("character", ["\u2028", "\u0085"])
def test_fault_06_holds_for_lines_and_tables(put: Put, form: str, character: str) -> None:
    (sentence,) = read(put("w1.f", line(form, f"A{character}a")), format=form).corpus.sentences
    assert sentence.tokens[0] == f"A{character}a"


@pytest.mark.parametrize("form", [*JSON, *LINES])
def test_fault_07_another_encoding_is_refused_with_a_guess_and_read_when_named(
    put: Put, faults: Faults, form: str
) -> None:
    content = filled(form, TEXT="Zoë slept") if form in JSON else line(form, "Zoë")
    plain = read(put("w1.f", content), format=form).corpus
    for encoding, hint in (("utf-16", "say encoding='utf-16'"), ("latin-1", "0xEB) is not utf-8")):
        data = content.encode(encoding)
        assert hint in faults("w1.f", data, format=form)[0]
        assert same(read(put("w1.f", data), format=form, encoding=encoding).corpus, plain)


@pytest.mark.parametrize("form", SPANS)
@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("-1", "3", "the span -1-3 lies outside the text, which has 9 characters"),
        ("3", "0", "the span 3-0 ends before it starts"),
        ("0", "99", "the span 0-99 lies outside the text"),
        ("0", "9" * 30, "lies outside the text"),
        ("0.0", "3", "an offset is 0.0, a whole number is expected"),
        ("0", '"3"', "an offset is '3', a whole number is expected"),
        ("0", '"\u0661\u0662"', "a whole number is expected"),
        ("0", '"1_0"', "an offset is '1_0', a whole number is expected"),
        ("true", "3", "an offset is True, a whole number is expected"),
        ("null", "3", "an offset is None, a whole number is expected"),
        ("[0]", "3", "an offset is [0], a whole number is expected"),
    ],
)
def test_fault_18_offsets_that_are_none_are_refused(
    faults: Faults, form: str, start: str, end: str, message: str
) -> None:
    (found,) = faults("w1.f", filled(form, START=Raw(start), END=Raw(end)), format=form)
    assert message in found


@pytest.mark.parametrize("form", SPANS)
def test_fault_19_a_unit_is_asked_for_when_it_matters(put: Put, faults: Faults, form: str) -> None:
    content = filled(form, TEXT="🚀 Ada slept", START=3, END=6)
    assert "say offset_unit='utf-16'" in faults("w1.f", content, format=form)[0]
    (sentence,) = read(put("w1.f", content), format=form, offset_unit="utf-16").corpus.sentences
    assert sentence.extras["spans"] == {"w1": [[2, 5, "B-PER"]]}


@pytest.mark.parametrize("form", SPANS)
@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_fault_17_a_text_without_words_is_kept(put: Put, form: str, text: str) -> None:
    content = filled(form, TEXT=text, START=0, END=0)
    found = read(put("w1.f", content), format=form).corpus
    assert (len(found), found.n_tokens, found.annotators) == (1, 0, ("w1",))


@pytest.mark.parametrize("form", SPANS)
@pytest.mark.parametrize(
    ("label", "message"), [("", "a label is empty"), ("  ", "empty"), ("a\tb", "control character")]
)
def test_fault_16_labels_that_cannot_be_names_are_refused(
    faults: Faults, form: str, label: str, message: str
) -> None:
    (found,) = faults("w1.f", filled(form, LABEL=label), format=form)
    assert message in found or "names no entity type" in found


@pytest.mark.parametrize("form", SPANS)
@pytest.mark.parametrize("label", ["O", "B-", "a b", "a|b", "é", "🚀", "x" * 10_000])
def test_fault_16_odd_labels_are_held(put: Put, form: str, label: str) -> None:
    found = read(put("w1.f", filled(form, LABEL=label)), format=form).corpus
    assert found.scheme.types == (label,)


@pytest.mark.parametrize("form", ["label-studio", "label-studio-min", "argilla", "prodigy", "jsonl"])
@pytest.mark.parametrize("name", ["../x", "x" * 5000, "=SUM(1)", "<b>w</b>", "ä"])
def test_fault_26_odd_annotators_keep_their_names(put: Put, form: str, name: str) -> None:
    assert read(put("w1.f", filled(form, WHO=name)), format=form).corpus.annotators == (name,)


@pytest.mark.parametrize("form", ["label-studio", "label-studio-min", "argilla", "prodigy", "jsonl"])
def test_fault_26_a_name_of_nothing_is_refused(faults: Faults, form: str) -> None:
    assert "the name of an annotator is empty" in faults("w1.f", filled(form, WHO=" "), format=form)[0]


ONE_EACH = ["label-studio-min", "doccano", "argilla", "prodigy", "jsonl"]


@pytest.mark.parametrize("form", ONE_EACH)
def test_fault_12_one_annotator_twice_is_refused_or_chosen_from(put: Put, faults: Faults, form: str) -> None:
    content = twice(form, filled(form, LABEL="B-LOC"))
    (found,) = faults("w1.f", content, format=form)
    assert "labelled this sentence before" in found
    kept = read(put("w1.f", content), format=form, duplicates="newest").corpus
    assert "LOC" in "".join(kept.scheme.tags)


@pytest.mark.parametrize("form", ["label-studio-min", "doccano", "argilla", "label-studio"])
def test_fault_12_one_id_for_two_texts_is_refused(faults: Faults, form: str) -> None:
    (found,) = faults("w1.f", twice(form, filled(form, TEXT="Ada spoke")), format=form)
    assert "the text is not the same as before: from character 6 on" in found


def twice(form: str, second: str) -> str:
    """A sound record and a second one of the same id."""
    first = filled(form)
    if first.startswith("["):
        return first.removesuffix("]") + ", " + second.removeprefix("[")
    return first + second


@pytest.mark.parametrize("form", [*JSON, *LINES, "mace", "webanno-tsv", "uima-cas", "parquet", "docbin"])
@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b"\0\0\0\0", b"\xff" * 40])
def test_nothing_and_rubbish_end_in_words(put: Put, form: str, content: bytes) -> None:
    if form == "docbin":
        pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
    try:
        read(put("w1.f", content), format=form)
    except CrowdseqError as error:
        assert str(error).startswith("w1.f")  # noqa: PT017
