"""Shards: whole documents of a corpus, the states they hold, and sums in their order."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges

Summand = TypeVar("Summand", bound=Any)


def add_up(parts: Sequence[Summand]) -> Summand:
    """The sum in the order of the shards; of a single one, the very thing that it gave."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@dataclass(frozen=True, eq=False)
class Numbering:
    """How the items of each shard are numbered among the `size` items of all.

    own: for each shard the numbers of its items, each once; None for a shard that has them all in order.
    """

    size: int
    own: tuple[IntArray | None, ...]

    @classmethod
    def same(cls, size: int, n_shards: int) -> "Numbering":
        """Every shard has all items."""
        return cls(size, (None,) * n_shards)

    @classmethod
    def of_rows(cls, parts: Sequence[IntArray]) -> "tuple[IntArray, Numbering]":
        """Different rows (C, columns) of each shard to the rows of all in sorted order, and their numbers."""
        if len(parts) == 1:
            return parts[0], cls.same(len(parts[0]), 1)
        rows, numbers = np.unique(np.concatenate(parts), axis=0, return_inverse=True)
        bounds = np.cumsum([len(part) for part in parts])[:-1]
        return rows, cls(len(rows), tuple(np.split(short_numbers(numbers.ravel(), len(rows)), bounds)))

    def split(self, rows: NDArray[Any]) -> "Sequence[NDArray[Any]]":
        """Rows (size, …) of all items to those of each shard."""
        return Split(rows, self.own)

    def split_columns(self, rows: NDArray[Any]) -> "Sequence[NDArray[Any]]":
        """The same for columns (…, size)."""
        return Split(rows, self.own, in_columns=True)

    def add_up(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rows of each shard's items to rows (size, …) of all, summed in the order of the shards."""
        if all(own is None for own in self.own):
            return add_up(parts)
        total = np.zeros((self.size, *parts[0].shape[1:]), parts[0].dtype)
        for own, part in zip(self.own, parts, strict=True):
            total[slice(None) if own is None else own] += part
        return total


@dataclass(frozen=True, eq=False)
class Split(Sequence[NDArray[Any]]):
    """Rows of all items as those of each shard, taken when they are asked for: never all at once."""

    rows: NDArray[Any]
    own: tuple[IntArray | None, ...]
    in_columns: bool = False

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, place: Any) -> Any:
        own = self.own[place]
        if own is None:
            return self.rows
        return self.rows[..., own] if self.in_columns else self.rows[own]


def short_numbers(numbers: IntArray, size: int) -> IntArray:
    """Numbers below a size in half the room, where they fit."""
    return numbers.astype(np.int32) if size <= np.iinfo(np.int32).max else numbers


State = TypeVar("State")


class Version:
    """Stands for a state that every shard holds; nobody can ask for it once this is gone."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class Versions:
    """The driver's side: new numbers, and which are still asked for."""

    def __init__(self) -> None:
        self._alive: WeakSet[Version] = WeakSet()
        self._count = 0

    def new(self) -> Version:
        """A number that was never given."""
        version = Version(self._count)
        self._count += 1
        self._alive.add(version)
        return version

    @property
    def alive(self) -> tuple[int, ...]:
        """The numbers of all versions that somebody has, for `Kept.forget_others`."""
        return tuple(sorted(version.number for version in self._alive))


