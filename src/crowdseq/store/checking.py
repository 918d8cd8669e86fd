"""verify and salvage: whether a database of decisions is sound, and what can be saved of one that is not."""

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from crowdseq.errors import AnnotationError, CrowdseqError
from crowdseq.storage.atomic import cannot_write, sync_file
from crowdseq.storage.presence import unused
from crowdseq.storage.private import private_path, remove_leftovers, sync_folder
from crowdseq.store.database import COLUMNS, DATABASE, JOURNALS, connect, connect_to_read
from crowdseq.store.entries import REDO, SALVAGE, UNDO, Entry, SentenceKey

_DAMAGED = "decisions.damaged-{0}.sqlite"
_MOST_TOLD = 20
_CHUNK = 200
_PAGE, _COUNTED_AT = 4096, slice(92, 96)


@dataclass(frozen=True)
class Soundness:
    """faults: what is wrong, nothing if the database is sound. entries: how many could be read."""

    faults: tuple[str, ...]
    entries: int

    @property
    def is_sound(self) -> bool:
        return not self.faults


@dataclass(frozen=True)
class Salvaged:
    """What was saved of a damaged database: how many entries, the numbers of those that were lost, and where
    the damaged file is kept."""

    saved: int
    lost: tuple[int, ...]
    kept: Path

    def in_words(self) -> str:
        lost = ", ".join(map(str, self.lost[:_MOST_TOLD])) + (", …" if len(self.lost) > _MOST_TOLD else "")
        told = f"lost are {len(self.lost):,} (number {lost})" if self.lost else "no gap was found"
        return (
            f"{self.saved:,} entries were saved, {told}; entries after number "
            f"{self.saved + len(self.lost):,}, if there were any, are lost too; the damaged file is kept as "
            f"{self.kept.name}"
        )


