"""Tokenisers, and what they do at the edges of writing systems."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import MissingExtraError, SettingsError
from crowdseq.formats.spans.tokenize import cutter, tokenizer


def tokens(text: str, name: str = "words") -> list[str]:
    return [text[start:end] for start, end in tokenizer(name)(text)]


def test_words_and_signs_are_tokens() -> None:
    assert tokens("Ada met B_2 in the U.S.A.!") == [
        *["Ada", "met", "B_2", "in", "the", "U", ".", "S", ".", "A", ".", "!"]
    ]


def test_an_emoji_is_a_token() -> None:
    assert tokens("🚀 Acme") == ["🚀", "Acme"]


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2007"])
def test_a_no_break_space_parts_words_but_not_by_whitespace(space: str) -> None:
    text = f"New{space}York is"
    assert tokens(text) == ["New", "York", "is"]
    assert tokens(text, "whitespace") == [f"New{space}York", "is"]


def test_a_zero_width_space_is_a_sign_of_its_own_for_words() -> None:
    assert tokens("New\u200bYork") == ["New", "\u200b", "York"]
    assert tokens("New\u200bYork", "whitespace") == ["New\u200bYork"]


def test_a_pattern_of_ones_own_is_taken() -> None:
    assert tokens("a1b22", r"regex:[a-z]|\d+") == ["a", "1", "b", "22"]


def test_matches_of_nothing_are_no_tokens() -> None:
    assert tokens("ab", "regex:x*") == []


@pytest.mark.parametrize("name", ["", "treebank", "regex:", "regex:("])
def test_an_unknown_or_broken_tokenizer_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="tokenizer"):
        tokenizer(name)


@given(st.text(), st.sampled_from(["words", "whitespace"]))
def test_tokens_hold_every_visible_character_once(text: str, name: str) -> None:
    found = tokenizer(name)(text)
    assert all(first[1] <= second[0] for first, second in pairwise(found))
    assert "".join("".join(text[start:end] for start, end in found).split()) == "".join(text.split())


def test_spacy_cuts_as_its_language_does() -> None:
    pytest.importorskip("spacy")
    assert tokens("Don't pay $5 in the U.S.\n", "spacy:en") == [
        *["Do", "n't", "pay", "$", "5", "in", "the", "U.S."]
    ]


def test_tokens_of_spacy_are_never_white_space() -> None:
    pytest.importorskip("spacy")
    assert tokens("  a \n\n b ", "spacy:xx") == ["a", "b"]


@pytest.mark.parametrize("name", ["spacy:", "spacy:zz", "spacy:no_such_pipeline", "spacy:../folder"])
def test_an_unknown_tokenizer_of_spacy_is_refused(name: str) -> None:
    pytest.importorskip("spacy")
    with pytest.raises(SettingsError, match="is unknown, name a language"):
        tokenizer(name)


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    cutter.cache_clear()
    with pytest.raises(MissingExtraError, match=r"crowdseq\[spacy\]"):
        tokenizer("spacy:en")
