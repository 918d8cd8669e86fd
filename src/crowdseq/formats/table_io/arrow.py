"""Bytes of Parquet and Arrow to rows, some at a time under limits; and the names that go with numbers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from crowdseq.errors import FormatError, MissingExtraError, Problem
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.foreign.worker import MissingLibrary, parse_or_refuse

PARQUET_MARK, ARROW_FILE_MARK, ARROW_STREAM_MARK = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
FEATURES_KEY = b"huggingface"


@dataclass(frozen=True)
class ArrowTable:
    """The names of the columns, the rows, and for columns of numbered labels the names of the labels."""

    columns: tuple[str, ...]
    rows: Iterator[dict[str, Any]]
    label_names: Mapping[str, Sequence[str]]


def library() -> Any:
    """pyarrow, with the part that reads and writes Parquet."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading or writing Parquet and Arrow", "arrow") from None
    return pyarrow


def read_table(stream: Stream, collector: Collector, features: Mapping[str, Any] | None = None) -> ArrowTable:
    """The table of one file; features: those that Hugging Face writes beside it, where it does.

    Parsed and fully validated in a process of its own: a damaged file can crash Arrow's library.
    """
    limit = collector.settings.limits.unpacked_bytes
    damaged = Problem("the Parquet or Arrow data is damaged ({0}), fetch it again", stream.name)
    parts = [_bytes(stream, collector)]
    found = parse_or_refuse(collector.workers, "arrow_rows", parts, damaged, most_bytes=limit)
    try:
        about = next(found)
    except MissingLibrary:
        raise MissingExtraError("reading or writing Parquet and Arrow", "arrow") from None
    known = {**(features or {}), **_features(about["metadata"])}
    names = {column: names for column in known if (names := _names(known[column])) is not None}
    return ArrowTable(tuple(about["columns"]), chain.from_iterable(found), names)


def _bytes(stream: Stream, collector: Collector) -> bytes:
    limit = collector.settings.limits.unpacked_bytes
    parts: list[bytes] = []
    size = 0
    for block in stream.blocks():
        size += len(block)
        if size > limit:
            raise FormatError(Problem(f"unpacks to more than {limit:,} bytes, split it", stream.name))
        parts.append(block)
    return b"".join(parts)


def _features(metadata: bytes) -> dict[str, Any]:
    """What Hugging Face's library notes about the columns of a table that it writes."""
    try:
        found = json.loads(metadata or b"{}")["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _names(feature: Any) -> list[str] | None:
    """The names of a ClassLabel, however deep it lies in lists."""
    for _ in range(5):
        if isinstance(feature, list) and feature:
            feature = feature[0]
        if not isinstance(feature, dict):
            return None
        names = feature.get("names")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return names
        feature = feature.get("feature")
    return None
