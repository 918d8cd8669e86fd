"""A finished folder gets its name: in one step where the file system can, else with the way back kept."""

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path

from crowdseq.storage.private import OLD, private_path, private_paths, remove_tree

_EXCHANGE = 2
_HERE = -100  # paths are relative to the current folder
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})


def put_in_place(part: Path, target: Path) -> None:
    """Rename a folder to its target; what stood there before is removed once the new one has its name.

    On failure the old folder stands as before.
    """
    if not target.exists():
        part.rename(target)
    elif swapped(part, target):
        sync_folder(target.parent)
        remove_tree(part)
    else:
        _replace_in_two_steps(part, target)
    sync_folder(target.parent)


def swapped(first: Path, second: Path) -> bool:
    """Let two folders change names in one step; False where the system or file system has no such step."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(second))


def _replace_in_two_steps(part: Path, target: Path) -> None:
    old = private_path(target, OLD)
    target.rename(old)
    try:
        part.rename(target)
    except BaseException:
        old.rename(target)
        raise
    remove_tree(old)


def restore_old(target: Path) -> None:
    """Undo what a process left that was killed between the two steps; call it under the lock only."""
    for old in private_paths(target, OLD):
        if not target.exists():
            with suppress(OSError):
                old.rename(target)
        remove_tree(old)


def sync_folder(folder: Path) -> None:
    """A rename is safe from a power cut only when its folder is on the disk too."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
