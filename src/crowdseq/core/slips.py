"""Slips: tags that may not stand where they stand, counted in one way for all."""

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.labels import LabelScheme

_ROWS_AT_A_TIME = 1 << 18


def find_slips(tags: IntArray, bounds: IntArray, scheme: LabelScheme) -> BoolArray:
    """(T,) whether a tag cannot follow the one before it, open its row or close it.

    What stands beside an unlabelled token cannot be judged and is no slip.
    """
    bad = np.zeros(len(tags), np.bool_)
    if len(tags) < 1 or scheme.is_plain:
        return bad
    filled = np.flatnonzero(np.diff(bounds))
    heads, tails = bounds[filled], bounds[filled + 1] - 1
    before, after = tags[:-1], tags[1:]
    bad[1:] = ~scheme.allowed[before, after] & (before >= 0) & (after >= 0)
    bad[heads] = ~scheme.starts[tags[heads]] & (tags[heads] >= 0)
    bad[tails] |= ~scheme.ends[tags[tails]] & (tags[tails] >= 0)
    return bad


def count_slips(crowd: Annotations, scheme: LabelScheme) -> IntArray:
    """(K,) slips of each annotator."""
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    counts = np.zeros(len(crowd.annotators), np.int64)
    for first in range(0, len(crowd.voters), _ROWS_AT_A_TIME):
        rows = bounds[first : first + _ROWS_AT_A_TIME + 1]
        bad = find_slips(crowd.tags[rows[0] : rows[-1]], rows - rows[0], scheme)
        voters = np.repeat(crowd.voters[first : first + len(rows) - 1], np.diff(rows))
        counts += np.bincount(voters[bad], minlength=len(counts))
    return counts
