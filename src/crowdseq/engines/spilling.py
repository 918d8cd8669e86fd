"""Spill: what a worker knows, on disk, so that it need not stay in memory or can be taken up by another.

Arrays lie in files that are mapped when the worker is loaded, so that loading costs next to nothing; what has
not changed since the last time is not written again. The state before the last is kept too: a call that was
cut short is made again from there.
"""

import io
import mmap
import os
import pickle
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.engines.shard_files import find_table, table_name
from crowdseq.storage.atomic import cannot_write
from crowdseq.storage.private import private_path

_ALIGNMENT = 64
_SMALL = 1 << 12  # bytes; smaller arrays go with the other things
_MANY_TEXTS = 256
_TEXT = 64  # bytes that a short text takes
_TEXTS_KEPT = 4_000_000
_KEPT = 2
_CHANGING = "+"  # marks a map whose arrays are in use


@dataclass(frozen=True)
class _Region:
    """Where the content of an array lies."""

    file: str
    offset: int
    size: int


@dataclass
class _Session:
    """One worker as it is in memory: where its arrays and its lists of texts lie on disk, if they do."""

    regions: dict[tuple[int, int], _Region] = field(default_factory=dict)
    tables: dict[int, tuple[tuple[str, ...], _Region]] = field(default_factory=dict)
    maps: dict[str, mmap.mmap] = field(default_factory=dict)

    def forget_compared(self) -> None:
        """Give files back that were only mapped to compare arrays with them."""
        self.maps = {name: mapped for name, mapped in self.maps.items() if name.endswith(_CHANGING)}


