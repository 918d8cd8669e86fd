"""Files that are whole or not there, and never replaced unasked."""

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.errors import CrowdseqError, OutputExistsError, SettingsError, UsageError
from crowdseq.formats import list_formats, read, write
from crowdseq.storage.atomic import AtomicFile


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    file = AtomicFile(tmp_path / "f")
    file.handle.write(b"abc")
    assert not (tmp_path / "f").exists()
    file.commit()
    assert (tmp_path / "f").read_bytes() == b"abc"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(TypeError), AtomicFile(tmp_path / "f", force=True) as out:
        out.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert (tmp_path / "f").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_an_existing_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(OutputExistsError, match=r"f exists already, choose another name or say force="):
        AtomicFile(tmp_path / "f")
    with AtomicFile(tmp_path / "f", force=True) as out:
        out.write(b"new")
    assert (tmp_path / "f").read_bytes() == b"new"


def test_a_file_made_meanwhile_by_someone_else_is_kept(tmp_path: Path) -> None:
    file = AtomicFile(tmp_path / "f")
    file.handle.write(b"mine")
    (tmp_path / "f").write_bytes(b"theirs")
    with pytest.raises(OutputExistsError):
        file.commit()
    assert (tmp_path / "f").read_bytes() == b"theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(UsageError, match="is not a regular file"):
            AtomicFile(path, force=True)
    with pytest.raises(UsageError, match="is a folder, name a file to write to"):
        AtomicFile(tmp_path, force=True)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with AtomicFile(tmp_path / "link", force=True) as out:
        out.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_rights_are_kept_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"")
    (tmp_path / "old").chmod(0o640)
    with AtomicFile(tmp_path / "old", force=True) as out:
        out.write(b"x")
    with AtomicFile(tmp_path / "new") as out:
        out.write(b"x")
    (tmp_path / "usual").write_bytes(b"x")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["old"] == 0o640
    assert modes["new"] == modes["usual"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written, the folder .*nowhere does not exist"):
        AtomicFile(tmp_path / "nowhere" / "f")


def _fail_at(monkeypatch: pytest.MonkeyPatch, step: int, code: int) -> Callable[[], int]:
    """Let one operation on the disk fail, counting open, write, chmod, fsync, link and rename."""
    done = 0

    def counted(plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal done
            done += 1
            if done == step:
                raise OSError(code, os.strerror(code))
            return plain(*arguments, **options)

        return call

    class Handle:
        def __init__(self, plain: Any) -> None:
            self._plain = plain
            self.write, self.flush = counted(plain.write), counted(plain.flush)
            self.fileno, self.close = plain.fileno, plain.close
            self.closed = False

    plain_open = Path.open
    monkeypatch.setattr(Path, "open", counted(lambda *a, **o: Handle(plain_open(*a, **o))))
    for name in ("fsync", "link", "chmod"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    monkeypatch.setattr(Path, "replace", counted(Path.replace))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    return lambda: done


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("name", ["f.jsonl", "f.jsonl.gz"])
@pytest.mark.parametrize("force", [False, True])
def test_whatever_step_fails_the_file_is_old_or_new(
    tmp_path: Path, name: str, force: bool, code: int
) -> None:
    world = corpus("Ada/B-PER/O met/O/O")
    write(world, tmp_path / f"whole-{name}")
    new, old = (tmp_path / f"whole-{name}").read_bytes(), b"old" if force else None
    for step in range(1, 30):
        folder = tmp_path / str(step)
        folder.mkdir()
        if old is not None:
            (folder / name).write_bytes(old)
        with pytest.MonkeyPatch.context() as patch:
            count = _fail_at(patch, step, code)
            try:
                write(world, folder / name, force=force)
            except CrowdseqError as error:
                assert f"cannot be written ({os.strerror(code)})" in str(error)  # noqa: PT017
            done = count()
        found = (folder / name).read_bytes() if (folder / name).exists() else None
        assert found in (old, new)
        if done < step:
            assert step > 5
            assert found == new
            return
    raise AssertionError("the operation never came to its end")


def test_a_corpus_goes_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write(corpus("Ada/B-PER/O"), "-", format="jsonl")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.startswith(b'{"crowdseq":1,"id":"s1"')


def test_a_name_that_tells_no_format_needs_one(tmp_path: Path) -> None:
    able = ", ".join(form.name for form in list_formats() if form.write or form.write_folder)
    with pytest.raises(SettingsError, match=rf"does not tell a format, say it with format= \({able}\)"):
        write(corpus("a/O"), tmp_path / "out.xyz")
    with pytest.raises(SettingsError, match="format 'docx' is unknown, choose one of jsonl, "):
        write(corpus("a/O"), tmp_path / "out", format="docx")
    with pytest.raises(SettingsError, match="a corpus cannot be written as text, choose one of jsonl, conll"):
        write(corpus("a/O"), tmp_path / "out.txt")


def test_a_folder_of_other_things_is_never_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    write(corpus("a/O/O"), folder)
    with pytest.raises(OutputExistsError, match="out exists already"):
        write(corpus("a/O/O"), folder)
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"holds other files too \(thesis.tex\)"):
        write(corpus("a/O/O"), folder, force=True)
    (folder / "thesis.tex").unlink()
    world = corpus("b/O/O/O")
    write(world, folder, force=True)
    assert read(folder).corpus == world


def test_a_folder_that_fails_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x"], annotations={"w": ["?"]}))
    with pytest.raises(CrowdseqError, match="CoNLL cannot hold the label"):
        write(builder.build("plain"), tmp_path / "out", "conll-folder")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 250 + ".jsonl", "a\0b.jsonl"])
def test_a_name_that_the_disk_cannot_hold_is_refused_without_a_traceback(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write(corpus("a/O"), f"{tmp_path}/{name}", format="jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_moved_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = corpus("a/O/O")
    write(world, tmp_path / "out", format="conll-folder")
    plain = Path.rename

    def rename(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return plain(path, target)

    # A file system without an exchange in one step.
    monkeypatch.setattr("crowdseq.storage.private.swapped", lambda *_: False)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(CrowdseqError, match="cannot be written"):
        write(corpus("b/O/O"), tmp_path / "out", force=True)
    assert read(tmp_path / "out").corpus == world
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
