"""AtomicFile: a file written whole or not at all, beside its target first, then moved into place.

Folders are written in the same way by `folders.AtomicFolder`, one writer at a time by `locks.FolderLock`.
"""

import errno
import gzip
import json
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, cast

from crowdseq.errors import Advice, CrowdseqError, OutputExistsError, UsageError
from crowdseq.storage.private import private_path, remove_leftovers, sync_folder

STANDARD_OUTPUT = "-"  # in place of a file name
_USER_CAN_MEND = frozenset(
    {
        errno.EACCES,
        errno.EISDIR,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)


def standard_output() -> BinaryIO:
    """Where bytes go to standard output; one that is closed, or that of a notebook, takes none."""
    if sys.stdout is None or sys.stdout.closed:
        raise UsageError("standard output is closed,", Advice("name a file with {out}", out=""))
    if not hasattr(sys.stdout, "buffer"):
        raise UsageError("standard output takes only text here, name a file")
    return sys.stdout.buffer


class AtomicFile:
    """A file that appears under its name only when `commit` is reached; `.gz` names are packed.

    force: replace a file that exists. told_as: its name in messages, if another. Opened when first used, so
    that a file never used leaves no trace.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        told_as: str | os.PathLike[str] | None = None,
    ) -> None:
        self._name = os.fspath(path if told_as is None else told_as)
        check_free(os.fspath(path), force=force)
        # A link stays a link: what it points to is replaced.
        self._target = Path(os.path.realpath(path))
        self._force = force
        self._part = private_path(self._target)
        self._raw: BinaryIO | None = None
        self._packed: gzip.GzipFile | None = None

    @property
    def handle(self) -> BinaryIO:
        """Where the bytes go."""
        if self._raw is None:
            try:
                self._open()
            except OSError as error:
                self.discard()
                raise cannot_write(self._name, error) from None
        return cast(BinaryIO, self._packed or self._raw)

    def _open(self) -> None:
        remove_leftovers(self._target)
        self._raw = self._part.open("xb", buffering=1 << 20)
        if self._target.name.endswith(".gz"):
            # No time and no name inside, so that equal content gives equal bytes.
            self._packed = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)

    def write_json(self, value: Any) -> None:
        """One value as one line."""
        line = json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self.handle.write(line.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise cannot_write(self._name, error) from None

    def commit(self) -> None:
        """Bring the file into place; nothing happens when nothing was opened."""
        if self._raw is None:
            return
        try:
            if self._packed is not None:
                self._packed.close()
            self._raw.flush()
            self._keep_mode()
            os.fsync(self._raw.fileno())
            self._raw.close()
            self._put_in_place()
            sync_folder(self._target.parent)
        except OSError as error:
            self.discard()
            raise cannot_write(self._name, error) from None
        self._raw = self._packed = None

    def _keep_mode(self) -> None:
        with suppress(
            OSError
        ):  # a new file has no mode to keep, and that of another's file may not be ours to set
            os.chmod(self._part, stat.S_IMODE(self._target.stat().st_mode))

    def _put_in_place(self) -> None:
        if self._force:
            self._part.replace(self._target)
            return
        try:
            os.link(
                self._part, self._target
            )  # fails if someone made the file meanwhile, as a rename would not
        except FileExistsError:
            self.discard()
            raise exists_already(self._name) from None
        except OSError:  # a file system without hard links
            if self._target.exists():
                self.discard()
                raise exists_already(self._name) from None
            self._part.replace(self._target)
        else:
            with suppress(OSError):
                self._part.unlink()

    def discard(self) -> None:
        """Forget what was written."""
        for handle in (self._packed, self._raw):
            if handle is not None:
                with suppress(OSError, ValueError):
                    handle.close()
        if self._raw is not None:
            with suppress(OSError):
                self._part.unlink()
        self._raw = self._packed = None

    def __enter__(self) -> BinaryIO:
        return self.handle

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.commit()
            return
        self.discard()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise cannot_write(self._name, error) from None


def check_free(name: str, *, force: bool) -> None:
    """Whether a file may be written here."""
    is_there = _is_there(name)
    if os.path.exists(name) and not os.path.isfile(name):
        what = "a folder" if os.path.isdir(name) else "not a regular file"
        raise UsageError(f"{name} is {what}, name a file to write to")
    if is_there and not force:
        raise exists_already(name)
    folder = os.path.dirname(name) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"{name} cannot be written, the folder {folder} does not exist")


def _is_there(name: str) -> bool:
    try:
        os.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise cannot_write(name, error) from None
    except ValueError:
        raise UsageError(f"{name!r} cannot be written, no name of a file holds a NUL") from None
    return True


def exists_already(name: str) -> OutputExistsError:
    return OutputExistsError(
        f"{name} exists already", Advice("choose another name or say {force} to replace it", force="")
    )


def cannot_write(name: str, error: OSError) -> CrowdseqError:
    """The one line for a failed write, whatever failed."""
    kind = UsageError if error.errno in _USER_CAN_MEND else CrowdseqError
    return kind(f"{name} cannot be written ({error.strerror or error}), nothing was changed there")


def sync_file(path: Path) -> None:
    """Make sure that a file is on the disk."""
    with path.open("rb") as handle:
        os.fsync(handle.fileno())
