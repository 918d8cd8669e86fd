"""JSON objects one by one: out of lines, arrays and pretty-printed files, and into lines and arrays."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from crowdseq.errors import AnnotationError, Problem
from crowdseq.formats.files.lines import head_text, read_lines
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector, Raw
from crowdseq.formats.json_io.strict import JsonFault, loads


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


_KINDS = {list: "list", str: "text", int: "number", float: "number", bool: "truth value", type(None): "null"}


def read_objects(
    stream: Stream, collector: Collector, *, in_lines: bool = True
) -> Iterator[tuple[int, dict[str, Any], Raw]]:
    """Line, object and raw form of every record; what is no object is rejected.

    in_lines: whether the tool writes lines, so that any other form deserves a remark.
    """
    form = _form(head_text(stream, collector.settings.encoding))
    records: Iterator[tuple[int, Any, Raw]]
    if form:
        what = f"{form} was read where one record a line is expected"
        if in_lines:
            collector.warn("json-not-in-lines", what, Problem("", stream.name))
        from crowdseq.formats.json_io.values import read_values  # most files have a record a line

        records = ((line, value, value) for line, value in read_values(stream, collector))
    else:
        records = _line_values(stream, collector)
    for line, value, raw in records:
        if isinstance(value, dict):
            yield line, value, raw
        else:
            what = f"a JSON object is expected, this is a {_KINDS[type(value)]}"
            collector.reject(Problem(what, stream.name, line), raw)


def name_of(value: Mapping[str, Any], key: str, collector: Collector) -> str | None:
    """An id as text; whole numbers are common in exports and read as their digits."""
    name = value.get(key)
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, int) and not isinstance(name, bool):
        collector.warn(f"number-as-{key}", f"'{key}' is a number, read as text")
        return str(name)
    raise AnnotationError(f"'{key}' must be a text")


def _line_values(stream: Stream, collector: Collector) -> Iterator[tuple[int, Any, Raw]]:
    depth = collector.settings.limits.depth
    for number, line in read_lines(stream, collector):
        if not line.strip(" \t"):
            continue
        try:
            yield number, loads(line, depth=depth), line
        except JsonFault as fault:
            collector.reject(Problem(_message(fault, line), stream.name, number), line)


def _message(fault: JsonFault, line: str) -> str:
    if fault.position < 0:
        return str(fault)
    hint = "the line seems cut off" if fault.position >= len(line.rstrip()) else "correct the line"
    return f"not JSON ({fault} at column {fault.position + 1}), {hint}"


def _form(head: str) -> str:
    """`a JSON array`, `pretty-printed JSON`, or nothing for JSON lines, told from the beginning."""
    text = head.lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return "a JSON array"
    first, _, rest = text.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    if not first.startswith("{") or not rest.strip():
        return ""
    try:
        loads(first)
    except JsonFault as fault:
        # A broken first line of JSONL is followed by the brace of the next record, an open object is not.
        is_open = fault.position >= len(first.rstrip())
        return "pretty-printed JSON" if is_open and not rest.lstrip().startswith("{") else ""
    return ""
