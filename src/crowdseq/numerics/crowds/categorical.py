"""Counting votes, and smoothing counts into probabilities."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray


def count_votes(tokens: IntArray, labels: IntArray, n_tokens: int, n_labels: int) -> FloatArray:
    """Votes to (T, M) counts."""
    cells = np.asarray(tokens, np.int64) * n_labels + labels
    return np.bincount(cells, minlength=n_tokens * n_labels).reshape(n_tokens, n_labels).astype(np.float64)


def normalise(counts: FloatArray) -> FloatArray:
    """Rows of counts (along the last axis) to probabilities; a row of zeros becomes uniform."""
    totals = counts.sum(axis=-1, keepdims=True)
    uniform = np.full_like(counts, 1.0 / max(counts.shape[-1], 1))
    return np.asarray(np.divide(counts, totals, out=uniform, where=totals > 0))


def softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(T, M) log scores to probabilities and (T,) log normalisers; the largest score is taken out first."""
    if scores.shape[1] == 0:
        return scores.copy(), np.zeros(len(scores))
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    totals = weights.sum(axis=1, keepdims=True)
    return weights / totals, (np.log(totals) + top)[:, 0]
