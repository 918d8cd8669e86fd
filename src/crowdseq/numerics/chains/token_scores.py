"""Scores of the tokens of a sentence, written down where a pass can work on them."""

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.chains.bundles import Entries, TokenScores, label_count
from crowdseq.numerics.compiling import borrowing_kernel
from crowdseq.numerics.lanes import N_LANES, add, load, spread, store


@borrowing_kernel
def write_scores(
    labels: tuple[int, ...], scores: TokenScores, first: int, last: int, stride: int, target: FloatArray
) -> None:
    """Fill flat target, `stride` for each of the tokens first..last, with their scores.

    Beyond the labels a token's scores are minus infinity.
    """
    if len(scores.unary) > 0:
        _copy_rows(labels, scores.unary, first, last, stride, target)
    else:
        _sum_rows(labels, scores, first, last, stride, target)
        _add_entries(scores.entries, scores.weights, first, last, stride, target)


@borrowing_kernel
def _copy_rows(
    labels: tuple[int, ...], unary: FloatArray, first: int, last: int, stride: int, target: FloatArray
) -> None:
    n_labels = label_count(labels, unary.shape[1])
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(n_labels):
            target[place + j] = unary[t, j]
        for j in range(n_labels, stride):
            target[place + j] = -np.inf


@borrowing_kernel
def _sum_rows(
    labels: tuple[int, ...], scores: TokenScores, first: int, last: int, stride: int, target: FloatArray
) -> None:
    token_rows, rows = scores.token_rows, scores.rows
    n_labels = label_count(labels, rows.shape[1])
    n_slots = token_rows.shape[1]
    whole = n_labels // N_LANES * N_LANES
    flat = rows.reshape(-1)
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(0, whole, N_LANES):
            four = spread(0.0)
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    four = add(four, load(flat, row * n_labels + j))
            store(target, place + j, four)
        for j in range(whole, n_labels):
            one = 0.0
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    one += flat[row * n_labels + j]
            target[place + j] = one
        for j in range(n_labels, stride):
            target[place + j] = -np.inf


@borrowing_kernel
def _add_entries(
    entries: Entries, weights: FloatArray, first: int, last: int, stride: int, target: FloatArray
) -> None:
    """Add the weights of the pairs that the tokens list."""
    bounds, pairs, labels = entries
    for t in range(first, last):
        place = (t - first) * stride
        for entry in range(bounds[t], bounds[t + 1]):
            target[place + labels[entry]] += weights[pairs[entry]]
