"""Bytes of Parquet and Arrow to rows, batch by batch under a limit; and the names that go with numbers."""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdseq.errors import FormatError, MissingExtraError, Problem
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector

PARQUET_MARK, ARROW_FILE_MARK, ARROW_STREAM_MARK = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
FEATURES_KEY = b"huggingface"
_ROWS_AT_A_TIME = 1024


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
    """The table of one file; features: those that Hugging Face writes beside it, where it does."""
    arrow = library()
    data = _bytes(stream, collector)
    schema, batches = _guarded(arrow, stream.name, lambda: _opened(arrow, data))
    known = {**(features or {}), **_features(schema.metadata or {})}
    names = {column: found for column in known if (found := _names(known[column])) is not None}
    return ArrowTable(tuple(schema.names), _rows(arrow, batches, stream.name, collector), names)


def _bytes(stream: Stream, collector: Collector) -> bytes:
    parts: list[bytes] = []
    size = 0
    for block in stream.blocks():
        size += len(block)
        if size > collector.settings.limits.unpacked_bytes:
            raise _too_large(stream.name, collector)
        parts.append(block)
    return b"".join(parts)


def _opened(arrow: Any, data: bytes) -> tuple[Any, Iterator[Any]]:
    if data.startswith(PARQUET_MARK):
        file = arrow.parquet.ParquetFile(io.BytesIO(data))
        return file.schema_arrow, file.iter_batches(_ROWS_AT_A_TIME, use_threads=False)
    if data.startswith(ARROW_FILE_MARK):
        reader = arrow.ipc.open_file(io.BytesIO(data))
        return reader.schema, (reader.get_batch(n) for n in range(reader.num_record_batches))
    reader = arrow.ipc.open_stream(io.BytesIO(data))
    return reader.schema, iter(reader)


def _rows(arrow: Any, batches: Iterator[Any], name: str, collector: Collector) -> Iterator[dict[str, Any]]:
    """Rows of one batch after the other; what all of them unpack to has a ceiling."""
    size = 0
    while True:
        batch = _guarded(arrow, name, lambda: next(batches, None))
        if batch is None:
            return
        size += batch.nbytes
        if size > collector.settings.limits.unpacked_bytes:
            raise _too_large(name, collector)
        yield from _guarded(arrow, name, batch.to_pylist)


def _guarded(arrow: Any, name: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        what = " ".join(str(error).split())[:200]
        raise FormatError(
            Problem(f"the Parquet or Arrow data is damaged ({what}), fetch it again", name)
        ) from None


def _too_large(name: str, collector: Collector) -> FormatError:
    limit = collector.settings.limits.unpacked_bytes
    return FormatError(Problem(f"unpacks to more than {limit:,} bytes, split it", name))


def _features(metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    """What Hugging Face's library notes about the columns of a table that it writes."""
    try:
        found = json.loads(metadata.get(FEATURES_KEY, b"{}"))["info"]["features"]
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
