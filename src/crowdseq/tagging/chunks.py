"""Chunks: spans whose ends the CRF marks more finely than the corpus, and the way back to its tags."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import SettingsError

CHUNKS = ("BIOES", "own")


def chain_scheme(scheme: LabelScheme, chunks: str) -> LabelScheme:
    """The labels that a CRF works with inside, for a corpus under a scheme.

    Only IOB2 has a finer form in which every valid sequence has exactly one counterpart, tag by tag; all
    other schemes, and one that lacks some of its tags, stay as they are.
    """
    if chunks == "own" or set(scheme.tags) != set(LabelScheme.of_types(scheme.types, "IOB2").tags):
        return scheme
    return LabelScheme.of_types(scheme.types, chunks) if scheme.kind == "IOB2" else scheme


def outer_labels(chain: LabelScheme, scheme: LabelScheme) -> IntArray:
    """(C,) for each label of the chain its number in the scheme: E-X is I-X there, S-X is B-X."""
    names = [scheme.kind_of(tag) for tag in chain.tags]
    if {*names} != {*scheme.tags}:
        raise SettingsError(f"the labels {', '.join(chain.tags)} do not stand for {', '.join(scheme.tags)}")
    return scheme.ids(names).astype(np.int64)


def summed(rows: FloatArray, outer: IntArray, n_labels: int) -> FloatArray:
    """(T, C) probabilities of chain labels to (T, M) of the labels that they stand for."""
    if len(outer) == n_labels and (outer == np.arange(n_labels)).all():
        return rows
    return np.asarray(rows @ np.eye(n_labels)[outer])
