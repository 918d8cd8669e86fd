"""A corpus in an order, in shards and in folds that no name and no file decides.

Sums in another order differ in the last digits. A long chain of optimiser steps can make them differ in the
fourth, so such methods first put sentences, annotators and words in an order that follows from content alone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.engines.ordering import by_digest, by_documents, digests, sort_words
from crowdseq.engines.shards import AnyShard, Cut, Shard, cut_documents

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

_TOO_LARGE = 0.5  # share of the tokens; what is left would be too little to learn from


def assign_folds(corpus: Corpus, n_folds: int) -> IntArray:
    """(N,) the fold of each sentence; whole documents go together, and so do documents with the same words.

    A document with more than half of the text goes by its sentences instead; if one sentence is as large,
    there is one fold only. Folds follow from the words alone, so neither names nor order of documents change
    them.
    """
    return folds_of_parts([FoldUnits.of(corpus)], n_folds)[0]


@dataclass(frozen=True, eq=False)
class FoldUnits:
    """What folds are made of, of a part of a corpus: digests of the words of each sentence's document (N, 2)
    and of its own words (N, 2), and how long it is (N,)."""

    documents: NDArray[np.uint64]
    sentences: NDArray[np.uint64]
    lengths: IntArray

    @classmethod
    def of(cls, corpus: Corpus) -> "FoldUnits":
        text = corpus.text
        hashes = [hashlib.blake2b(digest_size=16) for _ in text.documents]
        own: list[bytes] = []
        for tokens, document in zip(text.tokens, text.document_of.tolist(), strict=True):
            content = "\n".join(tokens).encode("utf-8", "surrogatepass") + b"\n\n"
            hashes[document].update(content)
            own.append(hashlib.blake2b(content, digest_size=16).digest())
        documents = _numbers([one.digest() for one in hashes])[text.document_of]
        return cls(documents, _numbers(own), text.lengths)


def _numbers(digests: list[bytes]) -> NDArray[np.uint64]:
    """(D, 2) two numbers for each digest of 16 bytes, in whose order the digests are."""
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(len(digests), 2)


def folds_of_parts(parts: Sequence[FoldUnits], n_folds: int) -> list[IntArray]:
    """The fold of each sentence of every part: those of the whole corpus, however it is cut."""
    lengths = np.concatenate([part.lengths for part in parts])
    bounds = np.cumsum([len(part.lengths) for part in parts])[:-1]
    if n_folds <= 1 or len(lengths) == 0:
        return np.split(np.zeros(len(lengths), np.int64), bounds)
    units = np.concatenate([part.documents for part in parts])
    large = _too_large(units, lengths)
    if large.any():
        units[large] = np.concatenate([part.sentences for part in parts])[large]
        if _too_large(units, lengths).any():
            return np.split(np.zeros(len(lengths), np.int64), bounds)
    _, ranks = np.unique(units, axis=0, return_inverse=True)
    return np.split(ranks.ravel() % n_folds, bounds)


def _too_large(units: NDArray[np.uint64], lengths: IntArray) -> BoolArray:
    """(N,) sentences of a unit with most of the text."""
    _, numbers = np.unique(units, axis=0, return_inverse=True)
    sizes = np.bincount(numbers.ravel(), weights=lengths)
    return np.asarray((sizes > _TOO_LARGE * lengths.sum())[numbers.ravel()])


Rows = TypeVar("Rows", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Canonical:
    """corpus: in canonical order. tokens (T,), annotators (K,): where each of its own stood before."""

    corpus: Corpus
    tokens: IntArray
    annotators: IntArray

    @classmethod
    def of(cls, corpus: Corpus, *, whole_documents: bool = False) -> "Canonical":
        """whole_documents: for methods that ask what came earlier in a document."""
        annotators, labelled = digests(corpus)
        sentences = by_documents(corpus.text, labelled) if whole_documents else by_digest(labelled)
        people = by_digest(annotators)
        chosen = corpus.select(sentences)
        crowd = chosen.annotations.keep_annotators(people.tolist())
        ordered = replace(chosen, text=sort_words(chosen.text), annotations=crowd)
        tokens = gather_ranges(corpus.offsets[sentences], corpus.text.lengths[sentences])
        return cls(ordered, tokens, people)

    def restore_tokens(self, rows: Rows) -> Rows:
        """Rows (T, …) of the canonical corpus in the order of the first one."""
        return _restore(rows, self.tokens)

    def restore_annotators(self, rows: Rows) -> Rows:
        """Rows (K, …) of the canonical corpus in the order of the first one."""
        return _restore(rows, self.annotators)


@dataclass(frozen=True, eq=False)
class OrderedCut:
    """A corpus cut in the canonical order of its documents, and of its annotators.

    given: as it was. annotators (K,), tokens (T,): where each stood before; corpus: in this order. None for
    what stays on disk.
    """

    given: "Corpus | StoredCorpus"
    cut: Cut
    annotators: IntArray
    tokens: IntArray | None
    corpus: Corpus | None = None

    @classmethod
    def of(cls, corpus: "Corpus | StoredCorpus", shard_tokens: int) -> "OrderedCut":
        if not isinstance(corpus, Corpus):
            return cls(corpus, corpus.cut, corpus.annotator_order, None)
        ordered = Canonical.of(corpus, whole_documents=True)
        cut = cut_documents(ordered.corpus, shard_tokens)
        return cls(corpus, cut, ordered.annotators, ordered.tokens, ordered.corpus)

    @property
    def order(self) -> IntArray | None:
        """(K,) what shards on disk must still be told; see `open_ordered`."""
        return self.annotators if self.tokens is None else None

    def join_tokens(self, parts: Sequence[Rows]) -> Rows:
        """Rows of each shard to rows (T, …) in the order of the corpus as it was given."""
        return self.restore_tokens(cast(Rows, self.cut.join_tokens(parts)))

    def restore_tokens(self, rows: Rows) -> Rows:
        """Rows (T, …) in the order of the corpus as it was given."""
        assert self.tokens is not None
        return _restore(rows, self.tokens)

    def restore_annotators(self, rows: Rows) -> Rows:
        """Rows (K, …) in the order of the corpus as it was given."""
        return _restore(rows, self.annotators)


def open_ordered(shard: AnyShard, order: IntArray | None) -> Shard:
    """A shard with its annotators in an order (K,), if any is told."""
    corpus = shard.corpus
    if order is not None:
        corpus = replace(corpus, annotations=corpus.annotations.keep_annotators(order.tolist()))
    return Shard(shard.number, corpus)


def _restore(rows: Rows, places: IntArray) -> Rows:
    restored: Rows = rows.copy()
    restored[places] = rows
    return restored
