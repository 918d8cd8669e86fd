"""AtomicFolder: a folder written whole or not at all; FolderLock: by one process at a time."""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from crowdseq.errors import Advice, OutputBusyError
from crowdseq.storage.atomic import AtomicFile, cannot_write, sync_file
from crowdseq.storage.private import (
    host_name,
    is_running,
    private_path,
    private_paths,
    put_in_place,
    remove_tree,
    restore_old,
    sync_folder,
)

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


class AtomicFolder:
    """A private folder beside the target, which gets the target's name when the `with` block ends well.

    What stood under that name stands there until then, and stays on any failure. Use it under the lock of
    the target (`claimed`), which also removes what killed processes left.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = private_path(target)

    def file(self, name: str) -> AtomicFile:
        """A file of the folder, told in messages by the name that it will have."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return AtomicFile(path, told_as=self.target / name)

    def write(self, name: str, content: bytes) -> None:
        """A file of the folder with this content."""
        with self.file(name) as out:
            out.write(content)

    def __enter__(self) -> "AtomicFolder":
        try:
            self.path.mkdir(parents=True)
        except OSError as error:
            raise cannot_write(str(self.target), error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                _sync_tree(self.path)
                put_in_place(self.path, self.target)
            elif isinstance(error, OSError):
                raise error
        except OSError as failure:
            raise cannot_write(self._told(failure), failure) from None
        finally:
            remove_tree(self.path)

    def _told(self, error: OSError) -> str:
        """The file that an error is about, by the name that it would have had."""
        name = str(error.filename or self.path)
        return name.replace(str(self.path), str(self.target))


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """The right to write a folder, for one process at a time; a second one is refused at once.

    What killed writers left is removed and undone first. Folders above the target are made, and removed
    again if they are not used.
    """
    made = _make_parents(target)
    try:
        with FolderLock(target):
            # Nobody else may write here now, so whatever is half written was left behind.
            restore_old(target)
            for path in private_paths(target):
                remove_tree(path)
            yield
    finally:
        for folder in made:
            with suppress(OSError):  # those that are in use stay
                folder.rmdir()


def _make_parents(target: Path) -> list[Path]:
    """Make the folders above a target; gives those that were missing, the innermost first."""
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(target), error) from None
    return missing


def _sync_tree(folder: Path) -> None:
    """Bring every file and every folder below to the disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            sync_folder(path)
        else:
            sync_file(path)
    sync_folder(folder)
