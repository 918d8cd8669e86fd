"""Manifest: what a folder holds, with the size and SHA-256 of every file, so that damage is seen."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq.errors import Advice, FormatError, Problem

MANIFEST = "manifest.json"
FORMAT, VERSION = "crowdseq-manifest", 1
_LARGEST = 64 * 2**20
_WITHOUT_IT = Advice("restore it, or remove it: the files are then only compared with each other")


@dataclass(frozen=True)
class Entry:
    """One file as it was written."""

    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "Entry":
        with path.open("rb") as file:
            return cls(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


@dataclass(frozen=True)
class Manifest:
    """File names, relative to the folder and with `/`, to what they held when the folder was written."""

    files: Mapping[str, Entry]

    @classmethod
    def of(cls, folder: Path) -> "Manifest":
        """What a folder holds now, the manifest itself aside."""
        names = sorted(files_below(folder) - {MANIFEST})
        return cls({name: Entry.of(folder / name) for name in names})

    def encode(self) -> bytes:
        """The content of `manifest.json`."""
        files = {name: {"size": entry.size, "sha256": entry.sha256} for name, entry in self.files.items()}
        content = {"format": FORMAT, "version": VERSION, "files": files}
        return json.dumps(content, ensure_ascii=True, indent=1).encode() + b"\n"

    @classmethod
    def decode(cls, content: bytes, path: Path) -> "Manifest":
        """What `encode` gave, again; anything else is a FormatError about the path."""
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            raise _fault(path, "is not JSON (cut short or changed)", _WITHOUT_IT) from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise _fault(path, "is no manifest of crowdseq", _WITHOUT_IT)
        if found.get("version") != VERSION:
            raise _fault(
                path,
                f"has version {found.get('version')!r}, this crowdseq reads {VERSION}",
                Advice("update crowdseq to open this folder"),
            )
        files = found.get("files")
        if not isinstance(files, dict) or not all(map(_is_entry, files.values())):
            raise _fault(path, "does not list sizes and SHA-256 of files", _WITHOUT_IT)
        return cls({name: Entry(entry["size"], entry["sha256"]) for name, entry in files.items()})

    def problems(self, folder: Path, names: Iterable[str]) -> list[Problem]:
        """A problem for each of these files that is not as the manifest says."""
        found = ((name, self._fault(folder / name, name)) for name in names)
        return [
            Problem(what, str(folder / name), advice=advice)
            for name, fault in found
            if fault is not None
            for what, advice in [fault]
        ]

    def _fault(self, path: Path, name: str) -> tuple[str, Advice] | None:
        entry = self.files.get(name)
        if entry is None:
            if not path.exists():
                return None
            return f"is not in {MANIFEST}, it was put there later", Advice("move it elsewhere")
        if not path.exists():
            return "is missing", Advice("restore it, or learn again")
        if not path.is_file():
            return "is no file", Advice("restore the file, or learn again")
        try:
            now = Entry.of(path) if path.stat().st_size == entry.size else None
        except OSError as error:
            return f"cannot be read ({error.strerror})", Advice("see to its rights and its disk")
        if now == entry:
            return None
        return (
            f"was changed or damaged after it was written (it is not what {MANIFEST} says)",
            Advice("restore it, or learn again; if the change is meant, remove {0}", MANIFEST),
        )


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder; None if there is none, as in folders of crowdseq 0.1.0."""
    path = folder / MANIFEST
    content = read_small_file(path, _LARGEST, lambda what: _fault(path, what, _WITHOUT_IT))
    return None if content is None else Manifest.decode(content, path)


def read_small_file(path: Path, largest: int, fault: Callable[[str], FormatError]) -> bytes | None:
    """The bytes of a regular file of limited size; None if there is none, `fault` for anything else."""
    try:
        if not path.is_file():
            if path.exists() or path.is_symlink():
                raise fault("is no file")
            return None
        if path.stat().st_size > largest:
            raise fault(f"is larger than {largest} bytes, so it was not written by crowdseq")
        return path.read_bytes()
    except OSError as error:
        raise fault(f"cannot be read ({error.strerror})") from None


def files_below(folder: Path) -> set[str]:
    """The names of all files below a folder, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _is_entry(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and type(value.get("size")) is int
        and isinstance(value.get("sha256"), str)
        and len(value["sha256"]) == 64
    )


def _fault(path: Path, what: str, advice: Advice) -> FormatError:
    return FormatError(Problem(what, str(path), advice=advice))
