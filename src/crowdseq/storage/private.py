"""A writer's own part beside its target, and the exchange that puts it in place."""

import ctypes
import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

from crowdseq.errors import Advice, CrowdseqError

PART, OLD = "part", "old"
_LONGEST_STEM = 100


def private_path(target: Path, ending: str = PART) -> Path:
    """A hidden name beside the target that no other process uses: who writes is part of it."""
    name = f".{_stem(target.name)}.{_here()}.{os.getpid()}.{secrets.token_hex(4)}.{ending}"
    return target.with_name(name)


def private_paths(target: Path, ending: str = PART) -> list[Path]:
    """All such names beside the target that are in use, whoever made them."""
    return [path for path, _, _ in _found(target, ending)]


def remove_leftovers(target: Path) -> None:
    """Remove the part files of this target whose writers died; those of other machines are left alone."""
    for path, machine, process in _found(target, PART):
        if machine == _here() and not is_running(process):
            with suppress(OSError):
                path.unlink()


def remove_tree(path: Path) -> None:
    """Remove a folder as far as it can be removed."""
    shutil.rmtree(path, ignore_errors=True)


def is_running(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def host_name() -> str:
    """What this machine calls itself."""
    return socket.gethostname()


def _stem(name: str) -> str:
    """The name of a target, cut so that the private name is not too long for the file system."""
    if len(name) <= _LONGEST_STEM:
        return name
    # Names that begin alike must not share their parts; with this a cut name is longer than any uncut one.
    digest = hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest()
    return f"{name[:_LONGEST_STEM]}.{digest}"


def _found(target: Path, ending: str) -> list[tuple[Path, str, int]]:
    stem = re.escape(_stem(target.name))
    pattern = re.compile(rf"\.{stem}\.([0-9a-f]{{8}})\.([0-9]{{1,10}})\.[0-9a-f]{{8}}\.{ending}")
    try:
        names = sorted(os.listdir(target.parent))
    except OSError:
        return []
    matches = ((name, pattern.fullmatch(name)) for name in names)
    return [(target.with_name(name), match[1], int(match[2])) for name, match in matches if match]


@cache
def _here() -> str:
    """A short name for this machine; containers on one machine number their processes apart."""
    try:
        numbering = os.readlink("/proc/self/ns/pid")
    except OSError:
        numbering = ""
    return hashlib.blake2b(f"{host_name()} {numbering}".encode(), digest_size=4).hexdigest()


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
        if target.exists():
            remove_tree(old)
            continue
        try:
            old.rename(target)
        except OSError as error:
            # The only copy there is: it stays, whatever happens to this writer.
            raise CrowdseqError(
                f"{target} was being replaced when its writer was killed, and {old} cannot get its name back "
                f"({error.strerror or error}),",
                Advice("rename it by hand"),
            ) from None


def sync_folder(folder: Path) -> None:
    """A rename is safe from a power cut only when its folder is on the disk too."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
