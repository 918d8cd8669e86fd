"""Bytes to lines: ends, encodings, marks, limits."""

import codecs
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import FormatError
from crowdseq.formats.files import lines
from crowdseq.formats.files.lines import read_lines, read_text
from crowdseq.formats.files.sources import Source, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import Limits, ReadSettings

NOT_LINE_ENDS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"


def lines_of(data: bytes, collector: Collector | None = None, **settings: object) -> list[tuple[int, str]]:
    collector = collector or Collector(ReadSettings(**settings))  # type: ignore[arg-type]
    with open_source(Source("f", "f", data=data), collector.settings.limits) as stream:
        return list(read_lines(stream, collector))


def slow_lines(text: str) -> list[str]:
    """Cut at LF, CRLF and CR, character by character."""
    lines, line, skip = [], "", False
    for place, character in enumerate(text):
        if skip:
            skip = False
        elif character in "\r\n":
            lines.append(line)
            line, skip = "", text[place : place + 2] == "\r\n"
        else:
            line += character
    return [*lines, line] if line else lines


@given(st.text(alphabet=st.sampled_from("ab é\r\n🚀" + NOT_LINE_ENDS)), st.integers(1, 7))
def test_lines_are_those_of_a_slow_look_whatever_the_blocks(text: str, size: int) -> None:
    data = text.encode("utf-8")
    blocks = iter([data[place : place + size] for place in range(0, len(data), size)])
    found = [line.decode("utf-8").rstrip("\r\n") for line, _ in lines._raw_lines(blocks, 10**6)]
    assert found == slow_lines(text)


@given(st.text(alphabet=st.sampled_from("abé\r\n"), max_size=60), st.integers(1, 7), st.integers(1, 8))
def test_a_long_line_never_swallows_its_neighbours(text: str, size: int, limit: int) -> None:
    data = text.encode("utf-8")
    blocks = iter([data[place : place + size] for place in range(0, len(data), size)])
    found = list(lines._raw_lines(blocks, limit))
    assert sum(length for _, length in found) == len(data)
    whole = [line.decode("utf-8").rstrip("\r\n") for line, length in found if length <= limit]
    expected = [line for line in slow_lines(text) if len(line.encode()) < limit - 1]
    assert [line for line in whole if len(line.encode()) < limit - 1] == expected
    assert len(found) == len(slow_lines(text))


@pytest.mark.parametrize("character", NOT_LINE_ENDS)
def test_characters_that_python_splits_at_are_part_of_the_line(character: str) -> None:
    assert len(f"a{character}b".splitlines()) == 2
    assert lines_of(f"a{character}b\n".encode()) == [(1, f"a{character}b")]


@pytest.mark.parametrize(
    ("data", "lines", "shown"),
    [
        (b"a\r\nb\r\n", ["a", "b"], "CRLF"),
        (b"a\rb\r", ["a", "b"], "CR"),
        (b"a\nb\r\nc\rd", ["a", "b", "c", "d"], "LF and CRLF and CR"),
    ],
)
def test_other_line_ends_are_read_and_named(data: bytes, lines: list[str], shown: str) -> None:
    collector = Collector(ReadSettings())
    assert [line for _, line in lines_of(data, collector)] == lines
    assert [str(finding) for finding in collector.findings()] == [f"line ends are {shown}, read as LF: f"]


def test_plain_line_ends_are_no_finding() -> None:
    collector = Collector(ReadSettings())
    lines_of(b"a\nb\n", collector)
    assert collector.findings() == ()


def test_a_byte_order_mark_is_left_out_and_told() -> None:
    collector = Collector(ReadSettings())
    assert lines_of(codecs.BOM_UTF8 + b"a\n", collector) == [(1, "a")]
    assert [finding.kind for finding in collector.findings()] == ["byte-order-mark"]


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp500", "latin-1", "cp1252"]
)
def test_an_encoding_can_be_given(encoding: str) -> None:
    assert lines_of("é\r\nb\n".encode(encoding), encoding=encoding) == [(1, "é"), (2, "b")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "UTF8", "utf_8"])
