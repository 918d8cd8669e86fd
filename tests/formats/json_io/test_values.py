"""Values of a JSON array or of pretty-printed JSON, with their lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import FormatError
from crowdseq.formats.files import sources
from crowdseq.formats.files.sources import Source, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.json_io.values import read_values
from crowdseq.formats.settings import Limits, ReadSettings

items = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def values_of(data: bytes, **settings: Any) -> list[tuple[int, Any]]:
    collector = Collector(ReadSettings(**settings))
    with open_source(Source("f", "f", data=data), collector.settings.limits) as stream:
        return list(read_values(stream, collector))


def values_in_blocks(data: bytes, size: int) -> list[Any]:
    """The same, the data coming in blocks of a few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", size)
        patch.setattr(sources, "HEAD_BYTES", size)
        patch.setattr(sources, "BLOCK_BYTES", size)
        return [value for _, value in values_of(data, encoding="utf-8")]


@given(st.lists(items, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]))
def test_an_array_gives_its_values_whatever_the_blocks(
    values: list[Any], size: int, indent: int | None
) -> None:
    data = json.dumps(values, ensure_ascii=False, indent=indent).encode("utf-8")
    assert values_in_blocks(data, size) == values


@given(st.lists(st.dictionaries(st.text(), items, max_size=3), max_size=4), st.integers(1, 40))
def test_objects_one_after_the_other_give_themselves(values: list[Any], size: int) -> None:
    data = "\n".join(json.dumps(value, indent=2) for value in values).encode("utf-8")
    assert values_in_blocks(data, size) == values


tasks = st.recursive(
    st.text(st.sampled_from('{}[],": \\\n'), max_size=6) | st.integers(0, 99),
    lambda inner: st.lists(
        st.builds(
            lambda number, text, more: {"id": number, "a": text, "b": more}, st.integers(0, 9), inner, inner
        ),
        max_size=3,
    ),
    max_leaves=12,
)


@given(
    st.lists(
        st.builds(lambda number, inner: {"id": number, "a": inner}, st.integers(0, 99), tasks), max_size=9
    ),
    st.sampled_from([(", ", ": "), (",\n", ": "), (",", ":"), (" , ", " : ")]),
    st.sampled_from([None, 2]),
    st.integers(20, 200),
)
def test_objects_that_look_like_their_parts_are_told_apart(
    values: list[Any], signs: tuple[str, str], indent: int | None, size: int
) -> None:
    text = json.dumps(values, separators=signs, indent=indent)
    assert values_in_blocks(text.encode(), size) == values
    found = values_of(text.encode())
    lines = [line for line, _ in found]
    starts = [text.count("\n", 0, place) + 1 for place in starts_of(text)]
    assert lines == starts


def starts_of(text: str) -> list[int]:
    """Where the values of an array begin, found by the standard library."""
    found, place = [], text.find("{")
    while place >= 0:
        found.append(place)
        _, end = json.JSONDecoder().raw_decode(text, place)
        place = text.find("{", end)
    return found


def test_a_file_that_keeps_misleading_is_still_read_right() -> None:
    inner = [{"id": 1, "k": 2}] * 50
    values = [{"id": 1, "k": number, "inner": inner} for number in range(30)]
    assert [value for _, value in values_of(json.dumps(values).encode())] == values


def test_every_value_has_the_line_where_it_begins() -> None:
    assert values_of(b'[\n {"a":\n  1},\n\n 2]') == [(2, {"a": 1}), (5, 2)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[1,\n2", "f:2: not JSON (Expecting ',' or ']' after a value)"),
        (b"[1,\n", "f:2: the JSON array is cut off, fetch the file again"),
        (b"[1 2]", "f:1: not JSON (Expecting ',' or ']' after a value)"),
        (b"[1,]", "f:1: not JSON (a comma stands before the closing bracket), remove it"),
        (b"[1]\n[2]", "f:2: something follows the JSON array, remove it"),
        (b'[{"a" 1}]', "f:1: not JSON (Expecting ':' at column 7)"),
        (b'[\n{"a": 1,\n "b" 2}]', "f:3: not JSON (Expecting ':' at column 6)"),
        (b'[{"a": 1, "a": 2}]', "f:1: the key 'a' stands twice in one object, remove one"),
        (b'{"a": "b', "f:1: not JSON (Unterminated string at column 7)"),
        (b"[" * 300 + b"]" * 300, "f:1: nested more than 200 levels deep"),
    ],
)
def test_faults_name_their_line(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        values_of(data)
    assert str(caught.value) == message


def test_a_value_beyond_the_limit_is_refused() -> None:
    data = b'[{"a": "' + b"x" * (3 << 20) + b'"}]'
    with pytest.raises(FormatError, match="longer than 1,000 characters"):
        values_of(data, limits=Limits(line_bytes=1000))


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    with pytest.raises(FormatError, match=r"byte 4 \(0xE9\) is not utf-8"):
        values_of(b'["a\xe9"]')


def test_a_byte_order_mark_is_left_out() -> None:
    assert values_of(b"\xef\xbb\xbf[1]") == [(1, 1)]


def test_a_large_array_is_never_held_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0
    plain_more = read_values.__globals__["_Window"].more

    def watched_more(window: Any) -> None:
        nonlocal longest
        plain_more(window)
        longest = max(longest, len(window.text))

    monkeypatch.setattr(read_values.__globals__["_Window"], "more", watched_more)
    data = json.dumps([{"number": number, "text": "word " * 20} for number in range(50_000)]).encode()
    assert len(values_of(data)) == 50_000
    assert longest < 3 << 20 < len(data)
