"""settle: from any posteriors to the best valid tags and a report on every annotator."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdseq.aggregation.judging import judge_annotators
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError
from crowdseq.numerics.chains.chain import Lattice, best_paths

# Breaks ties between equally good tags without ever outweighing a real difference of probability.
_TIE_STEP = 1e-9


def settle(
    corpus: Corpus,
    posteriors: FloatArray,
    *,
    history: Sequence[float] = (),
    tie_order: Sequence[int] | None = None,
    tag_ids: IntArray | None = None,
    temperature: float = 1.0,
    **parameters: Any,
) -> Consensus:
    """(T, M) posteriors to a consensus.

    The tags are those with the largest expected number of right tokens among all sequences that the scheme
    allows. tie_order: label numbers, the most welcome first, for ties (default: as the scheme lists them).
    tag_ids: valid tags that the method has found itself. temperature: by which the posteriors were softened
    before they came here; annotators are judged by the belief behind them. parameters: what only the method
    knows.
    """
    if not np.isfinite(posteriors).all():
        raise AnnotationError("a method gave posteriors that are not finite numbers")
    if tag_ids is None:
        tag_ids = best_valid_tags(corpus, posteriors, tie_order)
    if temperature != 1.0:
        parameters["temperature"] = temperature
    reports = judge_annotators(corpus, sharpened(posteriors, temperature), tag_ids)
    return Consensus(corpus, tag_ids, posteriors, reports, parameters, tuple(history))


def sharpened(posteriors: FloatArray, temperature: float) -> FloatArray:
    """(T, M) the belief that was softened by a temperature, token by token."""
    if temperature == 1.0:
        return posteriors
    raised = posteriors**temperature
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def best_valid_tags(
    corpus: Corpus, posteriors: FloatArray, tie_order: Sequence[int] | None = None
) -> IntArray:
    """(T,) the tags that are right most often on expectation and that the scheme allows."""
    n_labels = len(corpus.scheme)
    order = list(range(n_labels)) if tie_order is None else list(tie_order)
    bonus = np.zeros(n_labels)
    bonus[order] = -_TIE_STEP * np.arange(n_labels) / max(n_labels, 1)
    transitions, starts, ends = scheme_scores(corpus.scheme)
    lattice = Lattice(posteriors + bonus, corpus.offsets, transitions, starts, ends)
    return best_paths(lattice)[0].astype(np.int16)


def scheme_scores(scheme: LabelScheme) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The rules of a scheme as log scores: 0 where it allows, minus infinity where it forbids."""
    transitions = np.where(scheme.allowed, 0.0, -np.inf)
    return transitions, np.where(scheme.starts, 0.0, -np.inf), np.where(scheme.ends, 0.0, -np.inf)
