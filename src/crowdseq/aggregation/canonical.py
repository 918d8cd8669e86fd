"""A corpus in an order, in shards and in folds that no name and no file decides.

Sums in another order differ in the last digits. A long chain of optimiser steps can make them differ in the
fourth, so such methods first put sentences, annotators and words in an order that follows from content alone.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crowdseq.aggregation.contract import require
from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.engines.ordering import by_digest, by_documents, digests, sort_words

_TOO_LARGE = 0.5  # share of the tokens; what is left would be too little to learn from


def assign_folds(corpus: Corpus, n_folds: int) -> IntArray:
    """(N,) the fold of each sentence; whole documents go together, and so do documents with the same words.

    A document with more than half of the text goes by its sentences instead; if one sentence is as large,
    there is one fold only. Folds follow from the words alone, so neither names nor order of documents change
    them.
    """
    if n_folds <= 1 or len(corpus) == 0:
        return np.zeros(len(corpus), np.int64)
    digests = _document_digests(corpus)
    units = [digests[document] for document in corpus.text.document_of.tolist()]
    large = _too_large(units, corpus)
    units = [
        _words_digest(tokens) if unit in large else unit
        for unit, tokens in zip(units, corpus.text.tokens, strict=True)
    ]
    if _too_large(units, corpus):
        return np.zeros(len(corpus), np.int64)
    ranks = {digest: rank for rank, digest in enumerate(sorted(set(units)))}
    return np.array([ranks[unit] % n_folds for unit in units], np.int64)


def _too_large(units: list[bytes], corpus: Corpus) -> set[bytes]:
    sizes: Counter[bytes] = Counter()
    for unit, length in zip(units, corpus.text.lengths.tolist(), strict=True):
        sizes[unit] += length
    return {unit for unit, size in sizes.items() if size > _TOO_LARGE * corpus.n_tokens}


def _document_digests(corpus: Corpus) -> list[bytes]:
    """One digest of its words for each document."""
    text = corpus.text
    hashes = [hashlib.blake2b(digest_size=16) for _ in text.documents]
    for place, document in enumerate(text.document_of.tolist()):
        hashes[document].update(_bytes_of(text.tokens[place]))
    return [one.digest() for one in hashes]


def _words_digest(tokens: Sequence[str]) -> bytes:
    return hashlib.blake2b(_bytes_of(tokens), digest_size=16).digest()


def _bytes_of(tokens: Sequence[str]) -> bytes:
    return "\n".join(tokens).encode("utf-8", "surrogatepass") + b"\n\n"


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


def _restore(rows: Rows, places: IntArray) -> Rows:
    restored: Rows = rows.copy()
    restored[places] = rows
    return restored


def require_shard_tokens(shard_tokens: int) -> None:
    """Refuse a size in which no shard could hold a token; used by the methods' `__post_init__`."""
    require(shard_tokens >= 1, f"shard_tokens is {shard_tokens}, it must be at least 1")
