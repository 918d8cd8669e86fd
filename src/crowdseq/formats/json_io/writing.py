"""Objects to a JSON array, one to a line, or to JSON lines."""

from collections.abc import Iterable
from typing import Any, BinaryIO

from crowdseq.formats.tools.native.crowd_jsonl import encode_line


def write_array(out: BinaryIO, items: Iterable[dict[str, Any]]) -> None:
    """A JSON array whose items stand on lines of their own."""
    before = b"[\n"
    for item in items:
        out.write(before + encode_line(item).rstrip(b"\n"))
        before = b",\n"
    out.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def write_lines(out: BinaryIO, items: Iterable[dict[str, Any]]) -> None:
    """One object a line."""
    for item in items:
        out.write(encode_line(item))
