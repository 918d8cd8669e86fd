"""What a folder holds, by hash."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crowdseq.errors import FormatError
from crowdseq.storage.manifest import MANIFEST, Manifest, read_manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a").write_text("A")
    (tmp_path / "inner/b").write_text("BB")
    (tmp_path / MANIFEST).write_bytes(Manifest.of(tmp_path).encode())
    return tmp_path


def test_a_manifest_comes_back_as_it_was(folder: Path) -> None:
    found = read_manifest(folder)
    assert found == Manifest.of(folder)
    assert found is not None
    assert {name: entry.size for name, entry in found.files.items()} == {"a": 1, "inner/b": 2}
    assert found.problems(folder, found.files) == []


def test_a_folder_without_one_has_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "was changed or damaged": lambda path: path.write_text("XX"),
    "was changed": lambda path: path.write_text("B"),
    "is missing": Path.unlink,
    "is no file": make_folder,
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_told_with_the_file_and_what_to_do(folder: Path, what: str) -> None:
    DAMAGE[what](folder / "inner/b")
    manifest = read_manifest(folder)
    assert manifest is not None
    (problem,) = manifest.problems(folder, ["a", "inner/b"])
    assert problem.file == str(folder / "inner/b")
    assert problem.what.startswith(what)
    assert "learn again" in str(problem)


def test_a_file_that_was_added_is_told_if_it_is_asked_for(folder: Path) -> None:
    (folder / "c").write_text("")
    manifest = read_manifest(folder)
    assert manifest is not None
    assert manifest.problems(folder, ["a", "d"]) == []
    (problem,) = manifest.problems(folder, ["c"])
    assert "is not in manifest.json" in str(problem)


WRONG_FILES: list[object] = [
    [],
    {"a": 1},
    {"a": {}},
    {"a": {"size": "1", "sha256": "0" * 64}},
    {"a": {"size": 1}},
]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "x", "{}", "\0", "[" * 99_999, '{"format": "crowdseq-manifest", "version": 1}']
    + [json.dumps({"format": "crowdseq-manifest", "version": 1, "files": files}) for files in WRONG_FILES],
)
def test_a_damaged_manifest_is_one_line(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text)
    with pytest.raises(FormatError, match=r"manifest\.json: .*, restore it, or remove it"):
        read_manifest(folder)


def test_a_newer_manifest_asks_for_an_update(folder: Path) -> None:
    (folder / MANIFEST).write_text('{"format": "crowdseq-manifest", "version": 2, "files": {}}')
    with pytest.raises(FormatError, match="update crowdseq"):
        read_manifest(folder)
