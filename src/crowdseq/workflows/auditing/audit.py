"""Audit: a run's sentences read one by one in a fixed order, and what that says of the others."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.spans import Span, encode
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.auditing.counting import ErrorCounts, count_errors
from crowdseq.evaluation.auditing.figures import Bound, Needed
from crowdseq.evaluation.auditing.frame import RunningBounds
from crowdseq.store.decisions import DecisionStore
from crowdseq.store.entries import AUDIT, NewDecision, SentenceKey
from crowdseq.workflows.auditing.frame_file import AuditFrame, open_frame
from crowdseq.workflows.run_folder import open_run
from crowdseq.workflows.runs import labels_digest


@dataclass(frozen=True)
class AuditBounds:
    """How good the unread rest is, 95 % sure at any time.

    precision, recall and f1 hold together; of plain tags there is the accuracy in their place. sentences: the
    share of sentences without any error, sure by itself. n_waiting: answers after one that is missing, which
    count once it is there: to leave out hard sentences would flatter the rest. most_missed: a sentence is
    allowed for this many missing spans and half as many again for every span in it.
    """

    precision: Bound | None
    recall: Bound | None
    f1: Bound | None
    accuracy: Bound | None
    sentences: Bound
    n_audited: int
    n_unread: int
    n_waiting: int
    most_missed: int
    running: RunningBounds

    def needed(self, error: float, figure: str | None = None) -> Needed:
        """About how many more sentences to read until at most this share is wrong for sure.

        figure: `f1` (of plain tags `accuracy`) unless another is named: `precision`, `recall`, `sentences`.
        """
        return self.running.needed(error, figure or self.main)

    @property
    def main(self) -> str:
        """The figure that people ask for first."""
        return "accuracy" if self.accuracy is not None else "f1"

    def figures(self) -> dict[str, Bound]:
        """The figures that there are, by name."""
        names = ("precision", "recall", "f1", "accuracy", "sentences")
        return {name: bound for name in names if (bound := getattr(self, name)) is not None}

    def as_dict(self) -> dict[str, Any]:
        return {
            "audited": self.n_audited,
            "unread": self.n_unread,
            "waiting": self.n_waiting,
            "most_missed": self.most_missed,
            **{name: bound.as_dict() for name, bound in self.figures().items()},
        }


class Audit:
    """The audit of a run, which several reviewers and processes may answer at once.

    Answers are kept among the decisions of the run (action `audit`), so they can be undone there and hold for
    the text whatever is learned later; the bound belongs to the labels of this run.
    """

    def __init__(
        self, folder: Path, consensus: Consensus, store: DecisionStore, *, seed: int = 0, owns: bool = False
    ) -> None:
        """owns: close the store with the audit."""
        self.folder, self.consensus, self.store, self._owns = folder, consensus, store, owns
        self._digest = labels_digest(folder)
        corpus = consensus.corpus
        self._keys = [SentenceKey.of(one.tokens, one.doc, one.id) for one in corpus.sentences]
        self._numbers = {key: number for number, key in enumerate(self._keys)}
        self.frame: AuditFrame = open_frame(folder, consensus, self._decided(), seed)
        self._places = {number: place for place, number in enumerate(self.frame.drawn.tolist())}
        self._truth: dict[int, tuple[str, IntArray]] = {}
        self._running = RunningBounds(self.frame.frame)
        self._told: list[str] = []
        self._seen = 0

    @classmethod
    def open(cls, folder: str | Path, *, seed: int = 0) -> Self:
        """The audit of a run folder, begun if there is none; the seed decides its order then."""
        place = Path(folder)
        consensus = open_run(place).run.consensus
        store = DecisionStore.open(place)
        try:
            return cls(place, consensus, store, seed=seed, owns=True)
        except BaseException:
            store.close()
            raise

    def _decided(self) -> IntArray:
        """The sentences that a person has decided anything in."""
        states = (state for state in self.store.all_current() if state.decisions)
        found = (self._numbers.get(state.key) for state in states)
        return np.array(sorted(number for number in found if number is not None), np.int64)

    @property
    def notes(self) -> tuple[str, ...]:
        """What somebody should know before they go on."""
        number = len(self.frame.sentences)
        size = f"{number:,} sentence{'' if number == 1 else 's'} that nobody decided"
        if self.frame.replaces:
            return (f"the labels of this run changed: a new audit begins, of {size}",)
        return (f"a new audit begins, of {size}",) if self.frame.is_new else ()

    def sync(self) -> None:
        """Take over what was answered meanwhile, here or elsewhere."""
        self._seen, changed = self.store.changed_after(self._seen)
        for state in changed:
            number = self._numbers.get(state.key)
            if number is None or number not in self._places:
                continue
            length = self._length(number)
            whole = [
                one for one in state.entries if one.action == AUDIT and (one.begin, one.end) == (0, length)
            ]
            if whole:
                spans = [Span(*mark) for mark in whole[-1].marks]
                self._truth[number] = (whole[-1].id, self._tag_ids(number, spans))
            else:
                self._truth.pop(number, None)

    def answered(self) -> list[int]:
        """The sentences read without a gap, in the order drawn."""
        self.sync()
        found = []
        for number in self.frame.drawn.tolist():
            if number not in self._truth:
                break
            found.append(number)
        return found

    def next_sentences(self, n: int = 1) -> tuple[int, ...]:
        """The next sentences to read, in the order drawn, without those that are answered."""
        self.sync()
        open_ones = (number for number in self.frame.drawn.tolist() if number not in self._truth)
        return tuple(number for number, _ in zip(open_ones, range(n), strict=False))

    def answer(self, sentence: int, marks: Iterable[Any], reviewer: str, *, id: str | None = None) -> None:
        """A sentence was read: these are all its marks (begin, end, label), none if it has none.

        id: made by who asks; asked twice it is logged once.
        """
        self.answer_all([(sentence, [_span(mark) for mark in marks])], reviewer, id=id)

    def answer_all(
        self, answers: Sequence[tuple[int, Sequence[Span]]], reviewer: str, *, id: str | None = None
    ) -> None:
        """Several at once, all or none, one undo."""
        batch = id or secrets.token_hex(16)
        made = []
        for sentence, spans in answers:
            if sentence not in self._places:
                raise AnnotationError(f"sentence number {sentence} is not in the frame of this audit")
            self._tag_ids(sentence, spans)  # says what is wrong with them
            made.append(
                NewDecision(
                    id=f"{batch}-{sentence}",
                    action=AUDIT,
                    key=self._keys[sentence],
                    reviewer=reviewer,
                    run=self._digest,
                    begin=0,
                    end=self._length(sentence),
                    marks=tuple(sorted((one.start, one.end, one.label) for one in spans)),
                    shown={"blind": True, "page": "finish"},
                    batch=batch,
                )
            )
        if made:
            self.store.submit(made)

    def is_known(self, sentence: int, spans: Sequence[Span]) -> bool:
        """Whether just this was answered already; spans that the sentence cannot have are an error."""
        tags, known = self._tag_ids(sentence, spans), self._truth.get(sentence)
        return known is not None and bool((known[1] == tags).all())

    def truth(self, sentences: Sequence[int]) -> IntArray:
        """(T,) the tag numbers of sentences that were answered, one behind the other."""
        rows = [self._truth[number][1] for number in sentences]
        return np.concatenate([np.zeros(0, np.int16), *rows])

    def bounds(self) -> AuditBounds:
        """How good the sentences are that nobody has read, by all answers up to now."""
        answered = self.answered()
        told = [self._truth[number][0] for number in answered]
        if told[: len(self._told)] != self._told:  # an answer was changed or taken back
            self._running, self._told = RunningBounds(self.frame.frame), []
        fresh = answered[len(self._told) :]
        self._running.add_all(self.errors(fresh))
        self._told = told
        found = self._running.bounds()
        return AuditBounds(
            **{name: found.get(name) for name in ("precision", "recall", "f1", "accuracy")},
            sentences=found["sentences"],
            n_audited=len(answered),
            n_unread=len(self.frame.sentences) - len(answered),
            n_waiting=len(self._truth) - len(answered),
            most_missed=self._running.most_missed,
            running=self._running,
        )

    def errors(self, sentences: Sequence[int]) -> ErrorCounts:
        """What is wrong in the run's labels of sentences that were answered."""
        corpus = self.consensus.corpus
        rows = [self.consensus.tag_ids[corpus.offsets[n] : corpus.offsets[n + 1]] for n in sentences]
        given = np.concatenate([np.zeros(0, np.int16), *rows])
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
        return count_errors(self.truth(sentences), given, offsets.astype(np.int64), corpus.scheme)

    def _length(self, sentence: int) -> int:
        return int(self.consensus.corpus.text.lengths[sentence])

    def _tag_ids(self, sentence: int, spans: Sequence[Span]) -> IntArray:
        scheme = self.consensus.corpus.scheme
        return scheme.ids(encode(scheme, spans, self._length(sentence)))

    def close(self) -> None:
        """Let others replace the run."""
        if self._owns:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _span(mark: Any) -> Span:
    """A mark, a span or a triple as a span."""
    if isinstance(mark, Span):
        return mark
    return Span(mark.begin, mark.end, mark.label) if hasattr(mark, "begin") else Span(*mark)
