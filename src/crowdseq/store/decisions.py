"""DecisionStore: what reviewers decided in a run, kept beside it; saved when it says so, and never lost."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from crowdseq.errors import Advice, UsageError
from crowdseq.storage.presence import Presence
from crowdseq.store.database import COLUMNS, DATABASE, connect_to_read, database_fault
from crowdseq.store.entries import REDO, REFUSED, UNDO, Entry, NewDecision, SentenceKey
from crowdseq.store.replaying import Replay, SentenceState
from crowdseq.store.writing import LogWriter, OpenLog, read_newer


@dataclass(frozen=True)
class Conflict:
    """A decision that somebody else was quicker with: what was asked for, and what holds now."""

    asked: NewDecision
    state: SentenceState


class ConflictError(UsageError):
    """Sentences were decided by somebody else since they were looked at; nothing of the submission holds."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        self.conflicts = tuple(conflicts)
        count = len(self.conflicts)
        what = "this sentence was" if count == 1 else f"{count} of these sentences were"
        super().__init__(
            f"{what} changed by somebody else meanwhile", Advice("look at both and decide again")
        )


@dataclass(frozen=True)
class HistoryItem:
    """An entry of the log, and whether it still holds."""

    entry: Entry
    is_undone: bool


class DecisionStore:
    """The decisions of one run folder, open for reviewers; several threads and processes may use it at once.

    As long as it is open, nobody may replace the run.
    """

    def __init__(self, folder: Path, presence: Presence) -> None:
        self.folder, self.path = folder, folder / DATABASE
        self._presence = presence
        self._writer = LogWriter(self.path)
        self._lock = Lock()
        self._reader = connect_to_read(self.path)
        self._replay, self._seen = Replay(), -1

    @classmethod
    def open(cls, folder: str | Path) -> "DecisionStore":
        """The decisions of a run; a database is made if there is none."""
        place = Path(folder)
        presence = Presence.join(place)
        try:
            return cls(place, presence)
        except BaseException:
            presence.leave()
            raise

    def submit(self, decisions: Sequence[NewDecision]) -> tuple[Entry, ...]:
        """Log these, all or none, and give back their entries once they are on the disk.

        One whose id was logged before is not logged again: its entry is given back as it stands. A sentence
        that has another version than the decision was based on is a ConflictError.
        """
        asked = tuple(decisions)
        done, conflicts = self._writer.do(lambda log: _log(log, asked))
        if conflicts:
            raise ConflictError(conflicts)
        return done

    def undo(self, name: str, *, id: str, reviewer: str) -> tuple[Entry, ...]:
        """Take back an entry or a batch; gives what was logged for it. id: as that of a decision."""
        return self._writer.do(lambda log: _turn(log, UNDO, name, id, reviewer))

    def redo(self, name: str, *, id: str, reviewer: str) -> tuple[Entry, ...]:
        """Bring back what was undone."""
        return self._writer.do(lambda log: _turn(log, REDO, name, id, reviewer))

    def undo_last(self, *, id: str, reviewer: str) -> tuple[Entry, ...]:
        """Take back what this reviewer did last and has not taken back."""
        return self._writer.do(lambda log: _turn(log, UNDO, None, id, reviewer))

    def redo_last(self, *, id: str, reviewer: str) -> tuple[Entry, ...]:
        """Bring back what this reviewer undid last, unless they did something else since."""
        return self._writer.do(lambda log: _turn(log, REDO, None, id, reviewer))

    def state(self, key: SentenceKey) -> SentenceState:
        """What holds of a sentence now."""
        with self._lock:
            return self._fresh().state(key)

    def all_current(self) -> tuple[SentenceState, ...]:
        """The states of all sentences that something was logged on."""
        with self._lock:
            return tuple(self._fresh().states())

    def guideline(self) -> tuple[Entry, ...]:
        """The entries of the guideline that hold."""
        with self._lock:
            return self._fresh().guideline()

    def changed_after(self, seq: int) -> tuple[int, tuple[SentenceState, ...]]:
        """The number of the last entry now, and the sentences that changed after an earlier one."""
        with self._lock:
            replay = self._fresh()
            return replay.last, tuple(replay.state(key) for key in replay.changed_after(seq) if key.text)

    def group(self, name: str) -> tuple[Entry, ...]:
        """The entries of a batch, or the one of this id."""
        with self._lock:
            return tuple(self._fresh().group_of(name))

    def history(self, limit: int = 50, before: int | None = None) -> tuple[HistoryItem, ...]:
        """The newest entries first, those before a number if it is given."""
        query = f"SELECT {COLUMNS} FROM log WHERE seq < ? ORDER BY seq DESC LIMIT ?"
        with self._lock:
            replay = self._fresh()
            rows = self._reader.execute(query, (before or 2**62, limit)).fetchall()
            return tuple(_item(Entry.of_row(row), replay) for row in rows)

    def _fresh(self) -> Replay:
        """The states, with all that this and other processes have committed."""
        try:
            version = self._reader.execute("PRAGMA data_version").fetchone()[0]
            if version != self._seen:
                read_newer(self._reader, self._replay)
                self._seen = version
        except sqlite3.Error as error:
            raise database_fault(self.path, error) from None
        return self._replay

    def close(self) -> None:
        """Finish what was asked for and let others replace the run."""
        with self._lock:
            self._reader.close()
        self._writer.close()
        self._presence.leave()

    def __enter__(self) -> "DecisionStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_decisions(folder: str | Path) -> Replay:
    """What was decided in a run so far, without opening it for reviewers; empty if nothing was."""
    path, replay = Path(folder) / DATABASE, Replay()
    if not path.exists():
        return replay
    with closing(connect_to_read(path)) as made:
        try:
            has_log = made.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if has_log:
                read_newer(made, replay)
        except sqlite3.Error as error:
            raise database_fault(path, error) from None
    return replay


