"""Earlier votes: what an annotator said just before, and on the nearest earlier mention of the same word."""

import numpy as np

from crowdseq.arrays import BoolArray, IntArray

NONE = -1  # there is no earlier vote


def previous_votes(tokens: IntArray, rows: IntArray, labels: IntArray) -> IntArray:
    """(V,) the label of the same row's vote on the token before, -1 at its start or after a gap.

    The votes stand row by row, each in the order of its tokens.
    """
    before = np.full(len(labels), NONE, np.int64)
    follows = (rows[1:] == rows[:-1]) & (tokens[1:] == tokens[:-1] + 1)
    before[1:][follows] = labels[:-1][follows]
    return before


def earlier_votes(
    annotators: IntArray,
    scopes: IntArray,
    words: IntArray,
    tokens: IntArray,
    labels: IntArray,
    wanted: BoolArray,
) -> IntArray:
    """(V,) the annotator's label on the nearest earlier token with the same word in the same scope, or -1.

    scopes (V,): sentence or document of each vote. wanted (V,): votes on words whose mentions are linked.
    """
    earlier = np.full(len(labels), NONE, np.int64)
    chosen = np.flatnonzero(wanted)
    keys = (tokens[chosen], words[chosen], scopes[chosen], annotators[chosen])
    order = chosen[np.lexsort(keys)]
    same = np.ones(len(order) - 1 if len(order) else 0, np.bool_)
    for column in (annotators, scopes, words):
        same &= column[order[1:]] == column[order[:-1]]
    earlier[order[1:][same]] = labels[order[:-1][same]]
    return earlier
