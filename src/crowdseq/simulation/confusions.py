"""Which wrong label an annotator takes instead of the right one."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray


def confusion_rows(counts: IntArray, draws: FloatArray) -> FloatArray:
    """(M, M) cumulative chances to take label j for label i, never i itself.

    Frequent labels are taken more often; draws (M, M) give every annotator leanings of their own.
    """
    leanings = -np.log1p(-draws) * (counts + 1.0)
    np.fill_diagonal(leanings, 0.0)
    totals = leanings.sum(axis=1, keepdims=True)
    return np.cumsum(leanings / np.where(totals > 0, totals, 1.0), axis=1)


def draw_wrong(truth: IntArray, rows: FloatArray, draws: FloatArray) -> IntArray:
    """(I,) true labels to wrong ones."""
    wrong = np.empty(len(truth), np.int64)
    for label in np.unique(truth).tolist():
        chosen = np.flatnonzero(truth == label)
        wrong[chosen] = _read_off(rows[label], draws[chosen])
    return wrong


def draw_any(counts: IntArray, draws: FloatArray) -> IntArray:
    """(I,) labels drawn by how often they occur."""
    return _read_off(np.cumsum(counts / max(int(counts.sum()), 1)), draws)


def _read_off(bounds: FloatArray, draws: FloatArray) -> IntArray:
    """Labels at the draws of a cumulative row; labels of no chance are stepped over, at the end too."""
    last = np.searchsorted(bounds, bounds[-1], side="left")
    found: IntArray = np.minimum(np.searchsorted(bounds, draws * bounds[-1], side="right"), last)
    return found