class Kept(Generic[State]):
    """The shard's side: states by number."""

    def __init__(self) -> None:
        self._states: dict[int, State] = {}

    def __getitem__(self, number: int) -> State:
        return self._states[number]

    def __setitem__(self, number: int, state: State) -> None:
        self._states[number] = state

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these alone."""
        self._states = {number: state for number, state in self._states.items() if number in alive}


# Corpora up to this many tokens are one shard, whose sums have the order of the text.
SHARD_TOKENS = 100_000


@dataclass(frozen=True, eq=False)
class CorpusFacts:
    """What a driver knows of a corpus that it need not hold: its labels and names, and how large it is.

    n_gold: sentences with gold.
    """

    scheme: LabelScheme
    annotators: tuple[str, ...]
    n_sentences: int
    n_tokens: int
    n_words: int
    n_votes: int
    n_gold: int

    @classmethod
    def of(cls, corpus: Corpus) -> "CorpusFacts":
        return cls(
            corpus.scheme,
            corpus.annotators,
            len(corpus),
            corpus.n_tokens,
            len(corpus.text.words),
            corpus.annotations.n_votes,
            int(corpus.has_gold.sum()),
        )


class AnyShard(Protocol):
    """A part of a corpus as a corpus of its own, in memory or on disk; words and annotators keep their
    numbers."""

    @property
    def number(self) -> int: ...
    @property
    def corpus(self) -> Corpus: ...


@dataclass(frozen=True, eq=False)
class Shard:
    """A shard in memory."""

    number: int
    corpus: Corpus


@dataclass(frozen=True, eq=False)
class Cut:
    """The shards of a corpus in order.

    sentences, tokens: for each shard the numbers of its sentences and tokens in the whole corpus; None for a
    single shard, which is the corpus as it stands, and for shards that are on disk.
    """

    facts: CorpusFacts
    shards: Sequence[AnyShard]
    sentences: tuple[IntArray, ...] | None = None
    tokens: tuple[IntArray, ...] | None = None

    @classmethod
    def whole(cls, corpus: Corpus) -> "Cut":
        """All of it as one shard."""
        return cls(CorpusFacts.of(corpus), (Shard(0, corpus),))

    @property
    def words(self) -> tuple[str, ...]:
        """The word table of all shards."""
        return self.shards[0].corpus.text.words

    def split_tokens(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows (T, …) of the corpus to those of each shard."""
        return [rows] if self.tokens is None else [rows[own] for own in self.tokens]

    def split_sentences(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows (N, …) of the corpus to those of each shard."""
        return [rows] if self.sentences is None else [rows[own] for own in self.sentences]

    def join_sentences(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rows of each shard to rows (N, …) of the corpus."""
        return _joined(parts, self.sentences, self.facts.n_sentences)

    def join_tokens(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Rows of each shard to rows (T, …) of the corpus."""
        return _joined(parts, self.tokens, self.facts.n_tokens)


def _joined(parts: Sequence[NDArray[Any]], places: Sequence[IntArray] | None, size: int) -> NDArray[Any]:
    if places is None:
        return parts[0]
    rows = np.empty((size, *parts[0].shape[1:]), parts[0].dtype)
    for own, part in zip(places, parts, strict=True):
        rows[own] = part
    return rows


def cut_documents(corpus: Corpus, shard_tokens: int, order: IntArray | None = None) -> Cut:
    """Whole documents, filled up to `shard_tokens`; a larger document is a shard of its own.

    order (N,): the sentences document by document, for an order of documents that is not that of the text.
    The cut follows from the corpus and the size alone. A corpus that fits into one shard is not touched.
    """
    if corpus.n_tokens <= shard_tokens or len(corpus.text.documents) <= 1:
        return Cut.whole(corpus)
    text = corpus.text
    sentences = _by_document(text.document_of) if order is None else order
    parts = [
        sentences[part] for part in filled(text.document_of[sentences], text.lengths[sentences], shard_tokens)
    ]
    if len(parts) == 1:
        return Cut.whole(corpus)
    shards = tuple(Shard(number, corpus.select(part)) for number, part in enumerate(parts))
    tokens = tuple(gather_ranges(text.offsets[part], text.lengths[part]) for part in parts)
    return Cut(CorpusFacts.of(corpus), shards, tuple(parts), tokens)


def _by_document(document_of: IntArray) -> IntArray:
    """(N,) the sentences with those of a document together, documents as they first occur."""
    _, first, documents = np.unique(document_of, return_index=True, return_inverse=True)
    return np.argsort(first[documents], kind="stable")


def filled(documents: IntArray, lengths: IntArray, size: int) -> Iterator[slice]:
    """Stretches of sentences that end with a document and hold at most `size` tokens, if it is not one."""
    bounds = [0, *(np.flatnonzero(np.diff(documents)) + 1).tolist(), len(documents)]
    running = np.concatenate([[0], np.cumsum(lengths)])
    first = 0
    for begin, end in pairwise(bounds):
        brings_tokens = running[end] > running[begin] > running[first]
        if brings_tokens and running[end] - running[first] > size:
            yield slice(first, begin)
            first = begin
    yield slice(first, len(documents))
