"""Cohen's kappa, Fleiss' kappa and Krippendorff's alpha, from counts; NaN where chance explains everything.

All take arrays and work on the last axis, the labels, so that one call serves many pairs or documents.
"""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray


def cohen(agreed: FloatArray, shared: FloatArray, chance: FloatArray) -> FloatArray:
    """Cohen (1960) for pairs of annotators.

    agreed and shared (...,): tokens with the same label of both, and tokens that both labelled. chance
    (...,): the sum over labels of how often the one gave it times how often the other did.
    """
    return divide(agreed * shared - chance, shared**2 - chance)


def fleiss(agreed: FloatArray, compared: FloatArray, shares: FloatArray, seen: FloatArray) -> FloatArray:
    """Fleiss (1971) for any number of raters on each token, as Gwet (2014) generalises it.

    agreed (...,): over tokens with two votes or more, the sum of the share of their pairs of votes that are
    the same; compared (...,): those tokens. shares (..., M): over tokens with any vote, the sum of each
    label's share of the token's votes; seen (...,): those tokens. Every token weighs the same.
    """
    chance = np.square(divide(shares, seen[..., None])).sum(axis=-1)
    return divide(divide(agreed, compared) - chance, 1.0 - chance)


def alpha(coincidences: FloatArray, totals: FloatArray) -> FloatArray:
    """Krippendorff's alpha for nominal labels, on tokens with two votes or more.

    coincidences (...,): the sum over tokens of their ordered pairs of equal votes, divided by the token's
    votes less one; totals (..., M): votes by label. Every vote weighs the same.
    """
    votes = totals.sum(axis=-1)
    chance = (totals * (totals - 1.0)).sum(axis=-1)
    return divide((votes - 1.0) * coincidences - chance, votes * (votes - 1.0) - chance)


def span_f1(common: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Twice the spans in both over the spans of either: the F1 of one annotator as the truth of the other."""
    return divide(2.0 * common, left + right)


def against_rest(chosen: FloatArray, total: FloatArray) -> FloatArray:
    """(..., M) counts of labels and what they are part of to (..., M, 2): each label against all others."""
    return np.stack([chosen, total - chosen], axis=-1)


def divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """above / below, NaN where there is nothing below."""
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    result: FloatArray = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below > 1e-12)
    return result


def sum_by(groups: IntArray, values: FloatArray, size: int) -> FloatArray:
    """(size,) the sum of the values of each group."""
    return np.bincount(groups, values, minlength=size).astype(np.float64)
