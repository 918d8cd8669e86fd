"""Objects to a JSON array, one to a line, or to JSON lines."""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from crowdseq.errors import AnnotationError


def encode_line(value: dict[str, Any]) -> bytes:
    """A compact line of JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except (ValueError, TypeError) as error:  # NaN, a lone surrogate, or a Python object among the extras
        raise AnnotationError(f"sentence {value.get('id')!r} cannot be written as JSON: {error}") from None


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
