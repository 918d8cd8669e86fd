"""ReviewProgress: which disputes are open, decided or audited, kept up to date sentence by sentence."""

from collections.abc import Mapping, Sequence

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.evaluation.disputes import Disputes
from crowdseq.store.entries import AUDIT, Entry
from crowdseq.store.replaying import SentenceState
from crowdseq.workflows.reviewing.filtering import (
    ANY,
    AUDITED,
    DECIDED,
    OPEN,
    SETTLED,
    SKIPPED,
    STATES,
    DisputeMasks,
    QueueFilter,
)
from crowdseq.workflows.reviewing.laying_over import covered

FINISH = "finish"  # the page on which the rest is accepted unread


class ReviewProgress:
    """(D,) the state of each dispute and whether there is a comment, and the queue that follows from them."""

    def __init__(self, disputes: Disputes, masks: DisputeMasks) -> None:
        self._disputes, self._masks = disputes, masks
        self.states = np.zeros(len(disputes), np.int8)
        self.commented = np.zeros(len(disputes), np.bool_)
        self._order = disputes.by_gain()
        self._ranks = np.empty(len(disputes), np.int64)
        self._ranks[self._order] = np.arange(len(disputes))

    def update(self, states: Mapping[int, SentenceState]) -> None:
        """What now holds of some sentences, by number."""
        columns = self._disputes.columns
        for number, state in states.items():
            decisions, comments, skips = state.decisions, state.comments, state.skips
            for dispute in self.of_sentence(number):
                begin, end = int(columns.begins[dispute]), int(columns.ends[dispute])
                self.states[dispute] = STATES.index(_state(decisions, skips, begin, end))
                self.commented[dispute] = any(_touches(one, begin, end) for one in comments)

    def of_sentence(self, number: int) -> range:
        """The disputes of a sentence."""
        bounds = np.searchsorted(self._disputes.columns.sentences, [number, number + 1])
        return range(int(bounds[0]), int(bounds[1]))

    def mask(self, wanted: QueueFilter) -> BoolArray:
        """(D,) the disputes that fit a filter now."""
        found = self._masks.mask(wanted) & self.in_state(wanted.state)
        return found & self.commented if wanted.commented else found

    def in_state(self, state: str) -> BoolArray:
        if state == ANY:
            return np.ones(len(self.states), np.bool_)
        if state == OPEN:
            return self.states <= STATES.index(SKIPPED)
        found: BoolArray = self.states == STATES.index(state)
        return found

    def queue(self, wanted: QueueFilter) -> IntArray:
        """The numbers of those that fit, the greatest expected gain first and the skipped ones last."""
        order = self._order[self.mask(wanted)[self._order]]
        skipped = self.states[order] == STATES.index(SKIPPED)
        return np.concatenate([order[~skipped], order[skipped]]) if skipped.any() else order

    def after(self, wanted: QueueFilter, dispute: int | None, step: int = 1) -> int | None:
        """The next of the queue behind a dispute, or the one before it with step -1; round at the ends."""
        queue = self.queue(wanted)
        if not len(queue):
            return None
        if dispute is None or not 0 <= dispute < len(self._disputes):
            return int(queue[0])
        there = np.flatnonzero(queue == dispute)
        if len(there):
            return int(queue[(int(there[0]) + step) % len(queue)])
        # It has left the queue: the one that took its place.
        place = int(np.searchsorted(self._ranks[queue[: self._n_fresh(queue)]], self._ranks[dispute]))
        return int(queue[(place if step > 0 else place - 1) % len(queue)])

    def _n_fresh(self, queue: IntArray) -> int:
        """How many come before the skipped ones, which stand in the order of their rank."""
        return int(np.count_nonzero(self.states[queue] != STATES.index(SKIPPED)))

    def counts(self) -> dict[str, int]:
        """How many disputes are in each state."""
        return {state: int(np.count_nonzero(self.states == place)) for place, state in enumerate(STATES)}


def _state(decisions: Sequence[Entry], skips: Sequence[Entry], begin: int, end: int) -> str:
    found = covered(decisions, begin, end)
    if any(one.action == AUDIT for one in found):
        return AUDITED
    if found:
        return SETTLED if all(one.shown.get("page") == FINISH for one in found) else DECIDED
    return SKIPPED if any(_touches(one, begin, end) for one in skips) else OPEN


def _touches(entry: Entry, begin: int, end: int) -> bool:
    """Whether an entry is about a range; one without a range is about the whole sentence."""
    return entry.begin == entry.end or (entry.begin < end and begin < entry.end)
