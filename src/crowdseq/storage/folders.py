"""AtomicFolder: a folder written whole or not at all, by one process at a time."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from crowdseq.storage.atomic import AtomicFile, cannot_write, sync_file
from crowdseq.storage.locks import FolderLock
from crowdseq.storage.private import (
    private_path,
    private_paths,
    put_in_place,
    remove_tree,
    restore_old,
    sync_folder,
)


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
