"""Folds: parts of a corpus that judge each other, so that no tagger scores what it learned by heart."""

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus

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
        _digest(tokens) if unit in large else unit
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


def _digest(tokens: Sequence[str]) -> bytes:
    return hashlib.blake2b(_bytes_of(tokens), digest_size=16).digest()


def _bytes_of(tokens: Sequence[str]) -> bytes:
    return "\n".join(tokens).encode("utf-8", "surrogatepass") + b"\n\n"