def test_names_of_utf_8_are_alike(encoding: str) -> None:
    assert lines_of(codecs.BOM_UTF8 + "é\n".encode(), encoding=encoding) == [(1, "é")]


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n\ufeff")))
def test_utf_16_gives_what_utf_8_gives(line: str) -> None:
    assert lines_of(f"x{line}\n".encode("utf-16"), encoding="utf-16") == [(1, f"x{line}")]


def test_a_line_that_cannot_be_decoded_does_not_stop_the_others() -> None:
    collector = Collector(ReadSettings())
    assert lines_of("é\n".encode() + b"caf\xe9\nc\n", collector) == [(1, "é"), (3, "c")]
    what = "is not utf-8, it looks like latin-1 ('é'): say encoding='latin-1', or correct the file"
    assert [str(problem) for problem in collector.problems] == [f"f:2: byte 7 (0xE9) {what}"]


def test_the_byte_position_counts_every_byte_of_crlf_lines() -> None:
    collector = Collector(ReadSettings())
    lines_of(b"ab\r\nc\xff\r\n", collector)
    assert "byte 6 (0xFF)" in collector.problems[0].what


def test_windows_quotes_are_told_from_latin_1() -> None:
    collector = Collector(ReadSettings())
    lines_of("“so”\n".encode("cp1252"), collector)
    assert "looks like cp1252 ('“')" in collector.problems[0].what


def test_a_character_cut_off_at_the_end_is_called_that() -> None:
    collector = Collector(ReadSettings())
    lines_of("aé".encode()[:-1], collector)
    assert (
        collector.problems[0].what
        == "byte 2 (0xC3) is not utf-8: a character is cut off, the file may be incomplete"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_wide_encodings_are_guessed(encoding: str) -> None:
    with pytest.raises(FormatError, match=f"the file looks like {encoding}: say encoding='{encoding}'"):
        lines_of('{"id": "s1", "tokens": []}\n'.encode(encoding))


def test_broken_utf_16_is_refused_with_its_byte() -> None:
    with pytest.raises(FormatError, match=r"byte 5 .* is not utf-16-le"):
        lines_of(b"a\0b\0\x00\xd8c\0", encoding="utf-16-le")


def test_a_line_beyond_the_limit_is_refused_and_the_next_is_read() -> None:
    collector = Collector(ReadSettings(limits=Limits(line_bytes=100)))
    assert lines_of(b"a\n" + b"x" * 101 + b"\nb\n", collector) == [(1, "a"), (3, "b")]
    assert [str(p) for p in collector.problems] == [
        "f:2: the line is longer than 100 bytes, split the record"
    ]


def test_a_huge_line_is_refused_without_being_held(tmp_path: Path) -> None:
    """64 MB and more of one line, packed to a few kilobytes."""
    path = tmp_path / "long.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(70):
            out.write(b"x" * (1 << 20))
    limits = Limits(ratio=10**6)
    collector = Collector(ReadSettings(limits=limits))
    with open_source(Source("long", "long", path), limits) as stream:
        assert list(read_lines(stream, collector)) == []
    assert "longer than 67,108,864 bytes" in collector.problems[0].what


def test_a_whole_text_keeps_its_line_ends() -> None:
    collector = Collector(ReadSettings())
    with open_source(
        Source("f", "f", data=codecs.BOM_UTF8 + b"a\r\nb\rc"), collector.settings.limits
    ) as stream:
        assert read_text(stream, collector) == "a\r\nb\rc"


def test_a_whole_text_that_cannot_be_decoded_is_refused_with_line_and_byte() -> None:
    collector = Collector(ReadSettings())
    with (
        open_source(Source("f", "f", data=b"a\nb\xe9"), collector.settings.limits) as stream,
        pytest.raises(FormatError, match=r"f:2: byte 4 \(0xE9\)"),
    ):
        read_text(stream, collector)
