"""RunTarget: where a run is going to stand, held by one process from the first round to the last file."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from crowdseq.errors import Advice, OutputExistsError, UsageError
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.folders import claimed
from crowdseq.storage.manifest import MANIFEST
from crowdseq.storage.private import remove_tree

# In a folder of rounds: the run that they became, so that they are not taken for an unfinished one.
_FINISHED = "finished"


@dataclass(frozen=True)
class RunTarget:
    """The run folder to be, and beside it the folder where a long run keeps its rounds."""

    folder: Path

    @property
    def checkpoints(self) -> Path:
        return part_folder(self.folder)

    def note_finished(self, manifest: bytes) -> None:
        """Say in the folder of rounds, if there is one, which run they have become."""
        if self.checkpoints.is_dir():
            with AtomicFile(self.checkpoints / _FINISHED, force=True) as file:
                file.write(_digest(manifest))

    def drop_checkpoints(self) -> None:
        """Forget the rounds: the run stands in its place."""
        remove_tree(self.checkpoints)


@contextmanager
def open_target(folder: Path, *, force: bool = False, resume: bool = False) -> Iterator[RunTarget]:
    """The right to write a run here, found out before time is spent; an unfinished run is not dropped.

    A second process that wants the same folder is refused at once. force: replace a finished run, and drop
    an unfinished one unless resume is given. resume: go on with an unfinished one.
    """
    with _held(folder) as target:
        part = target.checkpoints
        if resume and not force and _is_run(target.folder) and not part.exists():
            raise OutputExistsError(
                f"{folder} is finished, nothing is left to resume;",
                Advice("name another folder or say {force}", force=""),
            )
        _check_free(folder, force)
        if part.exists() and not resume:
            if not force:
                raise OutputExistsError(
                    f"{part} holds an unfinished run:",
                    Advice("go on with {resume}, or start anew with {force}", resume="", force=""),
                )
            remove_tree(part)
        yield target


@contextmanager
def save_target(folder: Path, *, force: bool = False) -> Iterator[RunTarget]:
    """The same for a run that is learned already; rounds that were kept for it are dropped in the end."""
    with _held(folder) as target:
        _check_free(folder, force)
        yield target


def check_free(folder: Path, *, force: bool) -> None:
    """Whether a run may be written here."""
    _check_place(folder)
    _check_free(folder, force)


def part_folder(folder: Path) -> Path:
    """Where a long run keeps its rounds, beside the place where it will stand."""
    return folder.with_name(folder.name + ".part")


@contextmanager
def _held(folder: Path) -> Iterator[RunTarget]:
    _check_place(folder)
    # A link stays a link: what it points to is replaced.
    target = RunTarget(Path(os.path.realpath(folder)) if folder.is_symlink() else folder)
    with claimed(target.folder):
        _drop_finished(target)
        yield target


def _drop_finished(target: RunTarget) -> None:
    """Remove rounds whose run stands already: their process was killed before it could do so."""
    note, manifest = target.checkpoints / _FINISHED, target.folder / MANIFEST
    with suppress(OSError):
        if note.is_file() and manifest.is_file() and note.read_bytes() == _digest(manifest.read_bytes()):
            target.drop_checkpoints()


def _check_place(folder: Path) -> None:
    """Whether there can be a folder of this name at all."""
    if str(folder) == "-":
        raise UsageError(
            "a run is a folder and cannot go to standard output,", Advice("name one with {out}", out="")
        )
    if folder.name in ("", ".."):  # the run is prepared beside its place and moved there under its name
        raise UsageError(f"{folder} cannot become a run, name a folder for it such as {folder / 'run'}")
    if folder.exists() and not folder.is_dir():
        raise OutputExistsError(f"{folder} is a file, name a folder for the run")
    near = next(parent for parent in folder.absolute().parents if parent.exists())
    if not os.access(near, os.W_OK):
        raise UsageError(f"{folder} cannot be written, the folder {near} may not be written to")
    try:
        Path(mkdtemp(dir=near)).rmdir()  # some places may be written to by name only
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written ({error.strerror}), name a folder for the run elsewhere"
        ) from None


def _check_free(folder: Path, force: bool) -> None:
    if folder.exists() and not force:
        raise OutputExistsError(
            f"{folder} exists already", Advice("choose another folder or say {force} to replace it", force="")
        )
    if folder.exists() and not _is_run(folder) and any(folder.iterdir()):
        raise OutputExistsError(
            f"{folder} is no run folder, it will not be replaced", Advice("not even with {force}", force="")
        )


def _is_run(folder: Path) -> bool:
    return (folder / "settings.json").exists()


def _digest(manifest: bytes) -> bytes:
    return hashlib.sha256(manifest).hexdigest().encode()
