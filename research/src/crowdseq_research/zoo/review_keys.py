"""The keys that a place costs a reviewer who knows the right marks, counted as the pages have them."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crowdseq.errors import AnnotationError
from crowdseq.store.entries import Marks
from crowdseq.workflows.reviewing import editing

_MOST_LANES = 9  # as many as there are digits
_MOST_DRAFTS = 4_000


def keys_at_dispute(now: Marks, wanted: Marks, lanes: Sequence[Marks], place: tuple[int, int]) -> int | None:
    """Keys to settle a dispute as wanted, the one that saves it among them; None if no keys lead there.

    lanes: what those who saw the place say of it, in the order of their digits.
    """
    if now == wanted or not wanted or wanted in lanes[:_MOST_LANES]:
        return 1  # Enter, n, a digit
    edits = keys_to_edit(now, wanted, place)
    return None if edits is None else edits + 1


def keys_to_edit(
    now: Marks, wanted: Marks, place: tuple[int, int], wall: tuple[int, int] | None = None
) -> int | None:
    """The fewest keys from some marks to others: labels, edges, split, merge, and going to another mark.

    wall: tokens beyond which no mark may grow, as on the Mentions page, which has no key to another mark.
    """
    if now == wanted:
        return 0
    if not wanted:
        return 1
    begin = min([place[0], *(mark[0] for mark in (*now, *wanted))])
    end = max([place[1], *(mark[1] for mark in (*now, *wanted))])
    if wall and not (wall[0] <= begin and end <= wall[1]):
        return None
    labels = sorted({label for _, _, label in wanted})
    seen, waiting = {(now, 0)}, deque([(now, 0, 0)])
    while waiting and len(seen) < _MOST_DRAFTS:
        marks, at, keys = waiting.popleft()
        for made, then in _next_drafts(marks, at, labels, (begin, end), place):
            if wall and made == marks:
                continue
            if made == wanted:
                return keys + 1
            if (made, then) not in seen:
                seen.add((made, then))
                waiting.append((made, then, keys + 1))
    return None


def _next_drafts(
    marks: Marks, at: int, labels: Sequence[str], bounds: tuple[int, int], place: tuple[int, int]
) -> Iterator[tuple[Marks, int]]:
    """What one key makes of a draft, and the mark that is in hand then."""
    if not marks:
        yield from ((((*place, label),), 0) for label in labels)
        return
    first, last, _ = marks[at]
    for label in labels:
        yield (*marks[:at], (first, last, label), *marks[at + 1 :]), at
    for side in ("begin", "end"):
        for step in (-1, 1):
            made = editing.moved(marks, at, side, step, bounds[1])
            if len(made) == len(marks) and made[-1][0] >= bounds[0]:
                yield tuple(sorted(made)), at
    for act in (lambda: editing.split(marks, at, first + 1), lambda: editing.merged(marks, at)):
        made = _tried(act)
        if made:
            yield made, at + (len(made) > len(marks))
    yield from ((marks, other) for other in range(len(marks)) if other != at)


def _tried(act: Any) -> Marks:
    try:
        return tuple(sorted(act()))
    except AnnotationError:
        return ()


@dataclass(frozen=True)
class ShownPlace:
    """A place on the Mentions page; its key turns it from each of its readings to the next."""

    place: tuple[int, int]
    wall: tuple[int, int]
    readings: tuple[Marks, ...]
    wanted: Marks

    def with_all(self, label: str | None) -> "ShownPlace":
        """The place after a key that gives a label, or nothing, to all places of the screen."""
        first: Marks = () if label is None else editing.with_label(self.readings[0], label, *self.place)
        return replace(self, readings=(first, *(one for one in self.readings if one != first)))

    def keys(self) -> int | None:
        """Keys that make it right: the one that turns it, so many times, then edits; None if none do."""
        if self.readings[0] == self.wanted:
            return 0
        found = []
        for turns, marks in enumerate(self.readings[1:], start=1):
            edits = keys_to_edit(marks, self.wanted, self.place, self.wall)
            if edits is not None:
                found.append(turns + edits)
        return min(found, default=None)


def keys_on_screen(places: Sequence[ShownPlace], labels: Sequence[str]) -> tuple[int, list[bool]]:
    """The fewest keys that settle a screen, Enter among them, and which of its places are right then.

    A label may be given to all places first, 1 key. A place that no keys make right is left open, 1 key.
    """
    plans = [(1, places), *((2, [one.with_all(label) for one in places]) for label in (*labels, None))]
    found = []
    for keys, some in plans:
        each = [one.keys() for one in some]
        found.append(
            (keys + sum(1 if one is None else one for one in each), [one is not None for one in each])
        )
    return min(found, key=lambda plan: (plan[0], -sum(plan[1])))


def wrong_places(marks: Marks, gold: Marks) -> list[tuple[int, int]]:
    """Ranges in which marks and gold differ, each as far as marks hang together."""
    found: list[tuple[int, int]] = []
    alike = set(marks) & set(gold)
    for first, last, _ in sorted((set(marks) | set(gold)) - alike):
        if found and first < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found
