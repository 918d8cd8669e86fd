"""Rows and other items with sizes, cut into parts that threads can take."""

from itertools import pairwise

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.features.grouped import RowStretch

_ROW_COST = 6  # in additions to a row: what it takes to fetch one that few tokens show


def cut_rows(token_rows: IntArray, n_rows: int, parts: int) -> list[RowStretch]:
    """Stretches of rows that take about equally long; token_rows is (T, S) with -1 for none."""
    costs = np.bincount(token_rows[token_rows >= 0], minlength=n_rows) + _ROW_COST
    found = []
    for first, last in stretches(offsets_of(costs), parts):
        inside = (token_rows >= first) & (token_rows < last)
        tokens = np.nonzero(inside)[0].astype(np.int32)
        found.append(RowStretch(first, last, tokens, token_rows[inside]))
    return found


def stretches(bounds: IntArray, parts: int) -> list[tuple[int, int]]:
    """Cut items with running sizes `bounds` into at most `parts` stretches of about equal size."""
    marks = np.linspace(0, bounds[-1], parts + 1)[1:-1]
    inner = np.searchsorted(bounds, marks, side="left").tolist()
    return list(pairwise(sorted({0, *inner, len(bounds) - 1})))
