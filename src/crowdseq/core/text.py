"""Text: the sentences of a corpus as flat arrays, and Sentence, a cheap view on one of them."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.names import NumberedNames, counted
from crowdseq.core.ragged import Ragged, gather_ranges, offsets_of
from crowdseq.errors import AnnotationError

GoldTags: TypeAlias = tuple[str | None, ...] | None


@dataclass(frozen=True)
class Sentence:
    """One sentence; `doc` is None when it stands alone, `extras` holds the fields we only carry along.

    columns: further values for each token, such as parts of speech, by name.

    >>> import crowdseq
    >>> crowdseq.demo_corpus().sentences[0].doc
    'news-01'
    """

    id: str
    doc: str | None
    tokens: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelledSentence(Sentence):
    """One sentence with all that was said of it: what `corpus[i]` gives.

    annotations: the tags of everybody who saw it, by name, None for a token without a label. gold: the known
    true tags, or None.

    >>> import crowdseq
    >>> record = {"tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"], "bob": ["O", None]}}
    >>> sentence = crowdseq.Corpus.from_records([record])[0]
    >>> sentence.annotations["ann"]
    ('B-PER', 'O')
    >>> sentence.gold is None
    True
    """

    annotations: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    gold: GoldTags = None

    def as_record(self) -> dict[str, Any]:
        """The sentence as a plain record, in the form of crowd JSONL and of `Corpus.from_records`."""
        made: dict[str, Any] = {"id": self.id}
        if self.doc is not None:
            made["doc"] = self.doc
        made["tokens"] = list(self.tokens)
        made["gold"] = None if self.gold is None else list(self.gold)
        made["annotations"] = {name: list(tags) for name, tags in self.annotations.items()}
        if self.columns:
            made["columns"] = {name: list(values) for name, values in self.columns.items()}
        return made | dict(self.extras)


@dataclass(frozen=True, eq=False)
class Column:
    """One further value for each token, such as a part of speech: a table and (T,) numbers into it.

    A sentence that came without the column has -1 throughout.
    """

    table: tuple[str, ...]
    ids: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """N sentences of T tokens in all; a sentence without a document is a document of its own."""

    words: tuple[str, ...]
    token_ids: IntArray
    offsets: IntArray
    ids: tuple[str, ...]
    documents: tuple[str | None, ...]
    document_of: IntArray
    columns: Mapping[str, Column] = field(default_factory=dict)
    extras: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.document_of) == len(self.offsets) - 1:
            raise AnnotationError("a text has as many ids as sentences, and one document for each")
        if len(self.token_ids) != self.offsets[-1]:
            raise AnnotationError("the offsets of a text end where its tokens end")
        self._freeze()

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made of the rest when it is asked for."""
        return {name: value for name, value in self.__dict__.items() if name != "tokens"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy from another process is as fixed as the original: kernels are compiled for either kind."""
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for frozen in (self.token_ids, self.offsets, self.document_of):
            frozen.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Text: {len(self)} sentences, {self.n_tokens} tokens, {len(self.documents)} documents>"

    @property
    def n_tokens(self) -> int:
        """How many tokens all sentences have together."""
        return len(self.token_ids)

    @cached_property
    def lengths(self) -> IntArray:
        """(N,) tokens in each sentence."""
        return np.diff(self.offsets)

    @cached_property
    def sentence_of(self) -> IntArray:
        """(T,) the sentence that each token stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    @cached_property
    def tokens(self) -> Ragged[tuple[str, ...]]:
        """The words of every sentence."""
        words = self.words
        return Ragged(self.token_ids, self.offsets, lambda ids: tuple(words[i] for i in ids.tolist()))

    def sentence(self, index: int) -> Sentence:
        """The view on one sentence."""
        number = range(len(self))[index]
        first, last = int(self.offsets[number]), int(self.offsets[number + 1])
        return Sentence(
            self.ids[number],
            self.documents[self.document_of[number]],
            self.tokens[number],
            {
                name: tuple(column.table[i] for i in column.ids[first:last].tolist())
                for name, column in self.columns.items()
                if first == last or column.ids[first] >= 0
            },
            self.extras.get(number, {}),
        )

    def select(self, chosen: IntArray) -> "Text":
        """Only these sentences, in this order; the word table is shared."""
        lengths = self.lengths[chosen]
        indices = gather_ranges(self.offsets[chosen], lengths)
        kept, document_of = np.unique(self.document_of[chosen], return_inverse=True)
        return Text(
            self.words,
            self.token_ids[indices],
            offsets_of(lengths),
            tuple(self.ids[i] for i in chosen.tolist()),
            tuple(self.documents[i] for i in kept.tolist()),
            document_of.astype(np.int32),
            {name: Column(column.table, column.ids[indices]) for name, column in self.columns.items()},
            {new: self.extras[old] for new, old in enumerate(chosen.tolist()) if old in self.extras},
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return (
            self.ids == other.ids
            and np.array_equal(self.offsets, other.offsets)
            and _same_strings(self.words, self.token_ids, other.words, other.token_ids)
            and _sentence_documents(self) == _sentence_documents(other)
            and dict(self.extras) == dict(other.extras)
            and self.columns.keys() == other.columns.keys()
            and all(
                _same_strings(mine.table, mine.ids, other.columns[name].table, other.columns[name].ids)
                for name, mine in self.columns.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]


def _same_strings(table: Sequence[str], ids: IntArray, other: Sequence[str], other_ids: IntArray) -> bool:
    if len(ids) != len(other_ids):
        return False
    mine: NDArray[Any] = np.array([*table, None], dtype=object)
    yours: NDArray[Any] = np.array([*other, None], dtype=object)
    return bool(np.all(mine[ids] == yours[other_ids]))


def _sentence_documents(text: Text) -> list[str | None]:
    return [text.documents[i] for i in text.document_of.tolist()]


@dataclass(frozen=True, eq=False)
class SentenceView(Sequence[Sentence]):
    """The sentences of a text, made when asked for."""

    text: Text

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.text.sentence(i) for i in range(*index.indices(len(self)))]
        return self.text.sentence(index)


_ABSENT = -1  # a sentence may come without a column that others have
# A table that is nearly empty says little and takes as much room as a full one.
_CELLS_AT_LEAST, _CELLS_PER_VALUE = 10_000_000, 50


class ColumnCollector:
    """One number for each token in each column; `first` is the first token of a sentence."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[NumberedNames, array[int]]] = {}
        self._n_tokens = 0
        self._n_values = 0

    def append(self, columns: Mapping[str, Sequence[str]], length: int) -> None:
        """The columns of the next sentence."""
        self._n_tokens += length
        self.fill(columns, self._n_tokens - length)

    def fill(self, columns: Mapping[str, Sequence[str]], first: int) -> None:
        """Columns for a sentence that had come without them."""
        for name, values in columns.items():
            if name not in self._columns:
                self._columns[name] = (NumberedNames(), array("i"))
            table, ids = self._columns[name]
            _fill_up(ids, first)
            ids[first : first + len(values)] = array("i", map(table.__getitem__, values))
            self._n_values += len(values)

    def differing(self, columns: Mapping[str, Sequence[str]], first: int) -> str | None:
        """The first column that holds something else for the same sentence, if there is one."""
        for name, values in columns.items():
            if name in self._columns and len(values):
                table, ids = self._columns[name]
                held = ids[first : first + len(values)]
                if held and held[0] != _ABSENT and [table.names[i] for i in held] != list(values):
                    return name
        return None

    def build(self) -> dict[str, Column]:
        """All columns as arrays, by name."""
        n_cells = len(self._columns) * self._n_tokens
        if n_cells > _CELLS_AT_LEAST + _CELLS_PER_VALUE * self._n_values:
            what = f"{len(self._columns):,} columns over {self._n_tokens:,} tokens would be nearly all empty"
            raise AnnotationError(f"{what}, leave out what is no column of the text")
        for _, ids in self._columns.values():
            _fill_up(ids, self._n_tokens)
        return {
            name: Column(tuple(table.names), np.array(ids, np.int32))
            for name, (table, ids) in self._columns.items()
        }


def _fill_up(ids: "array[int]", length: int) -> None:
    """Cells that nobody gave, up to a place."""
    if len(ids) < length:
        ids.extend(array("i", [_ABSENT]) * (length - len(ids)))


def check_columns(columns: Mapping[str, Sequence[str]], n_tokens: int) -> None:
    """A column has one text for each token."""
    for name, values in columns.items():
        if len(values) != n_tokens:
            sizes = f"{counted(len(values), 'value')} for {counted(n_tokens, 'token')}"
            raise AnnotationError(f"column {name}: {sizes}")
        if not all(isinstance(value, str) for value in values):
            raise AnnotationError(f"column {name}: a value must be a text")
