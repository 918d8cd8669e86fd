"""The word vectors of a spaCy model: a folder with a table, and which row of it each string has."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from crowdseq.errors import FormatError, MissingExtraError, Problem
from crowdseq.formats.knowledge.vector_tables import MOST_NUMBERS, Table

_NUMBERS, _ROWS, _STRINGS = "vectors", "key2row", "strings.json"
_MOST_BYTES = 4 * MOST_NUMBERS


def vocabulary(folder: Path) -> Path | None:
    """Where a model folder, or the folder of its package, has vectors; None if it has none."""
    for place in (folder, *sorted(folder.glob("*/"))):
        found = place / "vocab"
        if all((found / name).is_file() for name in (_NUMBERS, _ROWS, _STRINGS)) and _has_numbers(found):
            return found
    return None


def _has_numbers(folder: Path) -> bool:
    """Small models have an empty table."""
    try:
        shape = np.load(folder / _NUMBERS, mmap_mode="r", allow_pickle=False).shape
    except (ValueError, OSError, EOFError):
        return False
    return len(shape) == 2 and shape[0] > 0 and shape[1] > 0


def read_spacy(folder: Path) -> tuple[Table, str]:
    """Every string that has a row, in the order of the model, and a digest of its three files."""
    place = vocabulary(folder)
    if place is None:
        raise FormatError(
            Problem("is a folder, and no spaCy model with word vectors, give a file", str(folder))
        )
    blobs = [_bytes(place / name) for name in (_ROWS, _STRINGS)]
    numbers = np.load(place / _NUMBERS, mmap_mode="r", allow_pickle=False)
    try:
        rows = msgspec.msgpack.decode(blobs[0], type=dict[int, int])
        strings = msgspec.json.decode(blobs[1], type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(Problem(f"is no whole spaCy model ({error})", str(place))) from None
    words = {word: row for word, row in _rows_of(strings, rows) if 0 <= row < len(numbers)}
    kept = list(words.items())[: MOST_NUMBERS // numbers.shape[1]]
    table = np.asarray(numbers[[row for _, row in kept]], dtype=np.float32)
    digest = hashlib.sha256(b"".join(hashlib.sha256(blob).digest() for blob in blobs))
    digest.update(np.ascontiguousarray(numbers).tobytes())
    return Table([word for word, _ in kept], table, is_cut=len(kept) < len(words)), digest.hexdigest()


def _rows_of(strings: list[str], rows: dict[int, int]) -> Iterator[tuple[str, int]]:
    try:
        from spacy.strings import hash_string  # type: ignore[attr-defined]
    except ImportError:
        raise MissingExtraError("reading the word vectors of a spaCy model", "spacy") from None
    numbers = {int(hash_string(word)): word for word in strings if "\n" not in word}
    return ((numbers[key], row) for key, row in rows.items() if key in numbers)


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > _MOST_BYTES:
        raise FormatError(Problem(f"has more than {_MOST_BYTES:,} bytes", str(path)))
    return path.read_bytes()