class Texts:
    """Lists of texts of workers on disk that stay in memory, as far as they are not too many: to read texts
    takes longer than to map arrays."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, _Region], tuple[str, ...]] = {}
        self._room = _TEXTS_KEPT

    def find(self, folder: Path, region: _Region) -> tuple[str, ...] | None:
        """Those of a place on disk, if they are here."""
        return self._kept.get((folder, region))

    def keep(self, folder: Path, region: _Region, texts: tuple[str, ...]) -> None:
        """If there is room."""
        if len(texts) <= self._room:
            self._kept[folder, region] = texts
            self._room -= len(texts)

    def forget(self, folder: Path) -> None:
        """What no file of a folder has any more."""
        for key in [key for key in self._kept if key[0] == folder and not (folder / key[1].file).exists()]:
            self._room += len(self._kept.pop(key))


class Spill:
    """The states of one worker in a folder, by the turn in which they came to be."""

    def __init__(self, folder: Path, texts: Texts | None = None) -> None:
        self._folder = folder
        self._texts = texts or Texts()
        self._session = _Session()

    def save(self, worker: object, turn: int) -> None:
        """Keep the worker as it is after a turn, and the state before it."""
        try:
            self._save(worker, turn)
        except OSError as error:
            raise cannot_write(str(self._folder), error) from None

    def _save(self, worker: object, turn: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{turn:08d}.arrays"
        target = self._folder / name
        part = private_path(target)
        content = io.BytesIO()
        with part.open("xb") as file:
            pickler = _Pickler(content, self._session, self._folder, name, file)
            pickler.dump(worker)
        os.replace(part, target)
        state = {"used": sorted(pickler.used), "worker": content.getvalue()}
        self._write(self._state(turn), pickle.dumps(state))
        self._session.regions, self._session.tables = pickler.regions, pickler.tables
        self._session.forget_compared()
        self._clear()

    def _write(self, target: Path, content: bytes) -> None:
        part = private_path(target)
        part.write_bytes(content)
        os.replace(part, target)

    def load(self, turn: int) -> Any:
        """The worker as it was before a turn; LookupError where no such state was kept."""
        kept = self.kept_before(turn)
        if kept is None:
            raise LookupError(str(self._folder))
        self._session = _Session()
        content = pickle.loads(self._state(kept).read_bytes())["worker"]
        return _Unpickler(io.BytesIO(content), self._session, self._folder, self._texts).load()

    def kept_before(self, turn: int) -> int | None:
        """The last turn before one of which the state was kept."""
        return max((kept for path in self._states() if (kept := int(path.stem)) < turn), default=None)

    def _state(self, turn: int) -> Path:
        return self._folder / f"{turn:08d}.state"

    def drop(self) -> None:
        """Forget where things of a worker lie that leaves the memory."""
        self._session = _Session()

    def _states(self) -> list[Path]:
        return sorted(self._folder.glob("*.state"))

    def _clear(self) -> None:
        """Remove states that are too old, and arrays that only they had."""
        states = self._states()
        for path in states[:-_KEPT]:
            path.unlink()
        used: set[str] = set()
        for path in states[-_KEPT:]:
            used.update(pickle.loads(path.read_bytes())["used"])
        unused = [path for path in self._folder.glob("*.arrays") if path.name not in used]
        for path in unused:
            path.unlink()
        if unused:
            self._texts.forget(self._folder)


class _Nowhere(io.RawIOBase):
    """Takes everything and keeps nothing."""

    def write(self, content: Any) -> int:
        return len(content)


class _Weigher(pickle.Pickler):
    """Adds up what arrays and long lists of texts take; those that many workers share count nothing."""

    def __init__(self) -> None:
        super().__init__(_Nowhere(), protocol=5)
        self.seen: dict[int, int] = {}

    def reducer_override(self, thing: Any) -> Any:
        if type(thing) is not np.ndarray or thing.nbytes < _SMALL or thing.dtype.hasobject:
            return NotImplemented
        self.seen[thing.ctypes.data] = thing.nbytes
        return int, ()

    def persistent_id(self, thing: Any) -> Any:
        if type(thing) is not tuple or len(thing) < _MANY_TEXTS or type(thing[0]) is not str:
            return None
        self.seen[id(thing)] = 0 if table_name(thing) is not None else _TEXT * len(thing)
        return 0


def megabytes_of(worker: object) -> float:
    """About what a worker takes of the memory."""
    weigher = _Weigher()
    weigher.dump(worker)
    return sum(weigher.seen.values()) / 1e6


class _Pickler(pickle.Pickler):
    """Arrays and long lists of texts go into a file of their own, if they are not on disk as they are."""

    def __init__(
        self, content: io.BytesIO, session: _Session, folder: Path, name: str, file: io.BufferedWriter
    ) -> None:
        super().__init__(content, protocol=5)
        self._session, self._folder, self._name, self._file = session, folder, name, file
        self.regions: dict[tuple[int, int], _Region] = {}
        self.tables: dict[int, tuple[tuple[str, ...], _Region]] = {}
        self.used = {name}

    def reducer_override(self, thing: Any) -> Any:
        if type(thing) is not np.ndarray or thing.nbytes < _SMALL or not thing.flags.c_contiguous:
            return NotImplemented
        if thing.dtype.hasobject:
            return NotImplemented
        region = self._region_of(thing)
        return _Array, (region, thing.dtype.str, thing.shape, thing.flags.writeable)

    def _region_of(self, array: NDArray[Any]) -> _Region:
        key = (array.ctypes.data, array.nbytes)
        region = self.regions.get(key) or self._session.regions.get(key)
        if region is None or not self._is_same(array, region):
            region = self._append(array.reshape(-1).view(np.uint8).data)
        self.regions[key] = region
        self.used.add(region.file)
        return region

    def _is_same(self, array: NDArray[Any], region: _Region) -> bool:
        """Whether the file still holds what the array does: an address alone proves nothing."""
        if region.file == self._name:
            return True
        written = _mapped(self._session, self._folder, region)
        return np.array_equal(array.reshape(-1).view(np.uint8), np.frombuffer(written, np.uint8))

    def _append(self, content: memoryview | bytes) -> _Region:
        self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))
        region = _Region(self._name, self._file.tell(), len(content))
        self._file.write(content)
        return region

    def persistent_id(self, thing: Any) -> Any:
        if type(thing) is not tuple or len(thing) < _MANY_TEXTS or type(thing[0]) is not str:
            return None
        if (name := table_name(thing)) is not None:
            return name
        known = self.tables.get(id(thing)) or self._session.tables.get(id(thing))
        region = known[1] if known else self._append(pickle.dumps(thing))
        self.tables[id(thing)] = (thing, region)
        self.used.add(region.file)
        return region


@dataclass(frozen=True)
class _Array:
    """What stands for an array in a state; made into the array when that is loaded."""

    region: _Region
    kind: str
    shape: tuple[int, ...]
    writable: bool


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: io.BytesIO, session: _Session, folder: Path, texts: "Texts") -> None:
        super().__init__(content)
        self._session, self._folder, self._texts = session, folder, texts

    def find_class(self, module: str, name: str) -> Any:
        if name == _Array.__name__ and module == _Array.__module__:
            # No method: what was loaded would refer to itself, and stay until it is collected.
            return partial(_load_array, self._session, self._folder)
        return super().find_class(module, name)

    def persistent_load(self, name: Any) -> Any:
        if not isinstance(name, _Region):
            return find_table(name)
        thing = self._texts.find(self._folder, name)
        if thing is None:
            thing = pickle.loads(_mapped(self._session, self._folder, name))
            self._texts.keep(self._folder, name, thing)
        self._session.tables[id(thing)] = (thing, name)
        return thing


def _load_array(
    session: _Session, folder: Path, region: _Region, kind: str, shape: tuple[int, ...], writable: bool
) -> NDArray[Any]:
    content = _mapped(session, folder, region, changing=True)
    array = np.frombuffer(content, kind).reshape(shape)
    array.setflags(write=writable)
    session.regions[(array.ctypes.data, array.nbytes)] = region
    return array


def _mapped(session: _Session, folder: Path, region: _Region, *, changing: bool = False) -> memoryview:
    """The content of a region; changing: what is written to it stays in memory."""
    key = region.file + (_CHANGING if changing else "")
    if key not in session.maps:
        access = mmap.ACCESS_COPY if changing else mmap.ACCESS_READ
        with (folder / region.file).open("rb") as file:
            session.maps[key] = mmap.mmap(file.fileno(), 0, access=access)
    return memoryview(session.maps[key])[region.offset : region.offset + region.size]
