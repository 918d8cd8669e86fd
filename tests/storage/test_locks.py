"""One writer at a time."""

import errno
import fcntl
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from crowdseq.errors import CrowdseqError, OutputBusyError
from crowdseq.storage.folders import FolderLock
from crowdseq.storage.private import host_name


def note(path: Path, pid: int, host: str) -> None:
    path.write_text(json.dumps({"pid": pid, "host": host, "since": "2026-01-01T00:00:00+00:00"}))


def dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_second_writer_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "run"), pytest.raises(OutputBusyError) as told, FolderLock(tmp_path / "run"):
        pass
    first, since = str(told.value).split(" since ")
    assert first == f"{tmp_path / 'run'} is being written by process {os.getpid()} on {host_name()}"
    assert since.endswith(", wait for it or name another folder")


def test_a_lock_leaves_no_trace(tmp_path: Path) -> None:
    for _ in range(2):
        with FolderLock(tmp_path / "run"):
            assert [path.name for path in tmp_path.iterdir()] == [".run.lock"]
        assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from crowdseq.storage.folders import FolderLock\n"
        "lock = FolderLock(Path(sys.argv[1])); lock.__enter__(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run")], check=False)
    assert (tmp_path / ".run.lock").exists()
    with FolderLock(tmp_path / "run"):
        assert json.loads((tmp_path / ".run.lock").read_text())["pid"] == os.getpid()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"pid": "x", "host": 1, "since": 2}', "[" * 9999]
)
def test_a_note_that_says_nothing_stops_nobody(tmp_path: Path, content: str) -> None:
    (tmp_path / ".run.lock").write_text(content)
    with FolderLock(tmp_path / "run"):
        pass


def test_of_another_machine_a_person_must_decide(tmp_path: Path) -> None:
    note(tmp_path / ".run.lock", 7, "elsewhere")
    with (
        pytest.raises(OutputBusyError, match=r"by process 7 on elsewhere .*or remove .*\.run\.lock if it no"),
        FolderLock(tmp_path / "run"),
    ):
        pass
    assert (tmp_path / ".run.lock").exists()


@pytest.fixture(params=[errno.ENOLCK, errno.ENOTSUP])
def no_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that knows no locks."""

    def fail(*_: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", fail)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_in_the_file_system_the_note_decides(tmp_path: Path) -> None:
    with (
        FolderLock(tmp_path / "run"),
        pytest.raises(OutputBusyError, match=f"process {os.getpid()}"),
        FolderLock(tmp_path / "run"),
    ):
        pass
    note(tmp_path / ".run.lock", dead_process(), host_name())
    with FolderLock(tmp_path / "run"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_note_that_is_not_yet_written_counts(tmp_path: Path) -> None:
    (tmp_path / ".run.lock").touch()
    with (
        pytest.raises(OutputBusyError, match=r"or remove .*\.run\.lock if nobody writes there"),
        FolderLock(tmp_path / "run"),
    ):
        pass
    assert (tmp_path / ".run.lock").exists()


@pytest.mark.usefixtures("no_locks")
@pytest.mark.parametrize("is_stale", [False, True])
def test_without_locks_one_of_many_writers_gets_in(tmp_path: Path, is_stale: bool) -> None:
    if is_stale:
        note(tmp_path / ".run.lock", dead_process(), host_name())
    start, tried = Barrier(8), Barrier(8)

    def write(_: int) -> bool:
        start.wait(30)
        try:
            with FolderLock(tmp_path / "run"):
                tried.wait(30)
        except OutputBusyError:
            tried.wait(30)
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_note_that_cannot_be_written_stops_nobody_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(CrowdseqError, match="No space"), FolderLock(tmp_path / "run"):
            pass
    with FolderLock(tmp_path / "run"):
        pass


def test_a_link_in_the_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".run.lock").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CrowdseqError, match=r"\.run\.lock cannot be written"), FolderLock(tmp_path / "run"):
        pass


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_take_over_under_way_is_not_disturbed(tmp_path: Path) -> None:
    note(tmp_path / ".run.lock", dead_process(), host_name())
    (tmp_path / ".run.lock.stale").touch()
    with (
        pytest.raises(OutputBusyError, match=r"taken over .*\.run\.lock\.stale if"),
        FolderLock(tmp_path / "run"),
    ):
        pass
    assert (tmp_path / ".run.lock").exists()
