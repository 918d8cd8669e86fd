"""Source and Stream: where bytes come from (file, standard input, memory), unpacked under limits."""

import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from crowdseq.errors import Advice, FormatError, Missing, MissingFileError, Problem
from crowdseq.formats.settings import Limits

GZIP_MARK = b"\x1f\x8b"
BLOCK_BYTES = 1 << 16
_GZIP_WINDOW = 31  # zlib's way to say: gzip header and check sum, largest window


def unpack(read: Callable[[int], bytes], name: str, limits: Limits) -> Iterator[bytes]:
    """The unpacked blocks of gzip data; one file may hold several members, one after the other."""
    packed, unpacked = 0, 0

    def more() -> bytes:
        nonlocal packed
        data = read(BLOCK_BYTES)
        packed += len(data)
        return data

    member, data = zlib.decompressobj(_GZIP_WINDOW), more()
    while True:
        if not data:
            data = more()
            if not data:
                raise FormatError(Problem("the gzip data is cut off, fetch the file again", name))
        try:
            block = member.decompress(data, BLOCK_BYTES)
        except zlib.error as error:
            raise FormatError(
                Problem(f"the gzip data is damaged ({error}), fetch the file again", name)
            ) from None
        unpacked += len(block)
        _check_size(unpacked, packed, name, limits)
        if block:
            yield block
        data = member.unconsumed_tail
        if member.eof:
            data = _next_member(member.unused_data, more, name)
            if not data:
                return
            member = zlib.decompressobj(_GZIP_WINDOW)


def _next_member(rest: bytes, more: Callable[[], bytes], name: str) -> bytes:
    """The beginning of the next member, or nothing at the end; padding with zeros is allowed."""
    rest = rest.lstrip(b"\0")
    while len(rest) < len(GZIP_MARK):
        data = more()
        if not data:
            break
        rest = (rest + data).lstrip(b"\0")
    if rest and not rest.startswith(GZIP_MARK):
        raise FormatError(Problem("something that is not gzip follows the gzip data, remove it", name))
    return rest


def _check_size(unpacked: int, packed: int, name: str, limits: Limits) -> None:
    if unpacked > limits.unpacked_bytes:
        raise FormatError(
            Problem(
                f"unpacks to more than {limits.unpacked_bytes:,} bytes, unpack it yourself and split it", name
            )
        )
    if unpacked > limits.ratio_after and unpacked > limits.ratio * packed:
        raise FormatError(
            Problem(
                f"unpacks to more than {limits.ratio} times its size, as a gzip bomb does;",
                name,
                advice=Advice("unpack it yourself if you trust it, or say {limits}", limits="ratio=1000"),
            )
        )


STANDARD_INPUT = "-"
HEAD_BYTES = 1 << 16
_SPECIAL = {
    stat.S_ISFIFO: "a named pipe",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISSOCK: "a socket",
}


@dataclass(frozen=True)
class Source:
    """One input before it is opened.

    name: as messages call it. stem: its file name without extensions, unique among the inputs of one reading;
    formats may take the name of an annotator or a document from it. prefix: stands before ids that a reader
    has to make up, so that those of several inputs differ. folder: the one it was found in, if any. opener:
    gives the bytes of a member of an archive. owner, document: whose labels and which document the file
    holds where the folders around it tell; an owner that is empty stands for gold. is_part: whether a pattern
    named it, so that it is a part of one corpus with whole documents.
    """

    name: str
    stem: str
    path: Path | None = None
    data: bytes | None = None
    folder: str | None = None
    prefix: str = ""
    opener: Callable[[], BinaryIO] | None = None
    owner: str | None = None
    document: str | None = None
    is_part: bool = False


@dataclass(frozen=True)
class Folder:
    """A folder and the files in it, those of subfolders too, hidden ones left out."""

    name: str
    stem: str
    members: tuple[Source, ...]


