"""Desk: a run opened for review. Every door asks it, and it answers with plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crowdseq.errors import AnnotationError
from crowdseq.store.decisions import HistoryItem
from crowdseq.store.entries import SETTLING, Entry, Marks, NewDecision
from crowdseq.workflows.reviewing import showing
from crowdseq.workflows.reviewing.acting import Act, Place
from crowdseq.workflows.reviewing.editing import Edit
from crowdseq.workflows.reviewing.filtering import OPEN, QueueFilter
from crowdseq.workflows.reviewing.laying_over import marks_of, replaced
from crowdseq.workflows.reviewing.under_review import UnderReview
from crowdseq.workflows.reviewing.views import DisputeView, Left, QueuePage

ALL_OPEN = QueueFilter()


@dataclass(frozen=True)
class Acted:
    """What was logged, and the version and state of every sentence and dispute that it concerns."""

    entries: tuple[Entry, ...]
    versions: Mapping[int, int]
    states: Mapping[int, str]


class Desk(UnderReview):
    """The disputes of one run with what reviewers decided; safe for several threads."""

    def queue(self, wanted: QueueFilter = ALL_OPEN, offset: int = 0, limit: int = 50) -> QueuePage:
        """Some of the disputes that fit a filter, the greatest expected gain first."""
        self.sync()
        with self.lock:
            numbers = self.progress.queue(wanted)
            some = numbers[max(0, offset) : max(0, offset) + limit].tolist()
            return QueuePage(tuple(showing.row(self, one) for one in some), offset, len(numbers))

    def after(self, wanted: QueueFilter, dispute: int | None, step: int = 1) -> int | None:
        """The number of the next dispute of the queue, or of the one before with step -1."""
        self.sync()
        with self.lock:
            return self.progress.after(wanted, dispute, step)

    def left(self, wanted: QueueFilter) -> Left:
        """What is left, under this filter and without each of its wishes."""
        self.sync()
        with self.lock:
            count = {name: self._count(wanted.without(name)) for name in wanted.wishes}
            if wanted.state != OPEN:
                count["state"] = self._count(replace(wanted, state=OPEN))
            return Left(self._count(wanted), self._count(QueueFilter()), count)

    def _count(self, wanted: QueueFilter) -> int:
        return int(self.progress.mask(wanted).sum())

    def counts(self) -> dict[str, int]:
        """How many disputes are in each state."""
        self.sync()
        with self.lock:
            return self.progress.counts()

    def view(self, dispute: int, *, blind: bool = False) -> DisputeView:
        """A dispute with lanes, alternatives and comments. blind: without all that suggests an answer."""
        return showing.view(self, dispute, blind=blind)

    def place(self, sentence: int, begin: int, end: int) -> Place:
        """A range of a sentence with all that acts need to know of it."""
        first, last = self.bounds(sentence)
        if not 0 <= begin <= end <= last - first:
            raise AnnotationError(f"tokens {begin} to {end} are no range of sentence number {sentence}")
        ballot, scheme = self.corpus.annotations.ballots[sentence], self.corpus.scheme
        lanes = {
            self.corpus.annotators[voter]: marks_of(tags, scheme)
            for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        return Place(
            begin,
            end,
            last - first,
            self.marks(sentence),
            self.settled_marks(sentence),
            lanes,
            self.labels,
            scheme.is_plain,
        )

    def act(self, *acts: Act) -> Acted:
        """Log some acts, all or none; gives an answer when they are on the disk."""
        self.sync()
        made: dict[int, Marks] = {}  # of sentences with several acts: an act sees what those before it made
        return self.submit([self._decision(act, made) for act in acts])

    def act_once(self, batch: str, acts: Sequence[Act]) -> Acted:
        """The same for the acts of a batch, which are not logged again if they were before."""
        held = self.store.group(batch)
        return self._told(held) if held and held[0].action in SETTLING else self.act(*acts)

    def _decision(self, act: Act, made: dict[int, Marks]) -> NewDecision:
        if act.dispute is not None:
            self.check_dispute(act.dispute)
            sentence, begin, end = self._reach(act.dispute)
        else:
            assert act.sentence is not None
            sentence, begin, end = act.sentence, act.begin, act.end
        place = self.place(sentence, begin, end)
        place = replace(place, now=made.get(sentence, place.now))
        edit = place.edit(act)
        if act.action in SETTLING:
            made[sentence] = replaced(place.now, edit.begin, edit.end, edit.marks)
        return self.decision(act, sentence, edit)

    def _reach(self, dispute: int) -> tuple[int, int, int]:
        """Sentence, begin and end of a dispute, with all that earlier acts on it moved its marks to."""
        found = self.disputes[dispute]
        mine = [
            one
            for one in self.state(found.sentence).decisions
            if one.shown.get("dispute") == dispute and one.run == self.run_id and not one.shown.get("whole")
        ]
        begin, end = (
            min([found.begin, *(one.begin for one in mine)]),
            max([found.end, *(one.end for one in mine)]),
        )
        return found.sentence, begin, end

    def decision(self, act: Act, sentence: int, edit: Edit) -> NewDecision:
        """What is logged for an act."""
        return NewDecision(
            id=act.id,
            action=act.action,
            key=self.keys.key(sentence),
            reviewer=act.reviewer,
            run=self.run_id,
            begin=edit.begin,
            end=edit.end,
            marks=edit.marks,
            shown={"act": act.kind, "dispute": act.dispute, "whole": act.whole, **act.shown},
            comment=act.comment,
            batch=act.batch,
            base=act.base,
        )

    def submit(self, decisions: Sequence[NewDecision]) -> Acted:
        """Log decisions that were made elsewhere, all or none."""
        return self._told(self.store.submit(decisions))

    def undo(self, id: str, reviewer: str, target: str | None = None) -> Acted:
        """Take back an entry or a batch, or what this reviewer did last."""
        if target is None:
            return self._told(self.store.undo_last(id=id, reviewer=reviewer))
        return self._told(self.store.undo(target, id=id, reviewer=reviewer))

    def redo(self, id: str, reviewer: str, target: str | None = None) -> Acted:
        """Bring back what was undone, or what this reviewer undid last."""
        if target is None:
            return self._told(self.store.redo_last(id=id, reviewer=reviewer))
        return self._told(self.store.redo(target, id=id, reviewer=reviewer))

    def _told(self, entries: tuple[Entry, ...]) -> Acted:
        self.sync()
        found = {self.keys.number(one.key) for one in entries if one.key.text}
        sentences = [number for number in found if number is not None]
        disputes = [one for number in sentences for one in self.progress.of_sentence(number)]
        return Acted(
            entries,
            {number: self.state(number).version for number in sentences},
            {one: self.dispute_state(one) for one in disputes},
        )

    def history(self, limit: int = 50, before: int | None = None) -> tuple[HistoryItem, ...]:
        """The newest entries of the log first."""
        return self.store.history(limit, before)

    def sentence_of(self, entry: Entry) -> int | None:
        """The sentence that an entry of the log is about, None if it is not in this run."""
        return self.keys.number(entry.key)
