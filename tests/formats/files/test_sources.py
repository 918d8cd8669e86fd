"""Where bytes come from: what may be opened, what is watched meanwhile."""

import errno
import gzip
import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats.files import list_inputs
from crowdseq.formats.files.sources import Folder, Source, Stream, open_source, stem_of
from crowdseq.formats.settings import Limits


def content(source: Source, limits: Limits | None = None) -> bytes:
    with open_source(source, limits or Limits()) as stream:
        return b"".join(stream.blocks())


def file(tmp_path: Path, data: bytes, name: str = "f") -> Source:
    (tmp_path / name).write_bytes(data)
    return Source(name, name, tmp_path / name)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 3_000_000])
def test_all_bytes_come_out_in_order(tmp_path: Path, size: int) -> None:
    data = os.urandom(size).replace(b"\x1f\x8b", b"\x1f\x8c")
    assert content(file(tmp_path, data)) == data
    assert content(Source("m", "m", data=data)) == data


def test_the_head_is_seen_before_the_blocks(tmp_path: Path) -> None:
    with open_source(file(tmp_path, b"abc" * 100_000), Limits()) as stream:
        assert stream.head == (b"abc" * 100_000)[: 1 << 16]
        assert b"".join(stream.blocks()) == b"abc" * 100_000


def test_the_digest_is_that_of_the_bytes_on_disk(tmp_path: Path) -> None:
    packed = gzip.compress(b"hello\n" * 1000)
    with open_source(file(tmp_path, packed), Limits()) as stream:
        assert b"".join(stream.blocks()) == b"hello\n" * 1000
        assert (stream.n_bytes, stream.sha256) == (len(packed), hashlib.sha256(packed).hexdigest())


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a\nb"))))
    (source,) = list_inputs("-")
    assert isinstance(source, Source)
    assert content(source) == b"a\nb"


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FormatError, match=r"^no-such-file: there is no such file$"):
        content(Source("no-such-file", "x", Path("no-such-file")))


def test_a_name_with_a_nul_is_refused_without_a_traceback() -> None:
    with pytest.raises(FormatError, match="cannot be opened"):
        content(Source("a\0b", "x", Path("a\0b")))


def test_a_fifo_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        FormatError, match="pipe: is a named pipe, not a file: send its content to standard input"
    ):
        content(Source("pipe", "pipe", tmp_path / "pipe"))


def test_a_device_is_refused() -> None:
    with pytest.raises(FormatError, match="/dev/zero: is a device"):
        content(Source("/dev/zero", "zero", Path("/dev/zero")))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a folder where a file is expected"):
        content(Source("d", "d", tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    source = file(tmp_path, b"x")
    (tmp_path / "f").chmod(0)
    with pytest.raises(FormatError, match=r"f: cannot be opened \(Permission denied\)"):
        content(source)


@pytest.mark.parametrize("change", ["longer", "shorter", "touched"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, change: str) -> None:
    source = file(tmp_path, b"a" * 3_000_000)
    path = tmp_path / "f"

    def read_and_change() -> Iterator[bytes]:
        with open_source(source, Limits()) as stream:
            for number, block in enumerate(stream.blocks()):
                if number == 0 and change == "longer":
                    path.write_bytes(b"a" * 4_000_000)
                elif number == 0 and change == "shorter":
                    os.truncate(path, 1_500_000)
                elif number == 0:
                    os.utime(path, ns=(1, 1))
                yield block

    with pytest.raises(FormatError, match="f: changed while it was read"):
        list(read_and_change())


def test_an_error_of_the_disk_is_told() -> None:
    class Broken(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(FormatError, match=r"f: cannot be read \(Input/output error\)"):
        Stream("f", Broken(), Limits())


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a/crowd.v2.jsonl.gz", "crowd.v2"), ("x.conll", "x"), ("plain", "plain"), ("x.gz", "x")],
)
def test_a_stem_has_no_extensions(name: str, stem: str) -> None:
    assert stem_of(name) == stem


def test_a_folder_gives_its_files_in_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.conll", "a.conll", ".hidden", "sub/c.conll", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (folder,) = list_inputs(tmp_path)
    assert isinstance(folder, Folder)
    assert [member.stem for member in folder.members] == ["a", "b", "c"]
    assert {member.folder for member in folder.members} == {str(tmp_path)}


def test_inputs_of_one_name_are_told_apart_by_their_folders() -> None:
    found = list_inputs(["one/train.conll", "two/train.conll", "dev.conll"])
    assert [item.stem for item in found] == ["one/train", "two/train", "dev"]
    assert [item.prefix for item in found if isinstance(item, Source)] == ["one/train-", "two/train-", "dev-"]


def test_a_single_input_puts_nothing_before_its_ids() -> None:
    (source,) = list_inputs("train.conll")
    assert isinstance(source, Source)
    assert source.prefix == ""


def test_an_input_named_twice_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^a.jsonl: is given twice, name it once$"):
        list_inputs(["a.jsonl", "a.jsonl"])


def test_no_input_at_all_is_refused() -> None:
    with pytest.raises(FormatError, match="nothing was given to read"):
        list_inputs([])


def test_a_name_too_long_for_the_disk_is_refused_without_a_traceback() -> None:
    (source,) = list_inputs("x" * 5000)
    assert isinstance(source, Source)
    with pytest.raises(FormatError, match="cannot be opened"):
        content(source)


@pytest.mark.parametrize("locked", ["half", "half/b"])
def test_a_folder_that_may_not_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    for name in ("a", "b"):
        (tmp_path / "half" / name).mkdir(parents=True)
        (tmp_path / "half" / name / "d.ann").write_text("")
    monkeypatch.chdir(tmp_path)
    list_folder = os.scandir

    def refuse(path: str) -> Any:  # a mode would not do, since nothing is locked for root
        if str(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(FormatError) as caught:
        list_inputs("half")
    what = "the folder cannot be opened (Permission denied), make it readable or move it elsewhere"
    assert str(caught.value) == f"{locked}: {what}"