class Stream:
    """The unpacked bytes of one source: `head` to look at, then `blocks` once."""

    def __init__(self, name: str, handle: BinaryIO, limits: Limits) -> None:
        self.name = name
        self._handle = handle
        self._digest = hashlib.sha256()
        self._before = _fingerprint(handle)
        self.n_bytes = 0
        first = self._read(HEAD_BYTES)
        self.is_packed = first.startswith(GZIP_MARK)
        plain = _blocks(_with_first(first, self._read))
        self._blocks = unpack(_with_first(first, self._read), name, limits) if self.is_packed else plain
        self._waiting = next(self._blocks, b"")
        self.head = self._waiting[:HEAD_BYTES]

    def _read(self, size: int) -> bytes:
        try:
            data = self._handle.read(size)
        except OSError as error:
            raise FormatError(Problem(f"cannot be read ({error.strerror})", self.name)) from None
        self._digest.update(data)
        self.n_bytes += len(data)
        return data

    def blocks(self) -> Iterator[bytes]:
        """All bytes; at the end it is checked that the file stayed as it was."""
        if self._waiting:
            yield self._waiting
        yield from self._blocks
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        after = _fingerprint(self._handle)
        if self._before is None or after is None:
            return
        if after != self._before or after[0] != self.n_bytes:
            raise FormatError(
                Problem("changed while it was read, read it again when nobody writes to it", self.name)
            )

    @property
    def sha256(self) -> str:
        """Of the bytes read so far, as they stand in the file."""
        return self._digest.hexdigest()


def _with_first(first: bytes, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    waiting = [first]
    return lambda size: waiting.pop() if waiting else read(size)


def _blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while block := read(BLOCK_BYTES):
        yield block


def _fingerprint(handle: BinaryIO) -> tuple[int, int] | None:
    """Size and time of change of a regular file; nothing for a pipe or for memory."""
    try:
        found = os.fstat(handle.fileno())
    except (OSError, io.UnsupportedOperation):
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def open_source(source: Source, limits: Limits) -> Iterator[Stream]:
    """A stream on the source, closed at the end unless it is standard input."""
    if source.data is not None:
        yield Stream(source.name, io.BytesIO(source.data), limits)
    elif source.opener is not None:
        with source.opener() as handle:
            yield Stream(source.name, handle, limits)
    elif source.path is None:
        if sys.stdin is None or sys.stdin.closed:
            raise FormatError(Problem("standard input is closed, name a file or send one there", source.name))
        yield Stream(source.name, sys.stdin.buffer, limits)
    else:
        refuse_special(source.path, source.name)
        try:
            handle = source.path.open("rb", buffering=0)
        except OSError as error:
            raise FormatError(Problem(f"cannot be opened ({error.strerror})", source.name)) from None
        with handle:
            yield Stream(source.name, io.BufferedReader(handle, BLOCK_BYTES), limits)


def refuse_special(path: Path, name: str) -> None:
    """Only a regular file has a size, an end and a second look; anything else could block or never stop."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise MissingFileError(Missing("there is no such file", name)) from None
    except (OSError, ValueError) as error:
        raise FormatError(Problem(f"cannot be opened ({error})", name)) from None
    for is_kind, what in _SPECIAL.items():
        if is_kind(mode):
            raise FormatError(Problem(f"is {what}, not a file: send its content to standard input (-)", name))
    if stat.S_ISDIR(mode):
        raise FormatError(Problem("is a folder where a file is expected", name))


def stem_of(name: str) -> str:
    """`crowd.v2.jsonl.gz` to `crowd.v2`."""
    return PurePath(PurePath(name).name.removesuffix(".gz")).stem


_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")  # the second is that of an empty one


def is_archive(head: bytes) -> bool:
    """Whether bytes begin like a ZIP file."""
    return head.startswith(_ZIP_MARKS)


_OF_SPREADSHEETS = (b"xl/workbook", b"xl/worksheets/", b"xl/theme/", b"xl/sharedStrings", b"xl/styles")


def is_spreadsheet(head: bytes) -> bool:
    """Whether bytes begin like a workbook, which is a ZIP file but no folder."""
    return is_archive(head) and any(part in head for part in _OF_SPREADSHEETS)
