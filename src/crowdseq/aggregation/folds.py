"""Folds: parts of a corpus that judge each other, so that no tagger scores what it learned by heart."""

import hashlib

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus


def assign_folds(corpus: Corpus, n_folds: int) -> IntArray:
    """(N,) the fold of each sentence; whole documents go together, and so do documents with the same words.

    Folds follow from the words alone, so neither names nor order of documents change them.
    """
    if n_folds <= 1 or len(corpus) == 0:
        return np.zeros(len(corpus), np.int64)
    digests = _document_digests(corpus)
    ranks = {digest: rank for rank, digest in enumerate(sorted(set(digests)))}
    fold_of_document = np.array([ranks[digest] % n_folds for digest in digests], np.int64)
    return fold_of_document[corpus.text.document_of]


def _document_digests(corpus: Corpus) -> list[bytes]:
    """One digest of its words for each document."""
    text = corpus.text
    hashes = [hashlib.blake2b(digest_size=16) for _ in text.documents]
    for place, document in enumerate(text.document_of.tolist()):
        hashes[document].update("\n".join(text.tokens[place]).encode("utf-8", "surrogatepass") + b"\n\n")
    return [one.digest() for one in hashes]
