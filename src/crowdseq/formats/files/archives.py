"""ZIP files as folders: members are read in memory by name, under limits, and never extracted."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.files.sources import Folder, Source, Stream, stem_of
from crowdseq.formats.settings import Limits

_ENTRY_MARK = b"PK\x01\x02"
_ENCRYPTED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def open_archive(stream: Stream, source: Source, limits: Limits) -> Folder:
    """The members of a ZIP as a folder whose files are unpacked when they are opened."""
    parts: list[bytes] = []
    for block in stream.blocks():
        parts.append(block)
        if stream.n_bytes > limits.unpacked_bytes:
            raise FormatError(
                Problem(f"is longer than {limits.unpacked_bytes:,} bytes, split it", source.name)
            )
    return archive_folder(b"".join(parts), source, limits)


def archive_folder(data: bytes, source: Source, limits: Limits) -> Folder:
    """The same for bytes; also for an archive inside another one."""
    # Marks are counted before the list is read, because a list of millions would fill the memory.
    n_entries = data.count(_ENTRY_MARK)
    if n_entries > limits.members:
        raise _refused(source, f"holds {n_entries:,} files, more than {limits.members:,}: split it")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = sorted(archive.infolist(), key=lambda entry: entry.filename)
    except _DAMAGED as error:
        raise _refused(source, f"the ZIP is damaged ({error}), fetch the file again") from None
    for entry in entries:
        _check(entry, source)
    files = [entry for entry in entries if not _is_folder(entry) and not _is_hidden(_path(entry))]
    _check_unique(files, source)
    budget = _Budget(source.name, limits, len(data))
    members = tuple(_member(archive, entry, source, budget) for entry in files)
    return Folder(source.name, source.stem, members)


class _Budget:
    """What all members of one archive may unpack to together."""

    def __init__(self, name: str, limits: Limits, packed: int) -> None:
        self.name, self.limits, self.packed, self.unpacked = name, limits, packed, 0

    def spend(self, n_bytes: int, member: str) -> None:
        self.unpacked += n_bytes
        limits = self.limits
        if self.unpacked > limits.unpacked_bytes:
            what = f"unpacks to more than {limits.unpacked_bytes:,} bytes, unpack it yourself and split it"
            raise FormatError(Problem(what, self.name, record=member))
        if self.unpacked > limits.ratio_after and self.unpacked > limits.ratio * self.packed:
            what = f"unpacks to more than {limits.ratio} times its size, as a ZIP bomb does;"
            advice = Advice("unpack it yourself if you trust it, or say {limits}", limits="ratio=1000")
            raise FormatError(Problem(what, self.name, record=member, advice=advice))


class _MemberReader(io.RawIOBase):
    """The bytes of one member, counted while they are unpacked, whatever the archive says about its size."""

    def __init__(self, handle: BinaryIO, name: str, budget: _Budget) -> None:
        self._handle, self._name, self._budget = handle, name, budget

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._handle.read(size)
        except _DAMAGED as error:
            what = f"the ZIP is damaged here ({error}), fetch the file again"
            raise FormatError(Problem(what, self._name)) from None
        self._budget.spend(len(data), self._name)
        return data

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._handle.close()
        super().close()


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: Source, budget: _Budget) -> Source:
    name = f"{source.name}/{_path(entry)}"
    opener: Callable[[], BinaryIO] = partial(_open, archive, entry, name, budget)
    return Source(name, stem_of(_path(entry)), folder=source.name, prefix=source.prefix, opener=opener)


def _open(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, budget: _Budget) -> BinaryIO:
    try:
        handle = archive.open(entry)
    except _DAMAGED as error:
        raise FormatError(Problem(f"cannot be unpacked ({error}), pack it as a plain ZIP", name)) from None
    return _MemberReader(handle, name, budget)  # type: ignore[arg-type, return-value]


def _path(entry: zipfile.ZipInfo) -> str:
    """Where a file stands in the archive; some tools on Windows part folders by backslashes."""
    return entry.filename.replace("\\", "/")


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    return _path(entry).endswith("/")


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part != ".." for part in name.split("/")) or name.startswith(
        "__MACOSX/"
    )


def _check(entry: zipfile.ZipInfo, source: Source) -> None:
    """Refuse what no honest tool writes: nothing is extracted, but such an archive is not to be trusted."""
    name = entry.filename
    if not name:
        raise _refused(source, "holds a file without a name, do not trust it")
    path, windows = PurePosixPath(name), PureWindowsPath(name)
    if path.is_absolute() or windows.drive or windows.root or ".." in path.parts or ".." in windows.parts:
        raise _refused(source, f"holds a file that would leave its folder ({name!a}), do not trust it")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise _refused(source, f"holds a symbolic link ({name!a}), pack the file itself")
    if entry.flag_bits & _ENCRYPTED:
        raise _refused(source, f"is encrypted ({name!a}), unpack it with its password first")


def _check_unique(entries: list[zipfile.ZipInfo], source: Source) -> None:
    seen: set[str] = set()
    for entry in entries:
        if _path(entry) in seen:
            raise _refused(source, f"holds the file {_path(entry)!a} twice, do not trust it")
        seen.add(_path(entry))


def _refused(source: Source, what: str) -> FormatError:
    return FormatError(Problem(what, source.name))
