"""UnderReview: a run with its disputes and with what reviewers decided so far."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.disputes import Disputes, find_disputes
from crowdseq.store.decisions import DecisionStore
from crowdseq.store.entries import Marks
from crowdseq.store.replaying import SentenceState
from crowdseq.workflows.reviewing.filtering import STATES, DisputeMasks
from crowdseq.workflows.reviewing.laying_over import marks_of, replaced
from crowdseq.workflows.reviewing.placing import SentenceKeys
from crowdseq.workflows.reviewing.progress import ReviewProgress
from crowdseq.workflows.run_folder import open_labels
from crowdseq.workflows.runs import labels_digest


class UnderReview:
    """The disputes of one run with what reviewers decided; safe for several threads."""

    def __init__(
        self, folder: Path, consensus: Consensus, settings: Mapping[str, Any], store: DecisionStore
    ) -> None:
        self.folder, self.consensus, self.settings, self.store = folder, consensus, settings, store
        self.disputes: Disputes = find_disputes(self.corpus, consensus)
        self.masks = DisputeMasks(self.corpus, self.disputes)
        self.progress = ReviewProgress(self.disputes, self.masks)
        self.keys = SentenceKeys(self.corpus)
        self.lock = RLock()
        self._states: dict[int, SentenceState] = {}
        self._seen = 0
        self._adopt()

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """A run folder for review; decisions on the same texts, from wherever, are taken over."""
        place = Path(folder)
        opened = open_labels(place)
        store = DecisionStore.open(place)
        try:
            return cls(place, opened.consensus, opened.settings, store)
        except BaseException:
            store.close()
            raise

    @property
    def corpus(self) -> Corpus:
        return self.consensus.corpus

    @cached_property
    def run_id(self) -> str:
        """The labels that are looked at, as a digest."""
        return labels_digest(self.folder)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that a reviewer may set."""
        return self.corpus.scheme.types

    def _adopt(self) -> None:
        """Make decisions on the same texts under other ids those of the sentences here."""
        placed = self.keys.place(self.store.all_current())
        carried = self.keys.to_carry(placed.adopted)
        if carried:
            self.store.submit(carried)
        self.homeless = placed.homeless
        self.sync()

    def sync(self) -> int:
        """Catch up with what others decided; gives the number of the last entry of the log."""
        with self.lock:
            self._seen, changed = self.store.changed_after(self._seen)
            numbers = ((self.keys.number(state.key), state) for state in changed)
            fresh = {number: state for number, state in numbers if number is not None}
            self._states |= fresh
            self.progress.update(fresh)
            return self._seen

    def state(self, sentence: int) -> SentenceState:
        """What reviewers said of a sentence."""
        with self.lock:
            found = self._states.get(sentence)
        return found or SentenceState(self.keys.key(sentence))

    def states(self) -> dict[int, SentenceState]:
        """The same of all sentences of which anything was said."""
        self.sync()
        with self.lock:
            return dict(self._states)

    def marks(self, sentence: int) -> Marks:
        """The marks of a sentence as they hold: decisions over the consensus."""
        marks = self.settled_marks(sentence)
        for one in self.state(sentence).decisions:
            marks = replaced(marks, one.begin, one.end, one.marks)
        return marks

    def settled_marks(self, sentence: int) -> Marks:
        """The marks of the consensus."""
        first, last = self.bounds(sentence)
        return marks_of(self.consensus.tag_ids[first:last], self.corpus.scheme)

    def bounds(self, sentence: int) -> tuple[int, int]:
        if not 0 <= sentence < len(self.corpus):
            raise AnnotationError(f"there is no sentence number {sentence}")
        return int(self.corpus.offsets[sentence]), int(self.corpus.offsets[sentence + 1])

    def check_dispute(self, dispute: int) -> None:
        if not 0 <= dispute < len(self.disputes):
            raise AnnotationError(
                f"there is no dispute number {dispute}, this run has {len(self.disputes):,}"
            )

    def dispute_state(self, dispute: int) -> str:
        return STATES[int(self.progress.states[dispute])]

    def close(self) -> None:
        """Let others replace the run."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