def _log(log: OpenLog, asked: Sequence[NewDecision]) -> tuple[tuple[Entry, ...], list[Conflict]]:
    replay = log.replay
    for one in asked:
        _check_repeated(one, replay.by_id.get(one.id))
    if len({one.id for one in asked}) != len(asked):
        raise UsageError("two decisions have the same id, give each one of its own")
    refused = [one for one in asked if one.id in replay.by_id and replay.by_id[one.id].action == REFUSED]
    new = [one for one in asked if one.id not in replay.by_id]
    stale = [one for one in new if one.base not in (None, replay.state(one.key).version)]
    for one in stale:
        log.append(**_fields(one), action=REFUSED, is_counted=False)
    if stale or refused:
        return (), [Conflict(one, replay.state(one.key)) for one in (*refused, *stale)]
    for one in new:
        log.append(**_fields(one), action=one.action)
    return tuple(replay.by_id[one.id] for one in asked), []


def _fields(asked: NewDecision) -> dict[str, Any]:
    names = ("id", "key", "reviewer", "run", "begin", "end", "marks", "shown", "comment", "batch", "base")
    return {name: getattr(asked, name) for name in names} | {"target": ""}


def _check_repeated(asked: NewDecision, held: Entry | None) -> None:
    """A repeated request must be the same request."""
    if held is None:
        return
    same = ("key", "begin", "end", "marks", "comment", "reviewer", "batch")
    is_same = all(getattr(asked, name) == getattr(held, name) for name in same)
    if not is_same or held.action not in (asked.action, REFUSED):
        raise UsageError(f"the id '{asked.id:.60}' was used for another decision, give each one of its own")


def _turn(log: OpenLog, action: str, name: str | None, id: str, reviewer: str) -> tuple[Entry, ...]:
    """Undo or redo, an entry of the log for each entry that it concerns."""
    replay = log.replay
    if f"{id}:0" in replay.by_id:  # asked before
        return tuple(one for one in replay.by_id.values() if one.batch == id and one.action == action)
    word = "undo" if action == UNDO else "redo"
    if name is None:
        name = replay.last_done(reviewer) if action == UNDO else replay.last_undone(reviewer)
    if name is None:
        raise UsageError(f"there is nothing to {word}")
    known = replay.group_of(name)
    if not known:
        raise UsageError(f"there is no decision '{name:.60}' to {word}")
    chosen = [one for one in known if one in _turnable(replay.state(one.key), action)]
    if not chosen:
        raise UsageError(f"the decision was {'undone' if action == UNDO else 'brought back'} before")
    return tuple(
        log.append(
            id=f"{id}:{number}",
            action=action,
            key=one.key,
            reviewer=reviewer,
            run=one.run,
            begin=one.begin,
            end=one.end,
            marks=(),
            shown={},
            comment="",
            batch=id,
            base=None,
            target=one.id,
        )
        for number, one in enumerate(chosen)
    )


def _turnable(state: SentenceState, action: str) -> tuple[Entry, ...]:
    return state.entries if action == UNDO else state.undone


def _item(entry: Entry, replay: Replay) -> HistoryItem:
    undone = replay.state(entry.key).undone
    return HistoryItem(entry, any(one.id == entry.id for one in undone))
