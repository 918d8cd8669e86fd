"""ReviewDesk: a run under review with what its pages count once and keep."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock, RLock, Thread
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.evaluation.disputes import LabelPair, Mention, mentions
from crowdseq.evaluation.disputes.gathering import Gathered, gather
from crowdseq.store.decisions import DecisionStore
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.filtering import OPEN, SKIPPED, STATES

_MOST_RECENT = 2_048
UNDECIDED = (STATES.index(OPEN), STATES.index(SKIPPED))


class ReviewDesk(Desk):
    """A desk with the words, the pairs of labels and other figures that pages show."""

    def __init__(
        self, folder: Path, consensus: Consensus, settings: Mapping[str, Any], store: DecisionStore
    ) -> None:
        super().__init__(folder, consensus, settings, store)
        self._kept: dict[str, Any] = {}
        self._making: dict[str, RLock] = {}
        self._recent: OrderedDict[Hashable, Any] = OrderedDict()
        self._recent_lock = Lock()

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What `make` gives, kept under a name: figures that take a while and never change."""
        if name not in self._kept:
            # A lock for each name, so that what is ready or quick never waits for something slow.
            with self.lock:
                making = self._making.setdefault(name, RLock())
            with making:
                if name not in self._kept:
                    self._kept[name] = make()
        return self._kept[name]

    def prepare(self) -> Thread:
        """Begin to make what the first pages need, in the thread that is given back."""
        begun = Thread(target=self._prepared, name="prepare the pages", daemon=True)
        begun.start()
        return begun

    def _prepared(self) -> None:
        # The page of disputes is opened first, and its pairs are made sooner.
        _ = self.ranks, self.pairs, self.screen_owners

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """The disputes by their words, the greatest gain first."""
        found: tuple[Mention, ...] = self.once("mentions", lambda: mentions(self.corpus, self.disputes))
        return found

    @property
    def screens(self) -> tuple[Gathered, ...]:
        """The disputes that are shown together, the greatest gain first."""
        found: tuple[Gathered, ...] = self.once(
            "screens", lambda: gather(self.disputes, enumerate(self.mentions))
        )
        return found

    @property
    def screen_owners(self) -> IntArray:
        """(D,) the screen of each dispute."""

        def made() -> IntArray:
            owners = np.zeros(len(self.disputes), np.int64)
            for number, screen in enumerate(self.screens):
                owners[list(screen.disputes)] = number
            return owners

        owners: IntArray = self.once("screen owners", made)
        return owners

    @property
    def pairs(self) -> tuple[LabelPair, ...]:
        """The labels that people differ on, the most frequent pair first."""
        found: tuple[LabelPair, ...] = self.once("pairs", lambda: self.masks.pairs)
        return found

    def is_undecided(self) -> BoolArray:
        """(D,) which disputes nobody has settled, those that were skipped among them."""
        return self.progress.in_state(OPEN)

    def recent(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What `make` gives, kept as long as it is among those that were asked for last; it never changes."""
        with self._recent_lock:
            if name in self._recent:
                self._recent.move_to_end(name)
                return self._recent[name]
        made = make()
        with self._recent_lock:
            self._recent[name] = made
            if len(self._recent) > _MOST_RECENT:
                self._recent.popitem(last=False)
        return made

    @cached_property
    def order(self) -> IntArray:
        """(D,) the numbers of the disputes, the greatest expected gain first."""
        return self.disputes.by_gain()

    @cached_property
    def ranks(self) -> IntArray:
        """(D,) the place of each dispute in the order of expected gain."""
        return np.argsort(self.order)

    def changed_after(self, last: int) -> list[int]:
        """The sentences on which something was logged after an entry of the log."""
        _, states = self.store.changed_after(last)
        numbers = (self.keys.number(state.key) for state in states)
        return [number for number in numbers if number is not None]
