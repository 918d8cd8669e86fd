"""Rows of labels: numbered tags are taken as their names would be."""

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.names import LabelRows, NumberedTags, TooManyLabels
from crowdseq.errors import SchemeError

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def numbered(tags: list[str], names: list[str]) -> NumberedTags:
    return NumberedTags(names, np.array([names.index(tag) for tag in tags], np.int32))


def test_numbered_tags_read_like_their_names() -> None:
    tags = numbered(["O", "B-LOC", "I-LOC"], NAMES)
    assert (list(tags), tags[-1], tags[1:]) == (["O", "B-LOC", "I-LOC"], "I-LOC", ["B-LOC", "I-LOC"])


@given(st.lists(st.lists(st.sampled_from(NAMES), max_size=6), max_size=8), st.permutations(NAMES))
def test_rows_of_numbers_and_of_names_are_the_same(rows: list[list[str]], names: list[str]) -> None:
    by_name, by_number = LabelRows(), LabelRows()
    for row in rows:
        assert by_number.packed(numbered(row, names)) == by_name.packed(row)
    assert by_number.names == by_name.names


def test_a_table_may_grow_and_may_change() -> None:
    rows, names = LabelRows(), ["O", "B-PER"]
    assert array("h", rows.packed(numbered(["B-PER", "O"], names))).tolist() == [0, 1]
    names.append("I-PER")
    assert array("h", rows.packed(numbered(["I-PER", "O"], names))).tolist() == [2, 1]
    assert array("h", rows.packed(numbered(["B-LOC", "O"], NAMES))).tolist() == [3, 1]


def test_a_label_of_the_table_that_no_row_has_is_not_met() -> None:
    rows = LabelRows()
    rows.packed(numbered(["O"], [*NAMES, "B-"]))
    assert rows.names == ["O"]
    with pytest.raises(SchemeError, match="names no entity type"):
        rows.packed(numbered(["B-"], [*NAMES, "B-"]))


def test_more_labels_than_can_be_held_are_refused_either_way() -> None:
    names = [f"B-{number}" for number in range(40_000)]
    for tags in (names, NumberedTags(names, np.arange(40_000))):
        with pytest.raises(TooManyLabels, match=r"^there are more than 32767 different labels"):
            CorpusBuilder().add(Record(["x"] * 40_000, annotations={"w1": tags}))
