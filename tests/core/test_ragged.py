"""Sequences of different lengths in flat arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.ragged import Ragged, frozen, gather_ranges, offsets_of, portions

rows_of_numbers = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6)


def _ragged(rows: list[list[int]]) -> Ragged[tuple[int, ...]]:
    flat = np.array([number for row in rows for number in row], np.int64)
    return Ragged(
        flat, offsets_of(np.array([len(row) for row in rows], np.int64)), lambda part: tuple(part.tolist())
    )


@given(rows_of_numbers)
def test_a_ragged_sequence_holds_its_rows(rows: list[list[int]]) -> None:
    ragged = _ragged(rows)
    assert len(ragged) == len(rows)
    assert [list(item) for item in ragged] == rows
    assert ragged == rows
    assert [list(item) for item in ragged[::-1]] == rows[::-1]


@given(rows_of_numbers, rows_of_numbers)
def test_ragged_sequences_are_equal_as_lists_are(one: list[list[int]], two: list[list[int]]) -> None:
    assert (_ragged(one) == _ragged(two)) == (one == two)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_ranges_are_gathered_one_after_the_other(ranges: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array([pair[side] for pair in ranges], np.int64) for side in (0, 1))
    expected = [place for start, length in ranges for place in range(start, start + length)]
    assert gather_ranges(starts, lengths).tolist() == expected


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_portions_cover_everything_once_and_keep_the_limit(lengths: list[int], limit: int) -> None:
    parts = list(portions(offsets_of(np.array(lengths, np.int64)), limit))
    assert [place for part in parts for place in range(part.start, part.stop)] == list(range(len(lengths)))
    assert all(sum(lengths[part]) <= limit or part.stop == part.start + 1 for part in parts)


def test_a_place_outside_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        _ragged([[1]])[1]


def test_a_long_sequence_shows_its_first_items_only() -> None:
    assert repr(_ragged([[1], [2], [3], [4]])) == "<4 sequences: (1,), (2,), (3,), …>"


def test_a_frozen_array_refuses_writing() -> None:
    with pytest.raises(ValueError, match="read-only"):
        frozen(np.zeros(1))[0] = 1
