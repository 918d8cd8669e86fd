"""Numbering and checking names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.names import NumberedNames, check_label, listed, look_alikes, percent, short
from crowdseq.errors import SchemeError


@given(st.lists(st.text(max_size=3), max_size=20))
def test_names_are_numbered_by_first_appearance(names: list[str]) -> None:
    numbered = NumberedNames()
    numbers = [numbered[name] for name in names]
    assert numbered.names == list(dict.fromkeys(names))
    assert [numbered.names[number] for number in numbers] == names


def test_what_is_not_a_text_gets_no_number() -> None:
    with pytest.raises(TypeError):
        NumberedNames()[3]
    assert NumberedNames(none_is=-1)[None] == -1


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["PER", "per", "LOC"], [("PER", "per")]),
        (["caf\u00e9", "cafe\u0301"], [("cafe\u0301", "caf\u00e9")]),
        (["w1", " w1", "W1 "], [(" w1", "W1 ", "w1")]),
        (["a", "b"], []),
    ],
)
def test_fault_16_names_that_differ_only_in_form_are_grouped(
    names: list[str], groups: list[tuple[str, ...]]
) -> None:
    assert look_alikes(names) == groups


@pytest.mark.parametrize("label", ["", "  ", "B-", "S- ", "B-P\x00ER", "\x85"])
def test_fault_16_labels_that_say_nothing_or_hide_something_are_refused(label: str) -> None:
    with pytest.raises(SchemeError):
        check_label(label)


@pytest.mark.parametrize("label", ["O", "B-PER", "a b", "B-|", "B-\U0001f600", "X" * 10_000, "-"])
def test_odd_but_visible_labels_are_accepted(label: str) -> None:
    check_label(label)


def test_of_many_names_the_first_are_told_and_how_many_more_there_are() -> None:
    assert listed(["ada", "bo"]) == "ada, bo"
    assert listed(["ada", "bo", "cy", "di"], 2) == "ada, bo and 2 more"
    assert listed([]) == ""


def test_shares_are_told_in_percent_small_ones_by_a_digit_more() -> None:
    assert [percent(share) for share in (0.0, 0.004, 0.125, 1.0)] == ["0.0 %", "0.4 %", "12 %", "100 %"]


def test_scores_are_told_by_two_digits_without_the_nought() -> None:
    assert [short(score) for score in (0.0, 0.049, 0.5, 1.0, -0.05)] == [".00", ".05", ".50", "1.00", "-.05"]
