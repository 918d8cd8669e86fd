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
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.engines.shard_files import find_table, table_name
from crowdseq.storage.private import private_path

_ALIGNMENT = 64
_SMALL = 1 << 12  # bytes; smaller arrays go with the other things
_MANY_TEXTS = 256
_KEPT = 2


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


class Spill:
    """The states of one worker in a folder, by the turn in which they came to be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session = _Session()

    @property
    def bytes_on_disk(self) -> int:
        """What its files take."""
        return sum(path.stat().st_size for path in self._folder.iterdir()) if self._folder.exists() else 0

    def save(self, worker: object, turn: int) -> None:
        """Keep the worker as it is after a turn, and the state before it."""
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
        self._write(self._folder / f"{turn:08d}.state", pickle.dumps(state))
        self._session.regions, self._session.tables = pickler.regions, pickler.tables
        self._clear()

    def _write(self, target: Path, content: bytes) -> None:
        part = private_path(target)
        part.write_bytes(content)
        os.replace(part, target)

    def load(self, turn: int) -> Any:
        """The worker as it was before a turn; LookupError where no such state was kept."""
        for path in reversed(self._states()):
            if int(path.stem) < turn:
                self._session = _Session()
                content = pickle.loads(path.read_bytes())["worker"]
                return _Unpickler(io.BytesIO(content), self._session, self._folder).load()
        raise LookupError(str(self._folder))

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
        for path in self._folder.glob("*.arrays"):
            if path.name not in used:
                path.unlink()


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
    def __init__(self, content: io.BytesIO, session: _Session, folder: Path) -> None:
        super().__init__(content)
        self._session, self._folder = session, folder

    def find_class(self, module: str, name: str) -> Any:
        if name == _Array.__name__ and module == _Array.__module__:
            return self._array
        return super().find_class(module, name)

    def _array(self, region: _Region, kind: str, shape: tuple[int, ...], writable: bool) -> NDArray[Any]:
        content = _mapped(self._session, self._folder, region, changing=True)
        array = np.frombuffer(content, kind).reshape(shape)
        array.setflags(write=writable)
        self._session.regions[(array.ctypes.data, array.nbytes)] = region
        return array

    def persistent_load(self, name: Any) -> Any:
        if not isinstance(name, _Region):
            return find_table(name)
        thing = pickle.loads(_mapped(self._session, self._folder, name))
        self._session.tables[id(thing)] = (thing, name)
        return thing


def _mapped(session: _Session, folder: Path, region: _Region, *, changing: bool = False) -> memoryview:
    """The content of a region; changing: what is written to it stays in memory."""
    key = f"{region.file}{'+' if changing else ''}"
    if key not in session.maps:
        access = mmap.ACCESS_COPY if changing else mmap.ACCESS_READ
        with (folder / region.file).open("rb") as file:
            session.maps[key] = mmap.mmap(file.fileno(), 0, access=access)
    return memoryview(session.maps[key])[region.offset : region.offset + region.size]
