"""Presence: who uses a folder keeps others from replacing it, for as long as the process lives."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crowdseq.errors import Advice, OutputBusyError, UsageError
from crowdseq.storage.atomic import cannot_write


@dataclass
class Presence:
    """The kernel's word that a folder is in use: shared by all who use it, and dropped when a process dies.

    The lock is on the folder itself, so that nothing is left behind.
    """

    folder: Path
    _number: int

    @classmethod
    def join(cls, folder: Path) -> "Presence":
        """Use a folder; refused while it is being replaced."""
        while True:
            number = _open(folder)
            try:
                fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(number)
                raise OutputBusyError(
                    f"{folder} is being replaced by another process",
                    Advice("wait for it, then open it again"),
                ) from None
            except OSError as error:
                os.close(number)
                raise cannot_write(str(folder), error) from None
            if _is_there(number, folder):
                return cls(folder, number)
            os.close(number)  # it was replaced between the two steps

    def leave(self) -> None:
        """Others may replace the folder again."""
        if self._number >= 0:
            os.close(self._number)
            self._number = -1


@contextmanager
def unused(folder: Path) -> Iterator[None]:
    """The right to replace a folder: refused while somebody uses it, and nobody may begin to meanwhile."""
    number = _open(folder)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputBusyError(
                f"{folder} is open in a review and would be replaced",
                Advice("close the review first or name another folder"),
            ) from None
        except OSError:
            pass  # a file system without locks, on which no review can be opened either
        yield
    finally:
        with suppress(OSError):
            os.close(number)


def _open(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UsageError(f"{folder} cannot be opened ({error.strerror})") from None


def _is_there(number: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(folder))
    except FileNotFoundError:
        return False
