"""Replay: the state of every sentence, as the entries of the log make it, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from crowdseq.store.entries import (
    AUDIT,
    CARRY,
    COMMENT,
    ENTRY,
    GAP,
    REDO,
    REFUSED,
    SALVAGE,
    SETTLING,
    SKIP,
    UNDO,
    Entry,
    SentenceKey,
)


@dataclass(frozen=True, slots=True)
class SentenceState:
    """What holds of a sentence now. version: how many actions were logged on it.

    entries: those that are not undone, in their order; undone: the others.
    """

    key: SentenceKey
    version: int = 0
    entries: tuple[Entry, ...] = ()
    undone: tuple[Entry, ...] = ()

    @property
    def decisions(self) -> tuple[Entry, ...]:
        """Those that say what the labels are; a later one prevails where two overlap."""
        return tuple(entry for entry in self.entries if entry.action in SETTLING)

    @property
    def comments(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.comment and entry.action in (COMMENT, GAP))

    @property
    def skips(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.action == SKIP)

    @property
    def gaps(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.action == GAP)

    @property
    def is_audited(self) -> bool:
        return any(entry.action == AUDIT for entry in self.entries)


@dataclass(slots=True)
class _Hand:
    """What one reviewer did, in groups, and what of it they took back."""

    done: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)


class Replay:
    """Entries in, states out; not safe for several threads, who uses it holds a lock."""

    def __init__(self) -> None:
        self.last = 0
        self.by_id: dict[str, Entry] = {}
        self._states: dict[SentenceKey, SentenceState] = {}
        self._groups: dict[str, list[str]] = {}
        self._hands: dict[str, _Hand] = {}
        self._changed: dict[SentenceKey, int] = {}

    def add(self, entry: Entry) -> None:
        """The next entry of the log."""
        self.last = entry.seq
        self.by_id[entry.id] = entry
        if entry.action in (REFUSED, SALVAGE):
            return
        self._changed.pop(entry.key, None)
        self._changed[entry.key] = entry.seq  # last in the order of the dictionary
        state = self.state(entry.key)
        if entry.action in (UNDO, REDO):
            self._turn(state, entry)
            return
        self._groups.setdefault(entry.group, []).append(entry.id)
        self._states[entry.key] = SentenceState(
            entry.key, _version(entry, state), (*state.entries, entry), state.undone
        )
        self._note_done(entry)

    def _turn(self, state: SentenceState, entry: Entry) -> None:
        """Undo or redo one entry of a sentence."""
        is_undo = entry.action == UNDO
        here, there = (state.entries, state.undone) if is_undo else (state.undone, state.entries)
        moved = [one for one in here if one.id == entry.target]
        here = tuple(one for one in here if one.id != entry.target)
        there = tuple(sorted((*there, *moved), key=lambda one: one.seq))
        entries, undone = (here, there) if is_undo else (there, here)
        self._states[entry.key] = SentenceState(entry.key, _version(entry, state), entries, undone)
        for one in moved:
            self._note_turned(one.group, entry.reviewer, is_undo)

    def _note_done(self, entry: Entry) -> None:
        if entry.action == CARRY:  # nobody did that just now
            return
        hand = self._hands.setdefault(entry.reviewer, _Hand())
        if not hand.done or hand.done[-1] != entry.group:
            hand.done.append(entry.group)
            hand.undone.clear()

    def _note_turned(self, group: str, reviewer: str, is_undo: bool) -> None:
        for hand in self._hands.values():  # one may undo what another did
            if is_undo and group in hand.done:
                hand.done.remove(group)
        hand = self._hands.setdefault(reviewer, _Hand())
        if is_undo and group not in hand.undone:
            hand.undone.append(group)
        elif not is_undo:
            if group in hand.undone:
                hand.undone.remove(group)
            if group not in hand.done:
                hand.done.append(group)

    def state(self, key: SentenceKey) -> SentenceState:
        return self._states.get(key) or SentenceState(key)

    def states(self) -> Iterator[SentenceState]:
        """Every sentence that an action was logged on; entries of the guideline are no sentence."""
        return (state for key, state in self._states.items() if key.text)

    def guideline(self) -> tuple[Entry, ...]:
        """The entries of the guideline that are not undone."""
        found = self.state(SentenceKey())
        return tuple(entry for entry in found.entries if entry.action == ENTRY)

    def changed_after(self, seq: int) -> tuple[SentenceKey, ...]:
        """The sentences on which something was logged after this entry."""
        newest_first = reversed(self._changed.items())
        return tuple(key for key, _ in takewhile(lambda item: item[1] > seq, newest_first))

    def group(self, name: str) -> list[Entry]:
        """The entries of a batch, or the one entry of this id."""
        return [self.by_id[one] for one in self._groups.get(name, ())]

    def group_of(self, name: str) -> list[Entry]:
        """The same; a single entry of a batch may be named too."""
        known = self.group(name)
        return known or ([self.by_id[name]] if name in self.by_id else [])

    def last_done(self, reviewer: str) -> str | None:
        """What an undo of this reviewer would take back."""
        hand = self._hands.get(reviewer)
        return hand.done[-1] if hand and hand.done else None

    def last_undone(self, reviewer: str) -> str | None:
        """What a redo of this reviewer would bring again."""
        hand = self._hands.get(reviewer)
        return hand.undone[-1] if hand and hand.undone else None


def _version(entry: Entry, state: SentenceState) -> int:
    return max(entry.version, state.version)
