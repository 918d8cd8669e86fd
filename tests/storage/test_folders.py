"""A folder whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crowdseq.errors import CrowdseqError
from crowdseq.storage.folders import AtomicFolder, claimed
from crowdseq.storage.private import OLD, private_path, swapped


def written(folder: Path, text: str) -> None:
    with claimed(folder), AtomicFolder(folder) as made:
        made.write("inner/file", text.encode())


def content(folder: Path) -> str:
    return (folder / "inner/file").read_text()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def in_two_steps() -> Iterator[pytest.MonkeyPatch]:
    """A file system that cannot exchange two folders at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crowdseq.storage.private.swapped", lambda *_: False)
        yield patch


def test_a_folder_appears_when_it_is_whole_and_replaces_the_old_one(tmp_path: Path) -> None:
    written(tmp_path / "run", "old")
    with claimed(tmp_path / "run"), AtomicFolder(tmp_path / "run") as made:
        made.write("inner/file", b"new")
        assert content(tmp_path / "run") == "old"
    assert content(tmp_path / "run") == "new"
    assert names(tmp_path) == ["run"]


def test_two_folders_change_names_in_one_step(tmp_path: Path) -> None:
    written(tmp_path / "a", "A")
    written(tmp_path / "b", "B")
    if not swapped(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot exchange two folders")
    assert (content(tmp_path / "a"), content(tmp_path / "b")) == ("B", "A")


def test_where_there_is_no_such_step_two_are_taken(tmp_path: Path) -> None:
    written(tmp_path / "run", "old")
    with in_two_steps():
        written(tmp_path / "run", "new")
    assert content(tmp_path / "run") == "new"
    assert names(tmp_path) == ["run"]


def test_a_second_step_that_fails_is_undone(tmp_path: Path) -> None:
    written(tmp_path / "run", "old")
    plain = Path.rename

    def rename(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return plain(path, target)

    with in_two_steps() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(CrowdseqError, match=r"run cannot be written \(Input/output"):
            written(tmp_path / "run", "new")
    assert content(tmp_path / "run") == "old"
    assert names(tmp_path) == ["run"]


def test_the_old_folder_comes_back_after_a_kill_between_the_steps(tmp_path: Path) -> None:
    run = tmp_path / "run"
    written(run, "old")
    run.rename(private_path(run, OLD))
    private_path(run).mkdir()
    with claimed(run):
        assert content(run) == "old"
    assert names(tmp_path) == ["run"]


def test_an_old_folder_that_cannot_come_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    run = tmp_path / "run"
    written(run, "old")
    old = run.rename(private_path(run, OLD))
    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(CrowdseqError) as told, claimed(run):
        pass
    assert str(run) in str(told.value)
    assert str(old) in str(told.value)
    assert content(old) == "old"


def test_writers_of_long_names_that_begin_alike_leave_each_other_alone(tmp_path: Path) -> None:
    first, second = (tmp_path / ("x" * 100 + end) for end in ("-first", "-second"))
    with claimed(first), AtomicFolder(first) as made:
        made.write("inner/file", b"first")
        written(second, "second")
    assert (content(first), content(second)) == ("first", "second")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_names_the_file_by_its_final_name(
    tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(code, os.strerror(code))

    written(tmp_path / "run", "old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CrowdseqError) as told:
        written(tmp_path / "run", "new")
    monkeypatch.undo()
    file = tmp_path / "run" / "inner/file"
    assert str(told.value) == f"{file} cannot be written ({os.strerror(code)}), nothing was changed there"
    assert content(tmp_path / "run") == "old"
    assert names(tmp_path) == ["run"]


def test_folders_above_that_are_not_used_are_removed_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "a/b/run"):
        raise ZeroDivisionError
    assert names(tmp_path) == []
    written(tmp_path / "a/b/run", "new")
    assert content(tmp_path / "a/b/run") == "new"