def verify(folder: str | Path) -> Soundness:
    """Whether the database of a run is sound and its log consistent; nothing is changed or raised."""
    path = Path(folder) / DATABASE
    try:
        with closing(connect_to_read(path)) as made:
            faults = [row[0] for row in made.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
            if faults:
                return Soundness(tuple(faults), 0)
            if not made.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return Soundness((), 0)
            entries = [Entry.of_row(row) for row in made.execute(f"SELECT {COLUMNS} FROM log ORDER BY seq")]
    except (CrowdseqError, sqlite3.Error, ValueError, TypeError) as error:
        return Soundness((str(error),), 0)
    return Soundness(tuple(_inconsistencies(entries)), len(entries))


def _inconsistencies(entries: Sequence[Entry]) -> Iterator[str]:
    """What the log says that cannot be; gaps that a salvage told of are known."""
    lost = {number for entry in entries if entry.action == SALVAGE for number in entry.shown["lost"]}
    numbers = {entry.seq for entry in entries}
    gaps = set(range(1, max(numbers, default=0) + 1)) - numbers - lost
    if gaps:
        yield f"{len(gaps)} entries are missing, the first is number {min(gaps)}"
    seen: set[str] = set()
    versions: Counter[SentenceKey] = Counter()
    for entry in entries:
        seen.add(entry.id)
        if entry.action in (UNDO, REDO) and entry.target not in seen and not lost:
            yield f"entry {entry.seq} takes back one that is not there"
        if entry.version:
            if entry.version != versions[entry.key] + 1 and not lost:
                yield f"entry {entry.seq} has version {entry.version} after {versions[entry.key]}"
            versions[entry.key] = max(entry.version, versions[entry.key])


def salvage(folder: str | Path) -> Salvaged:
    """Write what can be read of a damaged database to a new one; the damaged file is kept beside it.

    Refused while somebody reviews the run.
    """
    place = Path(folder)
    with unused(place):
        return _salvage(place)


def _salvage(place: Path) -> Salvaged:
    path = place / DATABASE
    kept = _keep(path)
    # Should a salvage be killed half way, the damaged file that it kept holds more than the one in place.
    sources = sorted({*place.glob(_DAMAGED.format("*")), kept})
    entries = _distinct(entry for source in sources for entry in _readable(source))
    last = max((entry.seq for entry in entries), default=0)
    numbers = {entry.seq for entry in entries}
    known = {number for entry in entries if entry.action == SALVAGE for number in entry.shown["lost"]}
    lost = tuple(sorted(set(range(1, last + 1)) - numbers))
    note = _note(last + 1, [number for number in lost if number not in known], kept)
    part = private_path(path)
    try:
        _write(part, [*entries, note])
        for ending in JOURNALS:  # those of the damaged file would be taken for the new one's
            path.with_name(path.name + ending).unlink(missing_ok=True)
        part.replace(path)
        sync_folder(place)
    except OSError as error:
        raise cannot_write(str(path), error) from None
    finally:
        remove_leftovers(path)
        for ending in ("", *JOURNALS):
            part.with_name(part.name + ending).unlink(missing_ok=True)
    return Salvaged(len(entries), lost, kept)


def _note(seq: int, lost: Sequence[int], kept: Path) -> Entry:
    return Entry(
        seq=seq,
        id=f"salvage-{kept.stem}",
        time="",
        action=SALVAGE,
        key=SentenceKey(),
        reviewer="",
        run="",
        begin=0,
        end=0,
        marks=(),
        shown={"lost": list(lost), "kept": kept.name},
        comment="",
        batch="",
        base=None,
        version=0,
        target="",
    )


def _keep(path: Path) -> Path:
    """A copy of the damaged file and its journal under a name of their own."""
    number = 1
    while path.with_name(_DAMAGED.format(number)).exists():
        number += 1
    kept = path.with_name(_DAMAGED.format(number))
    try:
        for ending in ("-wal", ""):
            source, copy = path.with_name(path.name + ending), kept.with_name(kept.name + ending)
            if source.exists():
                shutil.copyfile(source, copy)
                os.chmod(copy, 0o600)
                sync_file(copy)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(str(kept), error) from None
    return kept


def _readable(source: Path) -> Iterator[Entry]:
    """Every entry of a damaged file that is as it was written."""
    with TemporaryDirectory() as spare:  # reading may write to the journal
        copy = Path(spare) / DATABASE
        for ending in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(source.with_name(source.name + ending), copy.with_name(copy.name + ending))
        if not _is_known(copy):
            _mend_first_page(copy)
        with suppress(sqlite3.Error), closing(sqlite3.connect(copy)) as made:
            made.execute("PRAGMA trusted_schema = OFF")
            for row in _rows(made):
                with suppress(AnnotationError, ValueError, TypeError):
                    yield Entry.of_row(row)


def _is_known(path: Path) -> bool:
    """Whether the log can be found in a file at all."""
    try:
        with closing(sqlite3.connect(path)) as made:
            made.execute("SELECT 1 FROM log LIMIT 0")
    except sqlite3.Error:
        return False
    return True


def _mend_first_page(path: Path) -> None:
    """Put the first page of a new database, which tells where tables begin, in place of a damaged one."""
    with TemporaryDirectory() as spare:
        fresh = Path(spare) / DATABASE
        connect(fresh).close()
        page = bytearray(fresh.read_bytes()[:_PAGE])
    page[_COUNTED_AT] = b"\xff" * 4  # so that pages are counted by the size of the file
    with path.open("r+b") as file:
        file.write(page)


def _rows(made: sqlite3.Connection) -> Iterator[Sequence[object]]:
    """The rows of the log, page by page, around what cannot be read."""
    first, unreadable = 1, 0
    while unreadable < _CHUNK:
        try:
            rows = made.execute(
                f"SELECT {COLUMNS} FROM log WHERE seq >= ? ORDER BY seq LIMIT {_CHUNK}", (first,)
            ).fetchall()
        except sqlite3.DatabaseError:
            rows = _single(made, first)
            unreadable = 0 if rows else unreadable + 1
            yield from rows
            first += 1
            continue
        if not rows:
            return
        unreadable = 0
        yield from rows
        first = int(rows[-1][0]) + 1


def _single(made: sqlite3.Connection, seq: int) -> list[Sequence[object]]:
    try:
        return made.execute(f"SELECT {COLUMNS} FROM log WHERE seq = ?", (seq,)).fetchall()
    except sqlite3.DatabaseError:
        return []


def _distinct(entries: Iterable[Entry]) -> list[Entry]:
    """Each entry once, in order; of two with one number the first found counts."""
    by_number: dict[int, Entry] = {}
    names: set[str] = set()
    for entry in entries:
        if entry.seq not in by_number and entry.id not in names:
            by_number[entry.seq] = entry
            names.add(entry.id)
    return [by_number[number] for number in sorted(by_number)]


def _write(part: Path, entries: Sequence[Entry]) -> None:
    """A database of these entries, on the disk."""
    marks = ", ".join("?" * (COLUMNS.count(",") + 1))
    with closing(connect(part)) as made:
        made.execute("BEGIN IMMEDIATE")
        made.executemany(f"INSERT INTO log ({COLUMNS}) VALUES ({marks})", (entry.row() for entry in entries))
        made.execute("COMMIT")
        made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sync_file(part)
