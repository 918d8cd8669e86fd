"""FolderLock: one writer at a time for one target, and a clear word about who it is."""

import errno
import fcntl
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from crowdseq.errors import Advice, OutputBusyError
from crowdseq.storage.atomic import cannot_write
from crowdseq.storage.private import host_name, is_running

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
_LONGEST_NOTE = 4096


@dataclass(frozen=True)
class Writer:
    """Who holds a lock: process number, machine, and since when."""

    process: int
    host: str
    since: str

    @classmethod
    def here(cls) -> "Writer":
        return cls(os.getpid(), host_name(), datetime.now(UTC).isoformat(timespec="seconds"))

    @classmethod
    def of_note(cls, note: bytes) -> "Writer | None":
        """What a lock file says; None if it says nothing yet, or nothing that can be understood."""
        try:
            found = json.loads(note)
            process, host, since = found["pid"], found["host"], found["since"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if type(process) is not int or not isinstance(host, str) or not isinstance(since, str):
            return None
        return cls(process, host, since)

    def note(self) -> bytes:
        return json.dumps({"pid": self.process, "host": self.host, "since": self.since}).encode() + b"\n"

    def __str__(self) -> str:
        return f"process {self.process} on {self.host} since {self.since}"


class FolderLock:
    """Held from `with` to its end; a second writer is refused at once.

    The lock file beside the target says who holds it. The kernel drops the lock of a process that dies, so
    that what a dead process of this machine left is taken over. Of another machine nothing is known: there
    the file counts, and a person must remove it if it is stale. Where the file system knows no locks, who
    makes the file holds it.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f".{target.name}.lock")
        self._number = -1

    def __enter__(self) -> "FolderLock":
        try:
            while not self._try():
                pass
        except OSError as error:
            raise cannot_write(str(self.path), error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Removed while it is still held, so that nobody can take it in between.
        with suppress(OSError):
            self.path.unlink()
        os.close(self._number)

    def _try(self) -> bool:
        """Take the lock; False if its file was removed by its last holder meanwhile."""
        number, is_new = self._open()
        is_held = False
        try:
            is_held = self._is_ours(number, is_new)
            if is_held:
                self._sign(number)
                self._number = number
        except BaseException:
            is_held = False
            raise
        finally:
            if not is_held:
                os.close(number)
        return is_held

    def _open(self) -> tuple[int, bool]:
        """The lock file, and whether we made it: of many processes one does."""
        while True:
            with suppress(FileExistsError):
                return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), True
            with suppress(FileNotFoundError):  # removed by its holder meanwhile
                # A link to nothing is there and yet cannot be opened: it must not keep us here for ever.
                return os.open(self.path, os.O_RDWR | os.O_NOFOLLOW), False

    def _is_ours(self, number: int, is_new: bool) -> bool:
        has_locks = self._take(number)
        if not _is_file(number, self.path):
            return False
        if not has_locks and is_new:
            return True
        self._check_last(Writer.of_note(os.pread(number, _LONGEST_NOTE, 0)), has_locks)
        if not has_locks:
            self._remove_stale(number)
        return has_locks

    def _sign(self, number: int) -> None:
        """Say in the file who holds it; without a note it would stop everybody where there are no locks."""
        try:
            os.ftruncate(number, 0)
            os.pwrite(number, Writer.here().note(), 0)
        except BaseException:
            with suppress(OSError):
                self.path.unlink()
            raise

    def _remove_stale(self, number: int) -> None:
        """Remove the file of a dead writer, so that the next one is made by one process only."""
        # One process at a time, and only if the name is still that of the stale file: it may be that of
        # the next holder by now.
        guard = self.path.with_name(f"{self.path.name}.stale")
        try:
            os.close(os.open(guard, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            raise OutputBusyError(
                f"{self.target} is being taken over by another process",
                Advice("wait for it, or remove {0} if nobody writes there", guard),
            ) from None
        try:
            if _is_file(number, self.path):
                self.path.unlink()
        finally:
            guard.unlink()

    def _take(self, number: int) -> bool:
        """Ask the kernel; False where the file system knows no locks and only the note can tell."""
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._busy(Writer.of_note(os.pread(number, _LONGEST_NOTE, 0))) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return False
        return True

    def _check_last(self, last: Writer | None, is_sure: bool) -> None:
        """Whether the writer named in the file, if any, is gone for sure."""
        if last is None and is_sure:
            return
        if last is None:  # perhaps it was made this moment, and its note is being written
            raise OutputBusyError(
                f"{self.target} is being written by another process",
                Advice("wait for it, or remove {0} if nobody writes there", self.path),
            )
        if last.host != host_name():
            raise OutputBusyError(
                f"{self.target} is being written by {last}",
                Advice("wait for it, or remove {0} if it no longer runs there", self.path),
            )
        if not is_sure and is_running(last.process):
            raise self._busy(last)

    def _busy(self, writer: Writer | None) -> OutputBusyError:
        who = "another process" if writer is None else str(writer)
        return OutputBusyError(
            f"{self.target} is being written by {who}", Advice("wait for it or name another folder")
        )


def _is_file(number: int, path: Path) -> bool:
    """Whether an open file still has this name."""
    try:
        named = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(number), named)
