"""Word vectors as arrays and tables: npy and safetensors with their words beside them, Parquet with both."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.table_io.arrow import PARQUET_MARK, read_table
from crowdseq.numerics.words.kmeans import Rows

NPY_MARK = b"\x93NUMPY"
MOST_NUMBERS = 256 << 20  # a gigabyte; files have their words by frequency, so that later ones are rare
MOST_SIZE = 4096
WORDS = "words"  # the tensor that holds them in a safetensors file, one a line
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True, eq=False)
class Table:
    """Words, where the file has them, and their numbers (V, D). first_line: of a text file."""

    words: list[str] | None
    rows: Rows
    is_cut: bool = False
    first_line: int = 0

    def line_of(self, row: int) -> int:
        return row + self.first_line if self.first_line else 0

    def place_of(self, row: int) -> str:
        return f"line {self.line_of(row):,}" if self.first_line else f"row {row + 1:,}"


def is_safetensors(head: bytes) -> bool:
    """A length in eight bytes, then JSON."""
    return len(head) > 9 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 27


def read_npy(stream: Stream) -> Table:
    try:
        found = np.load(io.BytesIO(_whole(stream)), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise FormatError(Problem(f"is no whole npy file ({reason}), write it anew", stream.name)) from None
    return _of_array(None, found, stream.name)


def read_safetensors(stream: Stream) -> Table:
    try:
        tensors = load(_whole(stream))
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise FormatError(
            Problem(f"is no whole safetensors file ({reason}), write it anew", stream.name)
        ) from None
    tables = {name: array for name, array in tensors.items() if array.ndim == 2 and array.dtype.kind == "f"}
    if len(tables) != 1:
        held = ", ".join(sorted(tables)[:5]) or "none"
        what = f"must have one table of numbers (words by dimensions), it has {len(tables)} ({held})"
        raise FormatError(Problem(what, stream.name))
    words = tensors.get(WORDS)
    text = None if words is None or words.dtype != np.uint8 else words.tobytes().decode("utf-8", "replace")
    listed = None if text is None else text.removesuffix("\n").split("\n")
    table = _of_array(listed, next(iter(tables.values())), stream.name)
    if listed is not None and len(listed) != len(table.rows) and not table.is_cut:
        what = f"has {len(listed):,} words for {len(table.rows):,} vectors, write it anew"
        raise FormatError(Problem(what, stream.name))
    return table


def read_parquet(stream: Stream, collector: Collector) -> Table:
    """A column of words, and one of lists of numbers or several of numbers."""
    table = read_table(stream, collector)
    first = next(table.rows, None)
    if first is None:
        raise FormatError(Problem("is empty, give a file of word vectors", stream.name))
    word, numbers = _columns(first, stream.name)
    words: list[str] = []
    parts: list[Rows] = []
    rows, size, is_cut = chain([first], table.rows), 0, False
    while batch := list(islice(rows, _ROWS_AT_A_TIME)):
        found = [_numbers(row, numbers) for row in batch]
        size = size or len(found[0])
        before = len(words)
        words.extend(_word(row[word], before + place, stream.name) for place, row in enumerate(batch))
        parts.append(_stacked(found, size, before, stream.name))
        if len(words) * size > MOST_NUMBERS:
            is_cut = True
            break
    return Table(words, np.concatenate(parts), is_cut)


def _columns(row: Mapping[str, Any], name: str) -> tuple[str, Sequence[str]]:
    word = next((column for column, value in row.items() if isinstance(value, str)), None)
    lists = [column for column, value in row.items() if isinstance(value, list)]
    plain = [column for column, value in row.items() if isinstance(value, int | float)]
    if word is None or not (lists or plain):
        what = f"needs a column of words and one of lists of numbers, it has {', '.join(list(row)[:6])}"
        raise FormatError(Problem(what, name))
    return word, lists[:1] or plain


def _word(value: object, place: int, name: str) -> str:
    if not isinstance(value, str):
        raise FormatError(Problem("has no word, write the file anew", name, record=f"row {place + 1:,}"))
    return value


def _numbers(row: Mapping[str, Any], columns: Sequence[str]) -> Sequence[Any]:
    value = row[columns[0]]
    if len(columns) > 1:
        return [row[column] for column in columns]
    return value if isinstance(value, list) else [value] if value is not None else []


def _stacked(found: Sequence[Sequence[Any]], size: int, before: int, name: str) -> Rows:
    for place, values in enumerate(found):
        if len(values) != size:
            what = f"has {len(values):,} numbers where other rows have {size:,}, write the file anew"
            raise FormatError(Problem(what, name, record=f"row {before + place + 1:,}"))
    try:
        return np.array(found, dtype=np.float32).reshape(len(found), size)
    except (ValueError, TypeError):
        raise FormatError(Problem("has a value that is no number, write the file anew", name)) from None


def read_words(stream: Stream, collector: Collector) -> list[str]:
    """One word a line; or the first column of texts of a Parquet file."""
    if stream.head.startswith(PARQUET_MARK):
        rows = read_table(stream, collector).rows
        first = next(rows, {})
        word = next((column for column, value in first.items() if isinstance(value, str)), None)
        if word is None:
            raise FormatError(Problem("has no column of words", stream.name))
        return [str(row[word]) for row in chain([first], rows)]
    return list(_lines(stream, collector))


def _lines(stream: Stream, collector: Collector) -> Iterator[str]:
    for _, line in read_lines(stream, collector):
        yield line


def _of_array(words: list[str] | None, found: NDArray[Any], name: str) -> Table:
    if found.ndim != 2 or found.dtype.kind not in "fiu" or not 0 < found.shape[1] <= MOST_SIZE:
        what = f"is {found.dtype} {found.shape}, a table of numbers (words by dimensions) is needed"
        raise FormatError(Problem(what, name))
    kept = min(len(found), MOST_NUMBERS // found.shape[1])
    return Table(
        None if words is None else words[:kept], found[:kept].astype(np.float32), is_cut=kept < len(found)
    )


def _whole(stream: Stream) -> bytes:
    """All bytes, of a file that is not too large to be held."""
    parts: list[bytes] = []
    size = 0
    for block in stream.blocks():
        size += len(block)
        if size > 16 * MOST_NUMBERS:
            raise FormatError(
                Problem(f"has more than {16 * MOST_NUMBERS:,} bytes, give fewer words", stream.name)
            )
        parts.append(block)
    return b"".join(parts)
