"""Learning again: the new run beside the old one, what changed in it, and moving the review over to it."""

from pathlib import Path
from typing import Any

from crowdseq.methods import find_method
from crowdseq.store.entries import ASKED, Entry, NewDecision
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.workflows.recipes import settings_of
from crowdseq.workflows.reviewing.changes import read_changes

_SHOWN = 100


def holds_decisions(desk: ReviewDesk) -> bool:
    """Whether the method of a run can keep decided labels fixed while it learns."""
    return "gold" in settings_of(find_method(str(desk.settings["method"])))


def changes_view(folder: str | Path) -> dict[str, Any] | None:
    """What the labels of a run have otherwise than those of the run before; None for a first run."""
    found = read_changes(folder)
    if found is None:
        return None
    mentions, skills = found["mentions"], found["skills"]
    return {
        "places": sum(one["places"] for one in mentions),
        "mentions": mentions[:_SHOWN],
        "more": max(len(mentions) - _SHOWN, 0),
        "skills": [one for one in skills if round(one["before"], 2) != round(one["after"], 2)][:20],
    }


def carry_newer(old: ReviewDesk, new: ReviewDesk) -> int:
    """Log in the new run what was decided in the old one since the new one was made; gives how many.

    Entries keep their ids, so that doing it twice does it once.
    """
    entries: list[Entry] = []
    undone: list[Entry] = []
    for state in old.store.all_current():
        entries += [one for one in state.entries if one.action in ASKED]
        undone += state.undone
    entries += old.store.guideline()
    missing = [one for one in entries if not new.store.group(one.id)]
    if missing:
        new.store.submit([_same(one) for one in sorted(missing, key=lambda one: one.seq)])
    for one in undone:
        held = new.store.state(one.key).entries
        if any(other.id == one.id for other in held):
            new.store.undo(one.id, id=f"carried:{one.id:.80}", reviewer=one.reviewer)
    new.sync()
    return len(missing)


def _same(entry: Entry) -> NewDecision:
    names = ("id", "action", "key", "reviewer", "run", "begin", "end", "marks", "comment", "batch")
    return NewDecision(**{name: getattr(entry, name) for name in names}, shown=dict(entry.shown))
