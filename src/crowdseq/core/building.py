"""CorpusBuilder: sentences in, one after the other, a checked Corpus out."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.assembly import GOLD_ROW, RawRows, Spelling, number_by_name, settle_spelling
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.names import NumberedNames, check_label, check_name
from crowdseq.core.ragged import offsets_of
from crowdseq.core.text import Column, Text
from crowdseq.errors import AnnotationError, SchemeError

Tags: TypeAlias = Sequence[str | None]

DUPLICATES = ("error", "first", "newest")


@dataclass(frozen=True)
class Record:
    """One sentence as a file gives it."""

    tokens: Sequence[str]
    id: str | None = None
    doc: str | None = None
    annotations: Mapping[str, Tags] = field(default_factory=dict)
    gold: Tags | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""  # where it was found, for messages


class CorpusBuilder:
    """Collects records into flat arrays; records of one id are one sentence seen by several files.

    duplicates: what to do when an annotator labels a sentence twice: `error`, keep `first` or `newest`.
    """

    def __init__(self, *, duplicates: str = "error") -> None:
        self._duplicates = duplicates
        self._words = NumberedNames()
        self._labels = NumberedNames(check_label, none_is=-1)
        self._annotators = NumberedNames(check_name("annotator"))
        self._token_ids, self._lengths = array("i"), array("i")
        self._sentences: dict[str, int] = {}
        self._documents: dict[str | None, int] = {}
        self._document_names: list[str | None] = []
        self._document_of = array("i")
        self._starts = array("q")
        self._places: list[str] = []
        self._cells = array("h")
        self._row_sentences, self._row_voters, self._row_starts = array("i"), array("i"), array("q")
        self._first_rows, self._row_counts = array("i"), array("i")
        self._later_rows: dict[int, list[int]] = {}
        self._dropped_rows: set[int] = set()
        self._extras: dict[int, dict[str, Any]] = {}
        self._columns: dict[str, tuple[NumberedNames, array[int]]] = {}
        self.repeated_rows = 0
        self.spelling: Spelling | None = None

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, record: Record) -> int:
        """Take one record; gives the number of its sentence. A faulty record changes nothing."""
        rows = [
            (self._annotators[name], self._row(name, tags, record))
            for name, tags in record.annotations.items()
        ]
        if record.gold is not None:
            rows.append((GOLD_ROW, self._row("gold", record.gold, record)))
        _check_columns(record)
        known = self._sentences.get(record.id) if record.id is not None else None
        if known is None:
            return self._open_sentence(record, rows)
        self._join_sentence(known, record, rows)
        return known

    def _row(self, name: str, tags: Tags, record: Record) -> list[int]:
        if isinstance(tags, str) or len(tags) != len(record.tokens):
            raise AnnotationError(f"annotator {name}: {len(tags)} labels for {len(record.tokens)} tokens")
        try:
            return list(map(self._labels.__getitem__, tags))
        except TypeError:
            raise AnnotationError(f"annotator {name}: a label must be a text or null") from None
        except (AnnotationError, SchemeError) as error:
            raise type(error)(f"annotator {name}: {error}") from None

    def _open_sentence(self, record: Record, rows: list[tuple[int, list[int]]]) -> int:
        try:
            token_ids = list(map(self._words.__getitem__, record.tokens))
        except TypeError:
            raise AnnotationError("a token must be a text") from None
        number = len(self._lengths)
        self._sentences[self._free_id() if record.id is None else record.id] = number
        self._starts.append(len(self._token_ids))
        self._token_ids.extend(token_ids)
        self._lengths.append(len(token_ids))
        self._document_of.append(self._document(record.doc))
        self._places.append(record.place)
        self._first_rows.append(len(self._row_voters))
        self._row_counts.append(len(rows))
        for voter, tags in rows:
            self._append_row(number, voter, tags)
        self._append_columns(record.columns, number)
        if record.extras:
            self._extras[number] = dict(record.extras)
        return number

    def _free_id(self) -> str:
        number = len(self._lengths) + 1
        while f"s{number}" in self._sentences:
            number += 1
        return f"s{number}"

    def _document(self, name: str | None) -> int:
        if name is None or name not in self._documents:
            self._document_names.append(name)
            if name is None:
                return len(self._document_names) - 1
            self._documents[name] = len(self._document_names) - 1
        return self._documents[name]

    def _append_row(self, sentence: int, voter: int, tags: list[int]) -> int:
        self._row_sentences.append(sentence)
        self._row_voters.append(voter)
        self._row_starts.append(len(self._cells))
        self._cells.extend(tags)
        return len(self._row_voters) - 1

    def _append_columns(self, columns: Mapping[str, Sequence[str]], sentence: int) -> None:
        for name in columns.keys() - self._columns.keys():
            self._columns[name] = (NumberedNames(), array("i", [-1]) * self._starts[sentence])
        for name, (table, ids) in self._columns.items():
            values = columns.get(name)
            if values is None:
                ids.extend([-1] * self._lengths[sentence])
            else:
                ids.extend(map(table.__getitem__, values))

    def _join_sentence(self, number: int, record: Record, rows: list[tuple[int, list[int]]]) -> None:
        self._check_same_text(number, record)
        first = self._first_rows[number]
        held = [*range(first, first + self._row_counts[number]), *self._later_rows.get(number, [])]
        by_voter = {self._row_voters[row]: row for row in held if row not in self._dropped_rows}
        repeated = [voter for voter, _ in rows if voter in by_voter]
        if repeated and self._duplicates == "error":
            name = "gold" if repeated[0] == GOLD_ROW else self._annotators.names[repeated[0]]
            raise AnnotationError(
                f"annotator {name} labelled this sentence before{_at(self._places[number])}, "
                "remove one or say which to keep (--duplicates first|newest)"
            )
        self.repeated_rows += len(repeated)
        for voter, tags in rows:
            if voter in by_voter and self._duplicates == "first":
                continue
            if voter in by_voter:
                self._dropped_rows.add(by_voter[voter])
            self._later_rows.setdefault(number, []).append(self._append_row(number, voter, tags))
        if record.extras:
            self._extras.setdefault(number, {}).update(record.extras)

    def _check_same_text(self, number: int, record: Record) -> None:
        start, names = self._starts[number], self._words.names
        held = [names[i] for i in self._token_ids[start : start + self._lengths[number]]]
        if held == list(record.tokens):
            return
        pairs = zip([*held, "the end"], [*record.tokens, "the end"], strict=False)
        place, (mine, other) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
        raise AnnotationError(
            f"the id was used before{_at(self._places[number])} for another text: "
            f"token {place + 1} is {other!r} here and {mine!r} there"
        )

    def tokens_of(self, sentence_id: str) -> tuple[str, ...] | None:
        """The tokens already held under an id, for readers that align annotators to each other."""
        number = self._sentences.get(sentence_id)
        if number is None:
            return None
        start, names = self._starts[number], self._words.names
        return tuple(names[i] for i in self._token_ids[start : start + self._lengths[number]])

    def build(self, scheme: LabelScheme | str | None = None) -> Corpus:
        """The corpus of all records. scheme: one to hold them to, a kind by name, or None to detect it."""
        lengths = np.array(self._lengths, np.int64)
        text = self._text(lengths)
        voters, annotators = number_by_name(np.array(self._row_voters, np.int32), self._annotators.names)
        rows = RawRows(
            np.array(self._row_sentences, np.int32),
            voters,
            np.array(self._row_starts, np.int64),
            np.array(self._cells, np.int16),
        )
        rows = rows.in_order(lengths, without=self._dropped_rows)
        self.spelling = settle_spelling(rows, self._labels.names, scheme)
        rows = RawRows(rows.sentences, rows.voters, rows.starts, self.spelling.cells)
        gold, has_gold = rows.gold(text.offsets)
        crowd = rows.annotations(annotators, text.lengths)
        return Corpus(self.spelling.scheme, text, crowd, gold, has_gold)

    def _text(self, lengths: IntArray) -> Text:
        columns = {
            name: Column(tuple(table.names), np.array(ids, np.int32))
            for name, (table, ids) in self._columns.items()
        }
        return Text(
            tuple(self._words.names),
            np.array(self._token_ids, np.int32),
            offsets_of(lengths),
            tuple(self._sentences),
            tuple(self._document_names),
            np.array(self._document_of, np.int32),
            columns,
            dict(self._extras),
        )


def _check_columns(record: Record) -> None:
    for name, values in record.columns.items():
        if len(values) != len(record.tokens):
            raise AnnotationError(f"column {name}: {len(values)} values for {len(record.tokens)} tokens")


def _at(place: str) -> str:
    return f" ({place})" if place else ""
