"""Word vectors as text (word2vec, GloVe, fastText) and in word2vec's binary form, read a piece at a time."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.knowledge.vector_tables import MOST_NUMBERS, MOST_SIZE, Table
from crowdseq.numerics.words.kmeans import Rows

_LINES_AT_A_TIME = 4096
_TOLD = 5


def is_binary(head: bytes) -> bool:
    """Whether a header is followed by bytes that are no line of text with so many numbers."""
    first, _, rest = head.partition(b"\n")
    counts = _header(first.decode("utf-8", "replace"))
    if counts is None or not rest:
        return False
    try:
        line = rest.partition(b"\n")[0].decode("utf-8").split()
        return not (len(line) > 1 and all(map(_is_number, line[1:])))
    except UnicodeDecodeError:
        return True


def read_text(stream: Stream, collector: Collector) -> Table:
    """Lines of a word and its numbers; a first line of two counts, as word2vec writes it, is a header."""
    lines = ((number, line.rstrip()) for number, line in read_lines(stream, collector) if line.strip())
    first = next(lines, None)
    collector.finish()
    if first is None:
        raise FormatError(Problem("is empty, give a file of word vectors", stream.name))
    header = _header(first[1])
    fields = first[1].split()
    size = header[1] if header else len(fields) - 1 if _is_number(fields[-1]) else 0
    if not 0 < size <= MOST_SIZE:
        what = f"the first line has {size:,} numbers after its word, this is no file of word vectors"
        raise FormatError(Problem(what, stream.name, first[0]))
    most = MOST_NUMBERS // size
    words: list[str] = []
    parts: list[Rows] = []
    rest = lines if header else chain([first], lines)
    while len(words) < most and (batch := list(islice(rest, min(_LINES_AT_A_TIME, most - len(words))))):
        found, rows = _parsed(batch, size, stream.name)
        words.extend(found)
        parts.append(rows)
    is_cut = next(rest, None) is not None
    collector.finish()
    _check_count(header, len(words), stream.name, is_cut)
    rows = np.concatenate(parts) if parts else np.empty((0, size), np.float32)
    return Table(words, rows, is_cut, first_line=2 if header else 1)


def _header(line: str) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) == 2 and all(field.isascii() and field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_count(header: tuple[int, int] | None, found: int, name: str, is_cut: bool) -> None:
    if header is not None and found != header[0] and not is_cut:
        what = f"its header promises {header[0]:,} words and {found:,} follow, fetch the file again"
        raise FormatError(Problem(what, name))


def _parsed(lines: Sequence[tuple[int, str]], size: int, name: str) -> tuple[list[str], Rows]:
    """All lines at once; one by one where that fails, to tell which are at fault."""
    cut = [line.partition(" ") for _, line in lines]
    if all(rest.count(" ") == size - 1 for _, _, rest in cut):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy's word for what is no number
            try:
                values = np.fromstring(" ".join(rest for _, _, rest in cut), np.float32, sep=" ")
            except ValueError:
                values = np.empty(0, np.float32)
        if len(values) == len(lines) * size:
            return [word for word, _, _ in cut], values.reshape(len(lines), size)
    problems: list[Problem] = []
    words, rows = [], np.zeros((len(lines), size), np.float32)
    for row, (number, line) in enumerate(lines):
        word, fault = _one(line, size, rows[row])
        words.append(word)
        if fault:
            problems.append(Problem(fault, name, number))
    if problems:
        raise FormatError(*problems[:_TOLD])
    return words, rows


def _one(line: str, size: int, row: Rows) -> tuple[str, str]:
    """The word of a line, with its numbers put into the row; and what is wrong, if anything is.

    Some files have words with spaces in them: so many numbers are counted from the end.
    """
    word, *fields = line.rsplit(None, size)
    if len(fields) < size or any(map(_is_number, word.split()[1:])):
        found = len(line.split()) - 1
        return word, f"has {found:,} numbers where other lines have {size:,}, fetch the file again"
    wrong = next((field for field in fields if not _is_number(field)), None)
    if wrong is not None:
        return word, f"'{wrong:.40}' is no number, fetch the file again"
    row[:] = [float(field) for field in fields]
    return word, ""


def read_binary(stream: Stream) -> Table:
    """A header line, then each word up to a space and the bytes of its numbers."""
    buffer = _Buffer(stream.blocks())
    header = _header(buffer.until(b"\n").decode("utf-8", "replace"))
    assert header is not None
    count, size = header
    if not 0 < size <= MOST_SIZE:
        raise FormatError(Problem(f"its header tells of {size:,} numbers for each word", stream.name, 1))
    kept = min(count, MOST_NUMBERS // size)
    words, parts = [], []
    for row in range(kept):
        raw, numbers = buffer.until(b" "), buffer.take(4 * size)
        if len(numbers) < 4 * size:
            what = (
                f"its header promises {count:,} words and it ends in word {row + 1:,}, fetch the file again"
            )
            raise FormatError(Problem(what, stream.name))
        words.append(raw.lstrip(b"\n").decode("utf-8", "replace"))
        parts.append(numbers)
    rows = np.frombuffer(b"".join(parts), dtype="<f4").reshape(len(words), size)
    return Table(words, rows.astype(np.float32), is_cut=kept < count)


class _Buffer:
    """Blocks of bytes, taken piece by piece."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._data, self._at = blocks, b"", 0

    def until(self, mark: bytes) -> bytes:
        """Up to the mark, which is passed over; to the end where there is none."""
        while (end := self._data.find(mark, self._at)) < 0 and self._more():
            pass
        end = len(self._data) if end < 0 else end
        found = self._data[self._at : end]
        self._at = end + len(mark)
        return found

    def take(self, size: int) -> bytes:
        while len(self._data) - self._at < size and self._more():
            pass
        found = self._data[self._at : self._at + size]
        self._at += size
        return found

    def _more(self) -> bool:
        block = next(self._blocks, b"")
        self._data, self._at = self._data[self._at :] + block, 0
        return bool(block)
