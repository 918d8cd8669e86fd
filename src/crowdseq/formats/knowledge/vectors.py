"""Word vectors out of the files that people have: text, word2vec's binary form, npy, safetensors, Parquet."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.sources import Source, Stream, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.knowledge.encodings import as_utf8
from crowdseq.formats.knowledge.spacy_vectors import read_spacy
from crowdseq.formats.knowledge.vector_tables import (
    NPY_MARK,
    Table,
    is_safetensors,
    read_npy,
    read_parquet,
    read_safetensors,
    read_words,
)
from crowdseq.formats.knowledge.vector_text import is_binary, read_binary, read_text
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.table_io.arrow import PARQUET_MARK
from crowdseq.numerics.words.kmeans import Rows

BESIDE = "+"  # between a file of numbers and the file of their words
_TOLD = 5  # faults of one file
_PICKLE = (
    "is a pickle, which may run code when it is opened, write its vectors as text "
    "(gensim: save_word2vec_format)"
)
# What vectors often lie in, by its first bytes, and what to do; a pickle names its protocol there.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\3\4", "is a zip archive, unpack it and give the file of vectors that is in it"),
    (b"\xba\x16\x4f\x2f", "is a model of fastText in its own form, give the .vec file beside it"),
    *((bytes([0x80, protocol]), _PICKLE) for protocol in range(2, 6)),
)


@dataclass(frozen=True, eq=False)
class Vectors:
    """(V,) words and (V, D) numbers, in the order of the file; sha256: of the file or files they came from.

    is_cut: whether the file has more words than are read at most.
    """

    words: tuple[str, ...]
    rows: Rows
    sha256: str
    is_cut: bool = False


def read_vectors(place: str) -> Vectors:
    """A file of vectors, packed or not; `NUMBERS+WORDS` where words stand in a file of their own; or the
    folder of a spaCy model."""
    if Path(place).is_dir():
        table, digest = read_spacy(Path(place))
        _check(table, place)
        return Vectors(tuple(table.words or ()), table.rows, digest, table.is_cut)
    file, _, words_file = place.partition(BESIDE) if not os.path.exists(place) else (place, "", "")
    with as_utf8(), Collector(ReadSettings()) as collector:
        with open_source(_source(file), collector.settings.limits) as stream:
            table = _read(stream, collector, bool(words_file))
            digests = [stream.sha256]
        if words_file:
            with open_source(_source(words_file), collector.settings.limits) as stream:
                words = read_words(stream, collector)
                collector.finish()
                table = _with_words(table, words, file, words_file)
                digests.append(stream.sha256)
    if table.words is None:
        raise FormatError(Problem(f"has numbers and no words, name them too: {file}{BESIDE}WORDS.txt", file))
    _check(table, file)
    digest = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return Vectors(tuple(table.words), table.rows, digest, table.is_cut)


def _source(file: str) -> Source:
    return Source(file, file, path=Path(file))


def _read(stream: Stream, collector: Collector, has_words: bool) -> Table:
    head = stream.head
    if not head.strip():
        raise FormatError(Problem("is empty, give a file of word vectors", stream.name))
    other = next((what for mark, what in _OTHERS if head.startswith(mark)), None)
    if other is not None:
        raise FormatError(Problem(other, stream.name))
    if head.startswith(NPY_MARK):
        return read_npy(stream)
    if head.startswith(PARQUET_MARK):
        return read_parquet(stream, collector)
    if is_safetensors(head):
        return read_safetensors(stream)
    if has_words:
        raise FormatError(Problem("has its words already, leave the file of words out", stream.name))
    return read_binary(stream) if is_binary(head) else read_text(stream, collector)


def _with_words(table: Table, words: Sequence[str], file: str, words_file: str) -> Table:
    if len(words) != len(table.rows) and not (table.is_cut and len(words) > len(table.rows)):
        what = (
            f"has {len(words):,} words for the {len(table.rows):,} vectors of {file}, give those of its rows"
        )
        raise FormatError(Problem(what, words_file))
    return Table(list(words[: len(table.rows)]), table.rows, table.is_cut)


def _check(table: Table, file: str) -> None:
    """Every word once, every number finite."""
    words = table.words or []
    if not len(table.rows) or not table.rows.shape[1]:
        raise FormatError(Problem("holds no vector, give a file of word vectors", file))
    problems = [
        _problem(table, file, row, "has a number that is not finite, remove or correct it")
        for row in np.flatnonzero(~np.isfinite(table.rows).all(axis=1)).tolist()
    ]
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if "\n" in word:
            problems.append(_problem(table, file, row, "is no word: it has a line break, remove it"))
        before = first.setdefault(word, row)
        if before != row:
            what = f"stands there twice ({table.place_of(before)} too), keep one"
            problems.append(_problem(table, file, row, what))
    if problems:
        raise FormatError(*islice(problems, _TOLD))


def _problem(table: Table, file: str, row: int, what: str) -> Problem:
    words, line = table.words or [], table.line_of(row)
    record = f"word {words[row]!r:.60}" if row < len(words) else f"row {row + 1}"
    return Problem(what, file, line, record)
