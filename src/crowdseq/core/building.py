"""CorpusBuilder: sentences in, one after the other, a checked Corpus out."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from struct import pack
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.assembly import (
    GOLD_ROW,
    RawRows,
    Spelling,
    choose_spelling,
    merge_extras,
    number_by_name,
)
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.names import LabelRows, NumberedNames, Tags, TooManyLabels, check_name, counted, made_ids
from crowdseq.core.ragged import offsets_of
from crowdseq.core.text import ColumnCollector, Text, check_columns
from crowdseq.errors import Advice, AnnotationError, SchemeError, SettingsError

DUPLICATES = ("error", "first", "newest")
_MANY_ROWS = 50


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
    words: where words have their numbers from, for builders that share them.
    """

    def __init__(self, *, duplicates: str = "error", words: NumberedNames | None = None) -> None:
        if duplicates not in DUPLICATES:
            raise SettingsError(f"duplicates cannot be '{duplicates}', choose one of {', '.join(DUPLICATES)}")
        self._duplicates = duplicates
        self._words = NumberedNames() if words is None else words
        self._labels = LabelRows()
        self._annotators = NumberedNames(check_name("annotator"))
        self._token_ids, self._lengths = array("i"), array("i")
        self._sentences: dict[str | int, int] = {}  # by id, or by number until an id is found for it
        self._documents: dict[str | None, int] = {}
        self._document_names: list[str | None] = []
        self._document_of = array("i")
        self._starts = array("q")
        self._places: list[str] = []
        self._cells = array("h")
        self._row_sentences, self._row_voters, self._row_starts = array("i"), array("i"), array("q")
        self._first_rows, self._row_counts = array("i"), array("i")
        self._later_rows: dict[int, list[int]] = {}
        self._by_voter: dict[int, dict[int, int]] = {}
        self._dropped_rows: set[int] = set()
        self._extras: dict[int, dict[str, Any]] = {}
        self._own_extras: dict[int, set[str]] = {}
        self._columns = ColumnCollector()
        self.repeated_rows = 0
        self.replaced_extras = 0
        self.spelling: Spelling | None = None

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def n_tokens(self) -> int:
        """How many tokens the sentences have so far."""
        return len(self._token_ids)

    @property
    def n_labels(self) -> int:
        """How many different labels were met."""
        return len(self._labels.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that was met, as it is spelt."""
        return tuple(self._labels.names)

    def add(self, record: Record) -> int:
        """Take one record; gives the number of its sentence. A faulty record changes nothing."""
        _check_fields(record)
        rows = [
            (self._voter(name), self._row(name, tags, record)) for name, tags in record.annotations.items()
        ]
        if record.gold is not None:
            rows.append((GOLD_ROW, self._row("gold", record.gold, record)))
        known = self._sentences.get(record.id) if record.id is not None else None
        if known is None:
            return self._open_sentence(record, rows)
        self._join_sentence(known, record, rows)
        return known

    def _voter(self, name: str) -> int:
        try:
            return self._annotators[name]
        except TypeError:
            raise AnnotationError(f'annotator {name!r} is not named by a text, write "{name}"') from None

    def _row(self, name: str, tags: Tags, record: Record) -> bytes:
        if isinstance(tags, str) or not isinstance(tags, list | tuple | Sequence):  # the common ones first
            raise AnnotationError(f"annotator {name}: labels must be a list, one for each token")
        if len(tags) != len(record.tokens):
            sizes = f"{counted(len(tags), 'label')} for {counted(len(record.tokens), 'token')}"
            raise AnnotationError(f"annotator {name}: {sizes}")
        try:
            return self._labels.packed(tags)
        except TypeError:
            raise AnnotationError(f"annotator {name}: a label must be a text or null") from None
        except TooManyLabels:
            raise
        except (AnnotationError, SchemeError) as error:
            raise type(error)(f"annotator {name}: {error}") from None

    def _open_sentence(self, record: Record, rows: list[tuple[int, bytes]]) -> int:
        try:
            token_ids = list(map(self._words.__getitem__, record.tokens))
        except TypeError:
            raise AnnotationError("a token must be a text") from None
        number = len(self._lengths)
        self._sentences[number if record.id is None else record.id] = number
        self._starts.append(len(self._token_ids))
        # Several times as fast as to extend the array by a list.
        self._token_ids.frombytes(pack(f"{len(token_ids)}i", *token_ids))
        self._lengths.append(len(token_ids))
        self._document_of.append(self._document(record.doc))
        self._places.append(record.place)
        self._first_rows.append(len(self._row_voters))
        self._row_counts.append(len(rows))
        for voter, tags in rows:
            self._append_row(number, voter, tags)
        self._columns.append(record.columns, len(token_ids))
        if record.extras:
            self._extras[number] = dict(record.extras)
        return number

    def _document(self, name: str | None) -> int:
        if name is None or name not in self._documents:
            self._document_names.append(name)
            if name is None:
                return len(self._document_names) - 1
            self._documents[name] = len(self._document_names) - 1
        return self._documents[name]

    def _append_row(self, sentence: int, voter: int, tags: bytes) -> int:
        self._row_sentences.append(sentence)
        self._row_voters.append(voter)
        self._row_starts.append(len(self._cells))
        self._cells.frombytes(tags)
        return len(self._row_voters) - 1

    def _join_sentence(self, number: int, record: Record, rows: list[tuple[int, bytes]]) -> None:
        self._check_same_text(number, record)
        differing = self._columns.differing(record.columns, self._starts[number])
        if differing is not None:
            raise AnnotationError(f"column {differing} is not what it was before{_at(self._places[number])}")
        document = self._joined_document(number, record)
        first = self._first_rows[number]
        by_voter = self._rows_by_voter(number)
        # Files of single annotators often carry the same gold: that is no contradiction.
        rows = [
            row for row in rows if row[0] != GOLD_ROW or not self._is_held(by_voter.get(GOLD_ROW), row[1])
        ]
        repeated = [voter for voter, _ in rows if voter in by_voter]
        if repeated and self._duplicates == "error":
            who = "gold" if repeated[0] == GOLD_ROW else f"annotator {self._annotators.names[repeated[0]]}"
            is_first = by_voter[repeated[0]] < first + self._row_counts[number]
            where = "" if is_first else "the sentence stands first in "
            raise AnnotationError(
                f"{who} labelled this sentence before{_at(self._places[number], where)}",
                Advice("remove one or say which to keep: {duplicates} (or newest)", duplicates="first"),
            )
        self.repeated_rows += len(repeated)
        for voter, tags in rows:
            if voter in by_voter and self._duplicates == "first":
                continue
            if voter in by_voter:
                self._dropped_rows.add(by_voter[voter])
            by_voter[voter] = self._append_row(number, voter, tags)
            self._later_rows.setdefault(number, []).append(by_voter[voter])
        self._document_of[number] = document
        self._columns.fill(record.columns, self._starts[number])
        if record.extras:
            held, own = self._extras.setdefault(number, {}), self._own_extras.setdefault(number, set())
            self.replaced_extras += merge_extras(held, record.extras, own, keeps=self._duplicates == "first")

    def _rows_by_voter(self, number: int) -> dict[int, int]:
        """The row of everybody who labelled a sentence; kept where there are many, else soon made again."""
        if number in self._by_voter:
            return self._by_voter[number]
        first, later = self._first_rows[number], self._later_rows.get(number, [])
        held = [*range(first, first + self._row_counts[number]), *later]
        made = {self._row_voters[row]: row for row in held if row not in self._dropped_rows}
        if len(held) > _MANY_ROWS:
            self._by_voter[number] = made
        return made

    def _is_held(self, row: int | None, tags: bytes) -> bool:
        if row is None:
            return False
        start = self._row_starts[row]
        return self._cells[start : start + len(tags) // self._cells.itemsize].tobytes() == tags

    def _check_same_text(self, number: int, record: Record) -> None:
        start, names = self._starts[number], self._words.names
        held = [names[i] for i in self._token_ids[start : start + self._lengths[number]]]
        if held == list(record.tokens):
            return
        pairs = enumerate(zip_longest(held, record.tokens))
        index, (mine, other) = next((index, pair) for index, pair in pairs if pair[0] != pair[1])
        raise AnnotationError(
            f"the id was used before{_at(self._places[number])} for another text: "
            f"token {index + 1} is {_shown(other)} here and {_shown(mine)} there"
        )

    def _joined_document(self, number: int, record: Record) -> int:
        """The document of a sentence that is seen again; who knows it tells who does not."""
        held = self._document_names[self._document_of[number]]
        if record.doc is None or record.doc == held:
            return self._document_of[number]
        if held is None:
            return self._document(record.doc)
        raise AnnotationError(
            f"the sentence is in document '{record.doc}' here and in '{held}' before"
            f"{_at(self._places[number])}, give it another id or the same document"
        )

    def number_of(self, sentence_id: str) -> int | None:
        """The number of the sentence of this id, if there is one."""
        return self._sentences.get(sentence_id)

    def tokens_of(self, sentence_id: str) -> tuple[str, ...] | None:
        """The tokens already held under an id, for readers that align annotators to each other."""
        number = self._sentences.get(sentence_id)
        if number is None:
            return None
        start, names = self._starts[number], self._words.names
        return tuple(names[i] for i in self._token_ids[start : start + self._lengths[number]])

    def extras_of(self, sentence_id: str) -> Mapping[str, Any]:
        """The extras already held under an id."""
        return self._extras.get(self._sentences.get(sentence_id, -1), {})

    def build(self, scheme: LabelScheme | str | None = None, *, respells: bool = False) -> Corpus:
        """The corpus of all records. scheme: one to hold them to, a kind by name, or None to detect it.

        respells: whether `B_PER` and the like are read as `B-PER`; `spelling` then says so.
        """
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
        self.spelling = choose_spelling(rows, self._labels.names, scheme, respells=respells)
        rows = RawRows(rows.sentences, rows.voters, rows.starts, self.spelling.cells)
        gold, has_gold = rows.gold(text.offsets)
        crowd = rows.annotations(annotators, text.lengths)
        return Corpus(self.spelling.scheme, text, crowd, gold, has_gold)

    def _text(self, lengths: IntArray) -> Text:
        kept, document_of = np.unique(np.array(self._document_of, np.int32), return_inverse=True)
        return Text(
            tuple(self._words.names),
            np.array(self._token_ids, np.int32),
            offsets_of(lengths),
            made_ids(self._sentences),
            tuple(self._document_names[i] for i in kept.tolist()),
            document_of.astype(np.int32),
            self._columns.build(),
            dict(self._extras),
        )


def _check_fields(record: Record) -> None:
    for what, name in (("id", record.id), ("document", record.doc)):
        if name is not None and not isinstance(name, str):
            raise AnnotationError(f'the {what} {name!r} is not a text, write "{name}"')
    if isinstance(record.tokens, str):
        raise AnnotationError("tokens must be a list of texts")
    check_columns(record.columns, len(record.tokens))


def _shown(token: str | None) -> str:
    return "the end" if token is None else repr(token)


def _at(place: str, what: str = "") -> str:
    return f" ({what}{place})" if place else ""
