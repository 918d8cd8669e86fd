"""The arrays of a run folder: posteriors, and what only its method knows."""

from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice
from crowdseq.storage.tensors import TensorFile, read_tensors

_ROUNDING = 1e-6


def read_probabilities(path: Path, corpus: Corpus, advice: Advice) -> FloatArray:
    """(T, M) posteriors, one row for each token of the corpus, each of which sums to one."""
    file = read_tensors(path, advice)
    found: FloatArray = file.take("probabilities", "f8", (corpus.n_tokens, len(corpus.scheme)))
    if not np.isfinite(found).all() or (found < 0.0).any():
        raise file.fault("holds a probability that is no number or below 0")
    if not np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=_ROUNDING):
        raise file.fault("holds probabilities that do not sum to one")
    return found


def read_parameters(path: Path, corpus: Corpus, advice: Advice) -> dict[str, Any]:
    """The arrays by name; those that others than the method read are checked against the corpus."""
    file = read_tensors(path, advice)
    _check_tags(file, "raw_tag_ids", corpus, least=-1)
    _check_tags(file, "suggested_tag_ids", corpus, least=0)
    for name in ("local", "repeat"):
        _check_counts(file, name, corpus)
    return dict(file.arrays)


def _check_tags(file: TensorFile, name: str, corpus: Corpus, *, least: int) -> None:
    tags = file.arrays.get(name)
    if tags is None:
        return
    if tags.shape != (corpus.n_tokens,) or tags.dtype.kind not in "iu":
        raise file.fault(f"tensor '{name}' is {tags.dtype} {tags.shape}, expected a tag for each token")
    if len(tags) and not least <= tags.min() <= tags.max() < len(corpus.scheme):
        raise file.fault(f"tensor '{name}' has a tag outside the scheme")


def _check_counts(file: TensorFile, name: str, corpus: Corpus) -> None:
    """The counts behind α and β: (annotator, context, given label) to expected counts of the truth."""
    if f"{name}_kinds" not in file.arrays and f"{name}_counts" not in file.arrays:
        return
    n_labels = len(corpus.scheme)
    kinds = file.take(f"{name}_kinds", "i4", (None, 3))
    counts = file.take(f"{name}_counts", "f8", (len(kinds), n_labels))
    ends = np.array([len(corpus.annotators), n_labels, n_labels])
    if (kinds < [0, -1, 0]).any() or (kinds >= ends).any() or not np.isfinite(counts).all():
        raise file.fault(f"the tensors '{name}_kinds' and '{name}_counts' do not fit the crowd")
