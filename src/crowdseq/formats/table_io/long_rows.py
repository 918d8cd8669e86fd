"""The long table: one row for each label that somebody gave to a token, gathered to sentences and back."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from crowdseq.core.building import Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, split_tag
from crowdseq.errors import Advice, AnnotationError, Problem
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import ReadRecord
from crowdseq.formats.table_io.missing import MARKS, UNLABELLED, MissingMarks

_NUMBER = re.compile(r"[0-9]{1,9}")
# A wrong number must not make us hold a billion tokens: a text has some rows for every few of its tokens.
_TOKENS_PER_ROW, _TOKENS_AT_LEAST = 50, 1000
_CELLS_OF_A_TOKEN = 20  # which a token that stands in for an unknown one takes as much memory as


class LongRow(NamedTuple):
    """One row; None stands for a column that the table lacks, or for a cell without a value.

    is_blank: the cell of the label is there and empty, beside a token.
    """

    line: int
    sentence: str
    token_number: int
    annotator: str | None
    label: str | None
    token: str | None = None
    doc: str | None = None
    gold: str | None = None
    is_blank: bool = False


def split_task(task: str) -> tuple[str, int]:
    """`d1:3` to ("d1", 3)."""
    sentence, colon, index = task.rpartition(":")
    if not colon or not _NUMBER.fullmatch(index):
        raise AnnotationError(f"task '{task}' does not end in the number of a token, write it as d1:0")
    return sentence, int(index)


def token_index(cell: str) -> int:
    """The number of a token, in plain digits."""
    if not _NUMBER.fullmatch(cell):
        raise AnnotationError(f"token index '{cell}' is no whole number from 0 up, correct the row")
    return int(cell)


@dataclass
class _Sentence:
    """What the rows of one sentence say, by the index of the token."""

    line: int
    doc: str | None = None
    rows: int = 0
    tokens: dict[int, str] = field(default_factory=dict)
    votes: dict[str, dict[int, str]] = field(default_factory=dict)
    gold: dict[int, str] = field(default_factory=dict)
    blanks: list[tuple[str | None, int]] = field(default_factory=list)
    last: int = -1
    fault: Problem | None = None

    @property
    def starts_at_one(self) -> bool:
        """Whether every token has a text, and the first of them the number 1."""
        return self.last > 0 and 0 not in self.tokens and len(self.tokens) == self.last

    def shift(self) -> None:
        """Count tokens from 0."""
        self.last -= 1
        self.tokens, self.gold = _moved(self.tokens), _moved(self.gold)
        self.votes = {who: _moved(row) for who, row in self.votes.items()}

    def fill_blanks(self) -> int:
        """Take cells without a label for outside of any entity; how many there were."""
        for who, index in self.blanks:
            row = self.gold if who is None else self.votes.setdefault(who, {})
            row.setdefault(index, OUTSIDE)
        return len(self.blanks)


def _moved(row: dict[int, str]) -> dict[int, str]:
    return {index - 1: value for index, value in row.items()}


class RowCollector:
    """Takes rows in any order; gives the sentences in the order in which they were first seen."""

    def __init__(self, name: str, collector: Collector, *, drops_silent: bool = False) -> None:
        """drops_silent: who has no label in a sentence did not see it."""
        self._name, self._collector, self._drops_silent = name, collector, drops_silent
        self._duplicates = collector.settings.duplicates
        self._sentences: dict[str, _Sentence] = {}

    def take(self, row: LongRow) -> None:
        """One row; what contradicts an earlier one is a fault of its sentence."""
        held = self._sentences.setdefault(row.sentence, _Sentence(row.line))
        held.rows += 1
        held.last = max(held.last, row.token_number)
        try:
            _hold(held.tokens, row.token_number, row.token, "token")
            _hold(held.gold, row.token_number, row.gold, "gold label")
            if row.doc is not None and (held.doc or row.doc) != row.doc:
                raise AnnotationError(f"the document is '{row.doc}' here and '{held.doc}' before")
            held.doc = row.doc if held.doc is None else held.doc
            if row.is_blank:
                held.blanks.append((row.annotator, row.token_number))
            self._vote(held, row)
        except AnnotationError as error:
            held.fault = held.fault or problem_of(error, self._name, row.line, row.sentence)

    def _vote(self, held: _Sentence, row: LongRow) -> None:
        if row.label is None:
            if row.annotator is not None:
                held.votes.setdefault(row.annotator, {})
            return
        if row.annotator is None:
            raise AnnotationError(f"label '{row.label}' has no annotator, say who gave it")
        votes = held.votes.setdefault(row.annotator, {})
        if row.token_number in votes:
            if self._duplicates == "error":
                raise AnnotationError(
                    f"annotator {row.annotator} labels token {row.token_number} twice",
                    Advice(
                        "remove one row or say which to keep: {duplicates} (or newest)", duplicates="first"
                    ),
                )
            what = f"rows label a token twice, the {self._duplicates} was kept"
            self._collector.warn("repeated-rows", what, Problem("", self._name, row.line, row.sentence))
            if self._duplicates == "first":
                return
        votes[row.token_number] = row.label

    def records(self) -> Iterator[ReadRecord]:
        """Every sentence; a faulty one is rejected."""
        missing = 0
        self._drop_marks()
        if self._sentences and all(held.starts_at_one for held in self._sentences.values()):
            self._collector.warn("tokens-from-one", "tokens are numbered from 1", Problem("", self._name))
            for held in self._sentences.values():
                held.shift()
        for name, held in self._sentences.items():
            size = held.last + 1
            if size > max(_TOKENS_AT_LEAST, _TOKENS_PER_ROW * held.rows):
                what = f"token {held.last} is named, but the table has only {held.rows} rows of this sentence"
                held.fault = held.fault or Problem(f"{what}, correct the number", self._name, held.line, name)
            if held.fault is not None:
                self._collector.reject(held.fault, {"id": name, "tokens": list(held.tokens.values())})
                continue
            try:
                n_made_up = size - len(held.tokens)
                n_cells = size * max(1, len(held.votes)) + _CELLS_OF_A_TOKEN * n_made_up
                self._collector.make_room(n_cells, 10 * held.rows)
            except AnnotationError as error:
                self._collector.reject(problem_of(error, self._name, held.line, name), None)
                continue
            missing += size - len(held.tokens)
            yield ReadRecord(_record(name, held, size, f"{self._name}:{held.line}"), held.line, {"id": name})
        if missing:
            what = "tokens are not in the table, tasks stand in for them: no method learns from words"
            self._collector.warn("tokens-unknown", what, Problem("", self._name), missing)

    def _drop_marks(self) -> None:
        """Take out what stands for no label; beside B- and I- tags that can be told from the marks alone."""
        sentences = self._sentences.values()
        rows = [row for held in sentences for row in (*held.votes.values(), held.gold) if row]
        labels = {label for row in rows for label in row.values()}
        has_chunks = any(split_tag(label)[0] not in ("", OUTSIDE) for label in labels)
        if has_chunks and not labels & {OUTSIDE, *MARKS}:
            self._fill_blanks()
        if self._drops_silent:
            for held in sentences:
                held.votes = {who: row for who, row in held.votes.items() if row}
        if not has_chunks or not labels & MARKS:
            return
        marks = MissingMarks(
            self._collector, self._name, has_chunks=has_chunks, has_outside=OUTSIDE in labels
        )
        for row in rows:
            for index, label in list(row.items()):
                meant = marks.label(label)
                if meant is None:
                    del row[index]
                else:
                    row[index] = meant
        emptied = {id(row) for row in rows if not row}  # nothing but marks: the sentence was not seen
        for held in sentences:
            held.votes = {who: row for who, row in held.votes.items() if id(row) not in emptied}
        marks.tell()

    def _fill_blanks(self) -> None:
        """Where O is nowhere written, cells are left empty in its place."""
        settings = self._collector.settings
        if settings.missing is not None or settings.scheme == PLAIN:
            return
        count = sum(held.fill_blanks() for held in self._sentences.values())
        if count:
            what = "cells of labels are empty and O is nowhere written, read as O;"
            advice = Advice("if they are not labelled, say {missing}", missing=UNLABELLED)
            self._collector.warn("blank-labels", what, Problem("", self._name), count, advice=advice)


def _hold(held: dict[int, str], index: int, value: str | None, what: str) -> None:
    if value is not None and held.setdefault(index, value) != value:
        raise AnnotationError(
            f"{what} {index} is '{value}' here and '{held[index]}' before, correct one of them"
        )


def _record(name: str, held: _Sentence, size: int, place: str) -> Record:
    # The name of a task is a word that no other token shares, so it cannot pass for a repeated mention.
    tokens = [held.tokens.get(index, f"{name}:{index}") for index in range(size)]
    votes = {who: [given.get(index) for index in range(size)] for who, given in held.votes.items()}
    gold = [held.gold.get(index) for index in range(size)] if held.gold else None
    return Record(tokens, name, held.doc, votes, gold, place=place)


def rows_of(corpus: Corpus) -> Iterator[LongRow]:
    """A row for each label, sentence by sentence; tokens that nobody labelled come last."""
    names = corpus.annotators
    for number, sentence in enumerate(corpus.sentences):
        gold = corpus.gold[number] or [None] * len(sentence.tokens)
        ballot = corpus.annotations.ballots[number]
        unseen = set(range(len(sentence.tokens)))
        for who, row in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            for index, label in enumerate(corpus.scheme.names(row)):
                if label is not None:
                    unseen.discard(index)
                    token = sentence.tokens[index]
                    yield LongRow(0, sentence.id, index, names[who], label, token, sentence.doc, gold[index])
        for index in sorted(unseen):
            token = sentence.tokens[index]
            yield LongRow(0, sentence.id, index, None, None, token, sentence.doc, gold[index])


def losses(corpus: Corpus) -> list[str]:
    """What a long table has no room for."""
    crowd = corpus.annotations
    rows = crowd.row_sentences
    filled = np.flatnonzero(crowd.lengths[rows])
    labelled = np.zeros(len(rows), np.int64)
    if len(filled):
        labelled[filled] = np.add.reduceat(crowd.tags >= 0, crowd.row_starts[filled], dtype=np.int64)
    notes = {
        "sentences without tokens were left out": int(np.count_nonzero(corpus.text.lengths == 0)),
        "times an annotator labelled nothing in a sentence, which is read as not seen": int(
            np.count_nonzero(labelled == 0)
        ),
        "times gold is known to be empty, which is read as not known": _silent_gold(corpus),
    }
    made = [f"{count} {what}" for what, count in notes.items() if count]
    carried: Iterable[Any] = {key for extras in corpus.text.extras.values() for key in extras}
    for what, keys in (("extra keys", carried), ("columns", corpus.text.columns)):
        if keys:
            made.append(f"{what} have no place in a long table and were left out: {', '.join(sorted(keys))}")
    return made


def _silent_gold(corpus: Corpus) -> int:
    return sum(
        1
        for number in np.flatnonzero(corpus.has_gold).tolist()
        if (corpus.gold_tags[corpus.offsets[number] : corpus.offsets[number + 1]] < 0).all()
    )
