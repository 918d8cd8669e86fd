"""A corpus in an order, in shards and in folds that no name and no file decides.

Sums in another order differ in the last digits. A long chain of optimiser steps can make them differ in the
fourth, so such methods first put sentences, annotators and words in an order that follows from content alone.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crowdseq.aggregation.contract import require
from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.text import Column, Text
from crowdseq.engines.shards import Cut, cut_documents

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
        annotators, labelled = _digests(corpus)
        sentences = _order_of_documents(corpus.text, labelled) if whole_documents else _order(labelled)
        people = _order(annotators)
        chosen = corpus.select(sentences)
        crowd = chosen.annotations.keep_annotators(people.tolist())
        ordered = replace(chosen, text=_sorted_words(chosen.text), annotations=crowd)
        tokens = gather_ranges(corpus.offsets[sentences], corpus.text.lengths[sentences])
        return cls(ordered, tokens, people)

    def restore_tokens(self, rows: Rows) -> Rows:
        """Rows (T, …) of the canonical corpus in the order of the first one."""
        return _restore(rows, self.tokens)

    def restore_annotators(self, rows: Rows) -> Rows:
        """Rows (K, …) of the canonical corpus in the order of the first one."""
        return _restore(rows, self.annotators)


def order_of_documents(corpus: Corpus) -> IntArray:
    """(N,) the sentences of a corpus as `Canonical` with whole documents orders them."""
    return _order_of_documents(corpus.text, _digests(corpus)[1])


def _digests(corpus: Corpus) -> tuple[list[bytes], list[bytes]]:
    """One for each annotator, and one for each sentence with all that was said of it."""
    texts, rows = _sentence_digests(corpus.text), _row_digests(corpus)
    crowd = corpus.annotations
    annotators = _digest_groups(
        [texts[s] + row for s, row in zip(crowd.row_sentences.tolist(), rows, strict=True)],
        crowd.voters,
        len(corpus.annotators),
    )
    ballots = _digest_groups(
        [annotators[k] + row for k, row in zip(crowd.voters.tolist(), rows, strict=True)],
        crowd.row_sentences,
        len(corpus),
    )
    return annotators, [text + ballot for text, ballot in zip(texts, ballots, strict=True)]


def _restore(rows: Rows, places: IntArray) -> Rows:
    restored: Rows = rows.copy()
    restored[places] = rows
    return restored


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _sentence_digests(text: Text) -> list[bytes]:
    """One for each sentence, from its words and nothing else."""
    words = [blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in text.words]
    codes: NDArray[np.uint64] = np.frombuffer(b"".join(words), np.uint64)[text.token_ids]
    bounds = text.offsets.tolist()
    return [_digest(codes[a:b].tobytes()) for a, b in pairwise(bounds)]


def _row_digests(corpus: Corpus) -> list[bytes]:
    """One for each annotator's answer to a sentence, from its labels."""
    crowd = corpus.annotations
    ends = (crowd.row_starts + crowd.lengths[crowd.row_sentences]).tolist()
    tags = np.ascontiguousarray(crowd.tags, np.int16)
    return [_digest(tags[a:b].tobytes()) for a, b in zip(crowd.row_starts.tolist(), ends, strict=True)]


def _digest_groups(digests: Sequence[bytes], groups: IntArray, n_groups: int) -> list[bytes]:
    """One for each group, from those of its members, whatever their order."""
    members: list[list[bytes]] = [[] for _ in range(n_groups)]
    for group, digest in zip(groups.tolist(), digests, strict=True):
        members[group].append(digest)
    return [_digest(b"".join(sorted(group))) for group in members]


def _order(digests: Sequence[bytes]) -> IntArray:
    return np.array(sorted(range(len(digests)), key=digests.__getitem__), np.int64)


def _order_of_documents(text: Text, sentences: Sequence[bytes]) -> IntArray:
    """Documents by their content, the sentences of each one after the other as they stand."""
    parts: list[list[int]] = [[] for _ in text.documents]
    for place, document in enumerate(text.document_of.tolist()):
        parts[document].append(place)
    ranked = sorted((_digest(b"".join(sentences[place] for place in part)), part) for part in parts)
    return np.array([place for _, part in ranked for place in part], np.int64)


def _sorted_words(text: Text) -> Text:
    """The same text with its tables of words and columns in sorted order, unused entries left out."""
    words, token_ids = _sorted_table(text.words, text.token_ids)
    columns = {
        name: Column(*_sorted_table(text.columns[name].table, text.columns[name].ids))
        for name in sorted(text.columns)
    }
    return replace(text, words=words, token_ids=token_ids, columns=columns)


def _sorted_table(table: Sequence[str], ids: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """-1 stands for no entry and stays."""
    used = sorted(np.unique(ids[ids >= 0]).tolist(), key=lambda number: table[number])
    numbers = np.full(len(table) + 1, -1, np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    return tuple(table[number] for number in used), numbers[ids]


def cut_canonical(corpus: Corpus, shard_tokens: int) -> Cut:
    """Whole documents in canonical order, filled up to `shard_tokens`; a corpus that fits stays as it is."""
    if corpus.n_tokens <= shard_tokens:
        return Cut.whole(corpus)
    return cut_documents(corpus, shard_tokens, order_of_documents(corpus))


def require_shard_tokens(shard_tokens: int) -> None:
    """Refuse a size in which no shard could hold a token; used by the methods' `__post_init__`."""
    require(shard_tokens >= 1, f"shard_tokens is {shard_tokens}, it must be at least 1")
