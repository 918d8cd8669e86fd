"""LogWriter: one thread that adds to the log, and answers only when what it added is on the disk."""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from crowdseq.errors import CrowdseqError, UsageError
from crowdseq.store.database import COLUMNS, connect, database_fault
from crowdseq.store.entries import Entry, SentenceKey
from crowdseq.store.replaying import Replay

Result = TypeVar("Result")
_MOST_AT_ONCE = 64  # submissions that share one commit, and so one wait for the disk
_INSERT = f"INSERT INTO log ({COLUMNS}) VALUES ({', '.join('?' * (COLUMNS.count(',') + 1))})"
_NEWER = f"SELECT {COLUMNS} FROM log WHERE seq > ? ORDER BY seq"


def read_newer(made: sqlite3.Connection, replay: Replay) -> None:
    """Let a replay catch up with the log."""
    for row in made.execute(_NEWER, (replay.last,)):
        replay.add(Entry.of_row(row))


class OpenLog:
    """The log inside a transaction: what stands in it, and a way to add to it."""

    def __init__(self, made: sqlite3.Connection, replay: Replay) -> None:
        self._made, self.replay = made, replay

    def append(self, *, key: SentenceKey, is_counted: bool = True, **fields: Any) -> Entry:
        """Add one entry; is_counted: whether it makes a new version of its sentence."""
        entry = Entry(
            seq=self.replay.last + 1,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            key=key,
            version=self.replay.state(key).version + 1 if is_counted else 0,
            **fields,
        )
        self._made.execute(_INSERT, entry.row())
        self.replay.add(entry)
        return entry


Job = Callable[[OpenLog], Any]


@dataclass(frozen=True)
class _Asked:
    job: Job
    answer: "Future[Any]"


class LogWriter:
    """Jobs in, answers out, in the order in which they came.

    A job looks at the log and adds to it; what it refuses it refuses before it adds anything. Several jobs
    may share a commit. Where that fails, none of them has happened, and each is told.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()
        self._made = connect(path)
        self._replay = Replay()
        try:
            read_newer(self._made, self._replay)
        except sqlite3.Error as error:
            self._made.close()
            raise database_fault(path, error) from None
        except BaseException:
            self._made.close()
            raise
        self._is_closed = False
        self._thread = Thread(target=self._serve, name="decisions", daemon=True)
        self._thread.start()

    def do(self, job: Callable[[OpenLog], Result]) -> Result:
        """What a job gives back, once it is on the disk."""
        if self._is_closed:
            raise UsageError(f"{self._path} is closed, open it again")
        answer: Future[Result] = Future()
        self._asked.put(_Asked(job, answer))
        return answer.result()

    def close(self) -> None:
        """Finish what was asked for, then close the file."""
        if not self._is_closed:
            self._is_closed = True
            self._asked.put(None)
            self._thread.join()

    def _serve(self) -> None:
        with closing(self._made):
            while True:
                jobs, is_last = self._next()
                if jobs:
                    self._commit(jobs)
                if is_last:
                    return

    def _next(self) -> tuple[list[_Asked], bool]:
        """All that waits, up to a bound; and whether nothing will follow."""
        jobs: list[_Asked] = []
        asked = self._asked.get()
        while asked is not None:
            jobs.append(asked)
            if len(jobs) == _MOST_AT_ONCE:
                return jobs, False
            try:
                asked = self._asked.get_nowait()
            except Empty:
                return jobs, False
        return jobs, True

    def _commit(self, jobs: Sequence[_Asked]) -> None:
        answers: list[tuple[Any, BaseException | None]] = []
        try:
            self._made.execute("BEGIN IMMEDIATE")
            read_newer(self._made, self._replay)
            log = OpenLog(self._made, self._replay)
            answers = [_outcome(one.job, log) for one in jobs]
            self._made.execute("COMMIT")
        except BaseException as error:  # whatever it is, nobody may wait for ever
            self._take_back()
            told = database_fault(self._path, error) if isinstance(error, sqlite3.Error) else error
            answers = [(None, told)] * len(jobs)
        for asked, (result, failure) in zip(jobs, answers, strict=True):
            if failure is None:
                asked.answer.set_result(result)
            else:
                asked.answer.set_exception(failure)

    def _take_back(self) -> None:
        """Forget a transaction that failed."""
        with suppress(sqlite3.Error):
            self._made.execute("ROLLBACK")
        self._replay = Replay()  # read anew with the next transaction


def _outcome(job: Job, log: OpenLog) -> tuple[Any, BaseException | None]:
    try:
        return job(log), None
    except CrowdseqError as error:  # refused before anything was added
        return None, error
