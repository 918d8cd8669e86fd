"""The database file: how it is opened, what stands in it, and how an older one becomes a newer one."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from crowdseq.errors import Advice, CrowdseqError, FormatError, Problem, UsageError
from crowdseq.storage.atomic import cannot_write
from crowdseq.storage.private import sync_folder

DATABASE = "decisions.sqlite"
JOURNALS = ("-wal", "-shm")
SALVAGE_IT = Advice("run crowdseq check on the run folder, which saves what can be read")
COLUMNS = (
    "seq, decision, time, action, text, doc, sentence, reviewer, run, first, last, marks, shown, comment, "
    "batch, base, version, target, digest"
)
# One step from each version to the next; steps that were released are never changed.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY,
        decision TEXT NOT NULL UNIQUE,
        time TEXT NOT NULL,
        action TEXT NOT NULL,
        text TEXT NOT NULL,
        doc TEXT NOT NULL,
        sentence TEXT NOT NULL,
        reviewer TEXT NOT NULL,
        run TEXT NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        marks TEXT NOT NULL,
        shown TEXT NOT NULL,
        comment TEXT NOT NULL,
        batch TEXT NOT NULL,
        base INTEGER,
        version INTEGER NOT NULL,
        target TEXT NOT NULL,
        digest TEXT NOT NULL
    );
    CREATE UNIQUE INDEX log_version ON log (text, doc, sentence, version) WHERE version > 0;
    CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
    CREATE TRIGGER log_is_never_cut BEFORE DELETE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
    """,
)
_APPLICATION = 0x63726F77  # "crow": how the file is told from other databases
_PATIENCE = 60.0  # seconds to wait for another process that writes
_NO_ROOM = ("disk is full", "readonly", "unable to open", "disk i/o error")


def connect(path: Path, migrations: Sequence[str] = MIGRATIONS) -> sqlite3.Connection:
    """A connection that may write, to a database of today's form; a missing one is made, and is private."""
    _make_private(path)
    try:
        made = _raw_connection(str(path))
    except sqlite3.Error as error:
        raise database_fault(path, error) from None
    try:
        _prepare(made, path, migrations)
    except sqlite3.Error as error:
        made.close()
        raise database_fault(path, error) from None
    except BaseException:
        made.close()
        raise
    return made


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing; for a database of today's form or an older one."""
    try:
        made = _raw_connection(f"{path.absolute().as_uri()}?mode=ro", is_uri=True)
        made.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        # A folder that may not be written to has no room for the journal's index; without a journal there
        # is nothing that the file alone does not tell.
        journal = path.with_name(path.name + "-wal")
        if journal.exists() and journal.stat().st_size:
            raise database_fault(path, error) from None
        made = _raw_connection(f"{path.absolute().as_uri()}?mode=ro&immutable=1", is_uri=True)
    except sqlite3.Error as error:
        raise database_fault(path, error) from None
    try:
        _check_form(made, path, MIGRATIONS)
    except sqlite3.Error as error:
        made.close()
        raise database_fault(path, error) from None
    except BaseException:
        made.close()
        raise
    return made


def _raw_connection(name: str, *, is_uri: bool = False) -> sqlite3.Connection:
    made = sqlite3.connect(name, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=is_uri)
    # The file may come from anywhere: what its schema says is not run, and its cells are checked.
    made.execute("PRAGMA trusted_schema = OFF")
    made.execute("PRAGMA cell_size_check = ON")
    return made


def _make_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        sync_folder(path.parent)
    except FileExistsError:
        with suppress(OSError):  # another's file: not ours to close
            os.chmod(path, 0o600)
    except OSError as error:
        raise cannot_write(str(path), error) from None


def _prepare(made: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    _check_form(made, path, migrations)
    mode = made.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise UsageError(
            f"{path} is on a disk on which decisions cannot be kept safely (no write-ahead log, a network "
            "share most likely), copy the run folder to a local disk"
        )
    made.execute("PRAGMA synchronous = FULL")
    if _version(made) < len(migrations):
        _migrate(made, path, migrations)


def _check_form(made: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Refuse the database of a newer version, and one whose schema is not what we wrote."""
    version = _version(made)
    if version > len(migrations):
        raise FormatError(
            Problem("was written by a newer crowdseq", str(path), advice=Advice("update to open it"))
        )
    if _schema(made) != _schema_of(migrations[:version]):
        raise FormatError(
            Problem("is no database of decisions", str(path), advice=Advice("move it elsewhere"))
        )


def _version(made: sqlite3.Connection) -> int:
    return int(made.execute("PRAGMA user_version").fetchone()[0])


def _schema(made: sqlite3.Connection) -> list[tuple[str, ...]]:
    found = made.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return sorted((kind, name, table, " ".join(sql.split())) for kind, name, table, sql in found)


def _schema_of(migrations: Sequence[str]) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as made:
        for step in migrations:
            made.executescript(step)
        return _schema(made)


def _migrate(made: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Bring an older form to today's, in one transaction; the older one is kept beside it."""
    begun = _version(made)
    if begun:
        _back_up(made, path.with_name(f"{path.stem}.form-{begun}{path.suffix}"))
    made.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        for step in migrations[_version(made) :]:
            for statement in statements(step):
                made.execute(statement)
        made.execute(f"PRAGMA application_id = {_APPLICATION}")
        made.execute(f"PRAGMA user_version = {len(migrations)}")
        made.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            made.execute("ROLLBACK")
        raise


def statements(script: str) -> list[str]:
    """The single statements of a script, so that they can stand in one transaction."""
    found, held = [], ""
    for line in script.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            found.append(held.strip())
            held = ""
    return [*found, *([held.strip()] if held.strip() else [])]


def _back_up(made: sqlite3.Connection, copy: Path) -> None:
    if not copy.exists():
        _make_private(copy)
        with closing(sqlite3.connect(copy)) as kept:
            made.backup(kept)


def copy_database(source: Path, target: Path) -> None:
    """All that is committed, with what still stands in the journal, as one private file."""
    _make_private(target)
    try:
        with closing(connect_to_read(source)) as made, closing(sqlite3.connect(target)) as kept:
            _check_sound(made, source)
            made.backup(kept)
    except sqlite3.Error as error:
        raise database_fault(source, error) from None


def _check_sound(made: sqlite3.Connection, path: Path) -> None:
    found = made.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise FormatError(Problem(f"is damaged ({found})", str(path), advice=SALVAGE_IT))


def database_fault(path: Path, error: sqlite3.Error) -> CrowdseqError:
    """The one line for a failure of the database."""
    told = str(error)
    if "locked" in told or "busy" in told:
        return UsageError(f"{path} is being written by another process, try again")
    if any(words in told for words in _NO_ROOM):
        return CrowdseqError(f"{path} cannot be written ({told}), nothing was changed there")
    return FormatError(Problem(f"is damaged ({told})", str(path), advice=SALVAGE_IT))
