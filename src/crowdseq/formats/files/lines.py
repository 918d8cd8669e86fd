"""Bytes to numbered lines of text: encodings, byte order marks, line ends, limits."""

import codecs
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NEED_A_MARK = ("utf-16", "utf-32")
DEFAULT_ENCODING = "utf-8"


def wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, told by the byte order mark or by zeros in every other byte of plain text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    # Of four bytes of UTF-32 one is always zero, and the one beside it nearly so.
    for name, zeros in (("utf-32-le", (3, 2)), ("utf-32-be", (0, 1))):
        rows = [head[place : len(head) // 4 * 4 : 4] for place in zeros]
        if (
            len(head) >= 8
            and all(row.count(0) > 0.9 * len(row) for row in rows)
            and any(head[3 - zeros[0] :: 4])
        ):
            return name
    even, odd = head[0 : len(head) // 2 * 2 : 2], head[1::2]
    if len(odd) >= 4 and not even.count(0) and odd.count(0) > 0.4 * len(odd):
        return "utf-16-le"
    if len(odd) >= 4 and not odd.count(0) and even.count(0) > 0.4 * len(even):
        return "utf-16-be"
    return None


def not_decoded(error: UnicodeDecodeError, offset: int, encoding: str) -> Problem:
    """`byte 1,234 (0xE9) is not utf-8, …`; offset is where the piece began in the file."""
    place = f"byte {offset + error.start + 1:,}"
    if error.start >= len(error.object):
        return Problem(f"{place} is missing, the text ends inside a character ({encoding})")
    found = f"{place} (0x{error.object[error.start]:02X}) is not {encoding}"
    if codecs.lookup(encoding).name != DEFAULT_ENCODING:
        return Problem(found, advice=Advice("say the right one with {encoding}", encoding=""))
    if "unexpected end" in error.reason:
        return Problem(f"{found}: a character is cut off, the file may be incomplete")
    guess = _guess(error.object)
    seen = error.object[error.start : error.start + 1].decode(guess)
    advice = Advice("say {encoding}, or correct the file", encoding=guess)
    return Problem(f"{found}, it looks like {guess} ('{seen}'):", advice=advice)


def _guess(data: bytes) -> str:
    """Windows-1252 has signs where Latin-1 has only control codes."""
    if any(0x80 <= byte <= 0x9F for byte in data):
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "latin-1"


_SHOWN_OF_LONG_LINE = 200


def read_lines(stream: Stream, collector: Collector) -> Iterator[tuple[int, str]]:
    """Line numbers and lines without their ends; a line that cannot be decoded is rejected.

    Lines end at LF, CRLF or CR and nowhere else: U+2028, NEL, VT, FF and FS are characters like others.
    """
    encoding = chosen_encoding(stream, collector)
    line_encoding = DEFAULT_ENCODING if _is_wide(encoding) else encoding
    limit = collector.settings.limits.line_bytes
    ends = _LineEnds()
    blocks = _without_mark(ends.watch(_splittable(stream, encoding)), stream, collector)
    offset = 0
    for number, (raw, size) in enumerate(_raw_lines(blocks, limit), 1):
        if size > limit:
            place = Problem(f"the line is longer than {limit:,} bytes, split the record", stream.name, number)
            collector.reject(place, raw)
        else:
            try:
                text = raw.decode(line_encoding)
            except UnicodeDecodeError as error:
                fault = not_decoded(error, offset, encoding)
                collector.reject(replace(fault, file=stream.name, line=number), raw)
            else:
                yield number, text.rstrip("\r\n")
        offset += size
    if ends.are_odd:
        what = f"line ends are {ends}, read as LF"
        collector.warn("line-ends", what, Problem("", stream.name))


class _LineEnds:
    """Which line ends occur; looked for in whole blocks because a look at every line would cost more."""

    def __init__(self) -> None:
        self._lf, self._cr, self._crlf = 0, 0, 0

    def watch(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        was_cr = False
        for block in blocks:
            self._lf += block.count(b"\n")
            self._cr += block.count(b"\r")
            self._crlf += block.count(b"\r\n") + (was_cr and block.startswith(b"\n"))
            was_cr = block.endswith(b"\r")
            yield block

    @property
    def are_odd(self) -> bool:
        return self._cr > 0

    def __str__(self) -> str:
        counts = {"LF": self._lf - self._crlf, "CRLF": self._crlf, "CR": self._cr - self._crlf}
        return " and ".join(name for name, count in counts.items() if count)


def read_text(stream: Stream, collector: Collector) -> str:
    """The whole text, its line ends untouched; for formats whose offsets count them."""
    encoding = chosen_encoding(stream, collector)
    blocks = stream.blocks() if _is_wide(encoding) else _without_mark(stream.blocks(), stream, collector)
    data = b"".join(blocks)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = 0 if _is_wide(encoding) else data.count(b"\n", 0, error.start) + 1
        raise FormatError(replace(not_decoded(error, 0, encoding), file=stream.name, line=line)) from None


def head_text(stream: Stream, encoding: str | None) -> str:
    """The beginning of the text, decoded as well as may be; to look at, not to keep."""
    wide = wide_encoding(stream.head)
    return stream.head.decode(encoding or wide or DEFAULT_ENCODING, "replace").removeprefix("\ufeff")


def chosen_encoding(stream: Stream, collector: Collector) -> str:
    """The encoding asked for, else UTF-8; bytes that are plainly UTF-16 or UTF-32 are refused by name."""
    given = collector.settings.encoding
    if given is not None:
        known = codecs.lookup(given).name
        if known in _NEED_A_MARK and not any(
            stream.head.startswith(mark) for mark, name in _MARKS if name == known
        ):
            return _without_a_mark(stream, known)
        return DEFAULT_ENCODING if known == "utf-8-sig" else given
    wide = wide_encoding(stream.head)
    if wide is not None:
        what = f"byte 1 is not utf-8, the file looks like {wide}:"
        raise FormatError(Problem(what, stream.name, 1, advice=Advice("say {encoding}", encoding=wide)))
    return DEFAULT_ENCODING


def _without_a_mark(stream: Stream, encoding: str) -> str:
    """Which byte comes first where no mark tells: as zeros do, or line ends and spaces, which texts have."""
    guess = wide_encoding(stream.head)
    if guess is not None and guess.startswith(encoding):
        return guess
    counts = {}
    for name in (f"{encoding}-le", f"{encoding}-be"):
        text = stream.head.decode(name, "replace")
        counts[name] = text.count("\n") + text.count(" ") - text.count("\ufffd")
    low, high = sorted(counts, key=counts.__getitem__)
    if counts[low] < counts[high]:
        return high
    what = f"begins with no byte order mark, so that {encoding} cannot be read:"
    advice = Advice("say which byte comes first, {encoding} or {0}, or correct the file", high, encoding=low)
    raise FormatError(Problem(what, stream.name, 1, advice=advice))


def _is_wide(encoding: str) -> bool:
    """Whether a line end is more than the one byte 0x0A, so that bytes cannot be split at it."""
    return "\n".encode(encoding) != b"\n"


def _splittable(stream: Stream, encoding: str) -> Iterator[bytes]:
    """The blocks themselves, or recoded to UTF-8 where lines cannot be found in the bytes."""
    if not _is_wide(encoding):
        yield from stream.blocks()
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    offset = 0
    for block in chain(stream.blocks(), [b""]):
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            fault = not_decoded(error, offset - pending, encoding)
            raise FormatError(replace(fault, file=stream.name)) from None
        offset += len(block)
        yield text.encode("utf-8")


def _without_mark(blocks: Iterator[bytes], stream: Stream, collector: Collector) -> Iterator[bytes]:
    first = next(blocks, b"")
    if first.startswith(codecs.BOM_UTF8):
        what = "a byte order mark stands at the beginning, left out"
        collector.warn("byte-order-mark", what, Problem("", stream.name))
        first = first[len(codecs.BOM_UTF8) :]
    yield first
    yield from blocks


def _raw_lines(blocks: Iterator[bytes], limit: int) -> Iterator[tuple[bytes, int]]:
    """Lines with their ends, and their sizes; of a line beyond the limit only the beginning is kept."""
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        pieces = block.splitlines(keepends=True)  # of bytes: at LF, CRLF and CR only
        if not pieces:
            continue
        if parts and parts[-1].endswith(b"\r") and pieces[0] != b"\n":
            yield _joined(parts, size, limit), size
            parts, size = [], 0
        for piece in pieces[:-1]:
            if parts:
                parts.append(piece)
                yield _joined(parts, size + len(piece), limit), size + len(piece)
                parts, size = [], 0
            else:
                yield piece, len(piece)
        last = pieces[-1]
        size += len(last)
        parts.append(last)
        if last.endswith(b"\n"):
            yield _joined(parts, size, limit), size
            parts, size = [], 0
        elif size > limit:
            parts = [b"".join(parts)[:_SHOWN_OF_LONG_LINE], b"\r" if last.endswith(b"\r") else b""]
    if parts:
        yield _joined(parts, size, limit), size


def _joined(parts: list[bytes], size: int, limit: int) -> bytes:
    line = parts[0] if len(parts) == 1 else b"".join(parts)
    return line[:_SHOWN_OF_LONG_LINE] if size > limit else line
