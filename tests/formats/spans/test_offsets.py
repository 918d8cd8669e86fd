"""Offsets in the units of tools, and the graphemes that some of them count."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.offsets import Claim, cluster_starts, place_table, settle, whole_number

ROCKET = "🚀 Ada met 👨‍👩‍👧 Bo"


def clusters(text: str) -> list[str]:
    starts = cluster_starts(text)
    return [text[first:last] for first, last in pairwise(starts)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("ab", ["a", "b"]),
        ("e\u0301a", ["e\u0301", "a"]),
        ("\r\na\n\r", ["\r\n", "a", "\n", "\r"]),
        ("👨‍👩‍👧!", ["👨‍👩‍👧", "!"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
        ("❤️a", ["❤️", "a"]),
        ("한국", ["한", "국"]),
        ("\u1112\u1161\u11ab\u1100\u116e", ["\u1112\u1161\u11ab", "\u1100\u116e"]),
        ("नि", ["नि"]),
        ("a\u200db", ["a\u200d", "b"]),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f.", ["\U0001f3f4\U000e0067\U000e0062\U000e007f", "."]),
    ],
)
def test_what_a_reader_sees_as_one_character_is_one_cluster(text: str, parts: list[str]) -> None:
    assert clusters(text) == parts


@given(
    st.text(
        st.sampled_from("ab \r\n\u0301\u200d\u200c👨👩👍🏽🇩🇪\ufe0fनि한\u1112\u1161\u11ab\u00ad\u2028❤é"),
        max_size=12,
    )
)
def test_clusters_are_those_of_an_independent_library(text: str) -> None:
    regex = pytest.importorskip("regex", reason="the module regex is not installed")
    assert clusters(text) == regex.findall(r"\X", text)


@given(st.text(max_size=12))
def test_utf_16_offsets_are_those_of_the_codec(text: str) -> None:
    table = place_table(text, "utf-16")
    lengths = [len(text[:place].encode("utf-16-le")) // 2 for place in range(len(text) + 1)]
    assert len(table) == lengths[-1] + 1
    assert [table[length] for length in lengths] == list(range(len(text) + 1))
    assert sum(place < 0 for place in table) == sum(character > "\uffff" for character in text)


@pytest.mark.parametrize(
    ("unit", "start", "end"), [("characters", 2, 5), ("utf-16", 3, 6), ("graphemes", 2, 5)]
)
def test_each_unit_finds_the_word(unit: str, start: int, end: int) -> None:
    assert settle(ROCKET, [Claim(start, end)], "characters", unit).places == [(2, 5)]


@pytest.mark.parametrize(
    ("unit", "start", "end"), [("characters", 16, 18), ("utf-16", 20, 22), ("graphemes", 12, 14)]
)
def test_the_covered_text_proves_the_unit(unit: str, start: int, end: int) -> None:
    found = settle(ROCKET, [Claim(start, end, "Bo")], "characters")
    assert (found.places, found.unit, found.rivals) == ([(16, 18)], unit, ())


def test_all_claims_must_fit_one_unit() -> None:
    with pytest.raises(AnnotationError, match=r"the span 20-22 lies outside the text"):
        settle(ROCKET, [Claim(2, 5, "Ada"), Claim(20, 22, "Bo")], "characters")


def test_a_unit_that_the_user_insists_on_is_not_corrected() -> None:
    with pytest.raises(AnnotationError, match="covers ' Ad' in the text, but 'Ada' in the annotation"):
        settle(ROCKET, [Claim(1, 4, "Ada")], "utf-16", "characters")


def test_two_units_that_fit_at_different_places_are_told() -> None:
    found = settle("🚀aaaa", [Claim(2, 3, "a")], "characters")
    assert (found.places, found.rivals) == ([(2, 3)], ("utf-16",))


@pytest.mark.parametrize("covered", ["Ada  met", "Ada\nmet", "Ada\\nmet", " Ada met "])
def test_white_space_in_the_covered_text_does_not_matter(covered: str) -> None:
    assert settle("Ada met", [Claim(0, 7, covered)], "characters").places == [(0, 7)]


def test_half_a_character_is_not_a_place() -> None:
    with pytest.raises(AnnotationError, match="the span 1-3 cuts a character in two"):
        settle(ROCKET, [Claim(1, 3)], "characters", "utf-16")


@pytest.mark.parametrize("value", [True, 3.0, "3", "١٢", "1_0", None, [], float("nan")])
def test_only_whole_numbers_are_offsets(value: object) -> None:
    with pytest.raises(AnnotationError, match=r"an offset is .*, a whole number is expected"):
        whole_number(value, "an offset")


@pytest.mark.parametrize("text", ["مرحبا Ada", "e\u0301e\u0301 Ada", "\u1112\u1161\u11ab Ada", "👨‍👩‍👧 Ada"])
@pytest.mark.parametrize("unit", ["characters", "utf-16", "graphemes"])
def test_covered_text_finds_the_place_in_every_script(text: str, unit: str) -> None:
    table = place_table(text, unit)
    place = text.index("Ada")
    start = list(table).index(place)
    assert settle(text, [Claim(start, start + 3, "Ada")], "characters").places == [(place, place + 3)]
