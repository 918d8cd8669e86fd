"""JSON that is accepted, and what is refused with which words."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.formats.json_io.strict import _CAREFUL, UNSURE, JsonFault, attempt, decode, loads

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_the_fast_way_reads_as_the_standard_library_or_leaves_it(value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    found = attempt(text)
    assert found is UNSURE or (found == json.loads(text) and type(found) is type(json.loads(text)))


@given(values, st.booleans())
def test_what_the_standard_library_writes_is_read_as_it_reads_it(value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    assert loads(text) == json.loads(text)


@given(values, st.text(alphabet=" \n\t", max_size=3))
def test_a_value_inside_a_longer_text_ends_where_it_ends(value: object, space: str) -> None:
    text = json.dumps(value)
    found, end = decode(f"{space}{text}]]", len(space))
    if not isinstance(value, int | float) or isinstance(value, bool):
        assert end == len(space) + len(text)
    assert found == json.loads(text)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,]", "{'a': 1}", "1 2", '{"a": 1} x', "tru", "\ufeff1", "[1"]
)
def test_what_is_not_json_is_refused_with_a_position(text: str) -> None:
    with pytest.raises(JsonFault) as caught:
        loads(text)
    assert 0 <= caught.value.position <= len(text)


def test_the_position_is_where_the_fault_is() -> None:
    with pytest.raises(JsonFault, match="Expecting ','") as caught:
        loads('{"a": 1 "b": 2}')
    assert caught.value.position == 8


def test_a_raw_control_character_in_a_text_is_refused() -> None:
    with pytest.raises(JsonFault, match="control character"):
        loads('"a\tb"')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_is_not_finite_is_refused_with_its_key(number: str) -> None:
    with pytest.raises(JsonFault, match=rf"{number} is not a JSON number \(key 'score'\)"):
        loads(f'{{"other": {{"deep": 1.5}}, "score": [1, [{number}]]}}')


def test_a_key_that_stands_twice_is_named() -> None:
    with pytest.raises(JsonFault, match="the key 'gold' stands twice"):
        loads('{"id": "s1", "inner": {"gold": 1, "x": 2, "gold": 3}}')


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert loads('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [201, 5_000, 100_000])
def test_deep_nesting_is_refused(opening: str, depth: int) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(JsonFault, match="nested more than 200 levels deep"):
        loads(opening * depth + "1" + closing * depth)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert loads("[" * 200 + "]" * 200) is not None


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert loads("[" + ",".join(["[]"] * 1000) + "]") == [[]] * 1000


def test_brackets_inside_a_text_are_not_deep() -> None:
    assert loads(json.dumps("[" * 1000)) == "[" * 1000


def test_a_number_of_five_thousand_digits_is_refused() -> None:
    with pytest.raises(JsonFault, match="a number has 5,000 digits"):
        loads("9" * 5000)


@pytest.mark.parametrize(
    "text", ['"\\ud83d"', '{"a": ["x", "\\uDE00"]}', '{"\\ud83d": 1}', '"\\ud83d\\ud83d\\ude00"']
)
def test_a_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(JsonFault, match="half a character"):
        loads(text)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert loads('"\\ud83d\\ude00"') == "\U0001f600"


def test_a_written_backslash_before_a_u_is_no_escape() -> None:
    assert loads('"\\\\ud83d"') == "\\ud83d"


def spelt(value: Any, draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """JSON with space in any place that allows it."""
    space = draw(st.sampled_from(["", "", " ", "\n", "\t ", "\r\n"]))
    if isinstance(value, list):
        return f"[{space}{','.join(spelt(inner, draw) for inner in value)}{space}]"
    if isinstance(value, dict):
        pairs = [
            f"{space}{json.dumps(key)}{draw(st.sampled_from(['', ' ', '  ']))}:{space}{spelt(inner, draw)}"
            for key, inner in value.items()
        ]
        if pairs and draw(st.integers(0, 5)) == 0:
            pairs.append(pairs[0])
        return f"{{{','.join(pairs)}}}"
    return json.dumps(value)


@given(
    st.data(),
    st.recursive(
        st.text(st.sampled_from('": \\\n'), max_size=4) | st.integers(0, 9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(st.sampled_from('a": \\'), max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    ),
)
def test_the_fast_way_finds_every_key_that_stands_twice(data: st.DataObject, value: object) -> None:
    text = spelt(value, data.draw)
    try:
        careful = _CAREFUL.raw_decode(text)[0]
    except JsonFault as fault:
        assert attempt(text) is UNSURE
        with pytest.raises(JsonFault, match=re.escape(str(fault))):
            loads(text)
    else:
        assert loads(text) == careful
        found = attempt(text)
        assert found is UNSURE or found == careful


def test_a_doubled_key_is_found_behind_a_colon_with_space_before_it() -> None:
    with pytest.raises(JsonFault, match="the key 'a' stands twice"):
        loads('{"a": 1, "a": 2, "b" : 3}')


def test_long_numbers_are_refused_when_pythons_own_guard_is_lifted() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(JsonFault, match="a number has 5,000 digits"):
            loads("9" * 5000)
    finally:
        sys.set_int_max_str_digits(before)
