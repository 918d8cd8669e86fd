"""Texts that differ only in Unicode form or line ends."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import FormatError
from crowdseq.formats import read, write
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.kept_text import Normalised, differ_in_form
from file_fixtures import Faults, Put
from formats.marked_files import votes

DECOMPOSED = unicodedata.normalize("NFD", "Zoë met Renée.")
COMPOSED = unicodedata.normalize("NFC", DECOMPOSED)
forms = st.text(
    st.sampled_from("aeo\u0301\u0308\u0323\u1112\u1161\u11ab\uac00\r\n é\u0344ﬁ\u09c7\u09be\u2126"),
    max_size=12,
)


@given(forms)
def test_the_normal_text_is_nfc_with_lf(text: str) -> None:
    assert Normalised(text).text == unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


@given(forms, st.sampled_from(["NFC", "NFD"]))
def test_all_forms_of_a_text_have_one_normal_text(text: str, form: Any) -> None:
    other = unicodedata.normalize(form, text)
    assert Normalised(other).text == Normalised(text).text
    assert differ_in_form(text, other) == (text != other)


@given(forms, st.data())
def test_a_mark_comes_back_and_never_loses_a_character(text: str, data: st.DataObject) -> None:
    normal = Normalised(text)
    start = data.draw(st.integers(0, len(text)))
    mark = Mark(start, data.draw(st.integers(start, len(text))), "X")
    there = normal.mark_to_normal(mark)
    back = normal.mark_to_original(there)
    assert 0 <= there.start <= there.end <= len(normal.text)
    assert back.start <= mark.start <= mark.end <= back.end
    assert normal.mark_to_normal(back) == there


@given(st.text())
def test_a_text_in_normal_form_is_left_alone(text: str) -> None:
    made = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    normal = Normalised(made)
    assert (normal.text, normal.is_changed) == (made, False)


def two_forms(put: Put) -> str:
    for who, text in (("ada", COMPOSED), ("bob", DECOMPOSED)):
        put(f"crowd/{who}/d1.txt", text)
        start = text.index("Ren")
        end = text.index(".")
        put(f"crowd/{who}/d1.ann", f"T1\tPER {start} {end}\t{text[start:end]}\n")
    return "crowd"


def test_texts_that_differ_in_form_are_refused_with_the_way_out(put: Put, faults: Faults) -> None:
    assert faults(two_forms(put)) == [
        "crowd/bob/d1.txt: d1: differs from crowd/ada/d1.txt from character 3 on: "
        "only in its Unicode form or line ends, say normalise='nfc'"
    ]


def test_normalised_texts_are_one_document(put: Put) -> None:
    imported = read(two_forms(put), normalise="nfc")
    (sentence,) = imported.corpus.sentences
    assert sentence.tokens == ("Zoë", "met", "Renée", ".")
    assert votes(imported.corpus) == {"ada": ["O", "O", "B-PER", "O"], "bob": ["O", "O", "B-PER", "O"]}
    told = imported.report.finding("texts-normalised")
    assert told is not None
    assert told.count == 1


def test_an_export_gives_back_the_original_characters(put: Put, tmp_path: Path) -> None:
    put("one/bob/d1.txt", DECOMPOSED)
    start, end = DECOMPOSED.index("Ren"), DECOMPOSED.index(".")
    line = f"T1\tPER {start} {end}\t{DECOMPOSED[start:end]}\n"
    put("one/bob/d1.ann", line)
    write(read("one", normalise="nfc").corpus, "back/", format="brat")
    assert (tmp_path / "back/bob/d1.txt").read_text("utf-8") == DECOMPOSED
    assert (tmp_path / "back/bob/d1.ann").read_text("utf-8") == line


def test_line_ends_of_windows_are_made_the_same(put: Put) -> None:
    put("ends/ada/d1.txt", "Ada\nmet Bo")
    put("ends/ada/d1.ann", "T1\tPER 8 10\tBo\n")
    put("ends/bob/d1.txt", b"Ada\r\nmet Bo")
    put("ends/bob/d1.ann", "T1\tPER 9 11\tBo\n")
    with pytest.raises(FormatError, match="say normalise='nfc'"):
        read("ends")
    for sentences in ("document", "newline"):
        found = read("ends", normalise="nfc", sentences=sentences).corpus
        tags = votes(found, len(found) - 1)
        assert tags["ada"] == tags["bob"] == [*["O"] * (len(tags["ada"]) - 1), "B-PER"]


def test_gold_has_its_own_form_too(put: Put) -> None:
    two_forms(put)
    start, end = DECOMPOSED.index("Ren"), DECOMPOSED.index(".")
    put("crowd/gold/d1.txt", DECOMPOSED)
    put("crowd/gold/d1.ann", f"T1\tPER {start} {end}\t{DECOMPOSED[start:end]}\n")
    assert read("crowd", normalise="nfc").corpus.gold[0] == ("O", "O", "B-PER", "O")


def test_tokens_of_columns_are_normalised_too(put: Put) -> None:
    put("cols/a.conll", f"{COMPOSED.split()[0]} B-PER\n")
    put("cols/b.conll", f"{DECOMPOSED.split()[0]} O\n")
    imported = read("cols", normalise="nfc")
    assert imported.corpus.sentences[0].tokens == ("Zoë",)
    assert imported.report.finding("tokens-normalised") is not None


def test_the_same_document_in_two_exports_is_joined(put: Put) -> None:
    put("a/x.jsonl", f'{{"id": 1, "text": "{COMPOSED}", "label": [[0, 3, "PER"]]}}\n')
    put("a/y.jsonl", f'{{"id": 1, "text": "{DECOMPOSED}", "label": [[0, 4, "PER"]]}}\n')
    with pytest.raises(FormatError, match="only its Unicode form or line ends differ, say normalise='nfc'"):
        read("a")
    assert set(votes(read("a", normalise="nfc").corpus)) == {"x", "y"}
