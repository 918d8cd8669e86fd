"""Parquet and Arrow: the names of the columns and what the file says of them, then rows, a few at a time."""

from collections.abc import Iterator
from typing import Any

from crowdseq.formats.foreign.child import Fault, Refusal

PARQUET_MARK, ARROW_FILE_MARK = b"PAR1", b"ARROW1"
_ROWS_AT_A_TIME = 1024
_BYTES_AT_A_TIME = 4 << 20
_MOST_COLUMNS = 10_000


def prepare() -> None:
    """Import what parses."""
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet

    pyarrow.set_cpu_count(1)


def parse(parts: list[bytes], most_bytes: int) -> Iterator[Any]:
    """{columns, metadata}, then lists of rows; every batch is validated before a value of it is looked at."""
    import pyarrow as arrow

    schema, batches = _opened(arrow, parts[0])
    if len(schema.names) > _MOST_COLUMNS:
        raise Fault(f"it has {len(schema.names):,} columns")
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key == b"huggingface"}
    yield {"columns": list(schema.names), "metadata": metadata.get(b"huggingface", b"")}
    size = 0
    for batch in batches:
        # A damaged offset makes plain access read beyond a buffer: into other memory, or into a crash.
        batch.validate(full=True)
        size += batch.nbytes
        if size > most_bytes:
            raise Refusal(f"unpacks to more than {most_bytes:,} bytes, split it")
        step = max(1, min(_ROWS_AT_A_TIME, batch.num_rows * _BYTES_AT_A_TIME // max(batch.nbytes, 1)))
        for first in range(0, batch.num_rows, step):
            yield batch.slice(first, step).to_pylist()


def _opened(arrow: Any, data: bytes) -> tuple[Any, Iterator[Any]]:
    source = arrow.BufferReader(data)
    if data.startswith(PARQUET_MARK):
        file = arrow.parquet.ParquetFile(source)
        return file.schema_arrow, file.iter_batches(_ROWS_AT_A_TIME, use_threads=False)
    if data.startswith(ARROW_FILE_MARK):
        reader = arrow.ipc.open_file(source)
        return reader.schema, (reader.get_batch(n) for n in range(reader.num_record_batches))
    reader = arrow.ipc.open_stream(source)
    return reader.schema, iter(reader)
