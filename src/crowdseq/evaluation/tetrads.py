"""Spearman's tetrads: pairs of annotators who agree more than any two others foretell.

a_ki · a_lj / a_ij foretells a_kl from any two others i and j where all four label on their own.
Beside them whoever else agreement alone gives away: those who never differ, and two copies of one person.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import portions
from crowdseq.evaluation.coefficients import divide
from crowdseq.evaluation.pair_agreements import LEAST_AGREEMENT, LEAST_SHARED, Agreements

LEAST_LINK = 0.2  # of witnesses, with the pair and each other: who has less in common foretells nothing
CERTAINTY = 1.5  # standard errors
STEP = 0.05  # pairs that lie so near to the most certain one are taken with it
_MOST_WITNESSES, _LEAST_WITNESSES = 24, 8  # of a pair; the fewer, the more pairs there are
_MOST_TETRADS = 4_000_000  # of all pairs together
_QUANTILE = 0.75
_LEAST_EXCESS = 0.5  # the share, surely there, of the agreement that independence would leave open
_FEW_SHARED, _LEAST_EXCESS_OF_FEW = 60.0, 0.75  # honest pairs come near the half where spans are few
_LEAST_EXCESS_OF_RELATIVES = 0.25  # of two who are kin to a third
_MANY_SHARED, _LEAST_OTHERS = 100.0, 2  # of twins
_LENT_AWAY = 0.005  # exact copies do not quite agree alike, as every pair is lent something
_PAIRS_AT_A_TIME = 512
_MOST_LOOKED_AT = 1 << 26  # pairs times annotators, of whom each could be a witness


class Kin(NamedTuple):
    """Two annotators by number, how far they agree, how far they would on their own, and how they depend.

    dependence: 0 is independent, 1 is a copy.
    """

    first: int
    second: int
    agreement: float
    expected: float
    dependence: float


def kin_by_tetrads(agreements: Agreements) -> list[Kin] | None:
    """The most certain are taken first; kin are then no two witnesses any more, and what is left is computed
    anew without them. None where there are too many pairs to look at."""
    first, second = agreements.candidates()
    if len(first) * len(agreements.values) > _MOST_LOOKED_AT:
        return None
    is_kin = np.zeros(agreements.values.shape, np.bool_)
    found: list[Kin] = []
    while len(first):
        excess = _excess(agreements, is_kin, first, second)
        sure = np.where(excess.is_enough, excess.sure, -np.inf)
        if sure.max() == -np.inf:
            break
        taken = sure >= sure.max() - STEP
        found += _kin(agreements, first[taken], second[taken], excess.expected[taken])
        is_kin[first[taken], second[taken]] = is_kin[second[taken], first[taken]] = True
        # Who agrees no more than foretold stays so, unless the witnesses were relatives.
        touched = np.asarray(is_kin.any(axis=0))
        left = ~taken & ((excess.sure > 0.0) | touched[first] | touched[second])
        first, second = first[left], second[left]
    return found


def twins(agreements: Agreements) -> list[Kin]:
    """Who never differ on many spans, and have little in common with anybody else: no witness can tell of
    them, but two who are both without any error would not be alone with what they mark."""
    values, shared = agreements.values, agreements.shared
    compared = shared >= LEAST_SHARED
    alike = agreements.are_alike & (shared >= _MANY_SHARED)
    others = compared & ~agreements.are_alike
    apart = (others.sum(axis=1) >= _LEAST_OTHERS) & ~(others & (values >= LEAST_AGREEMENT)).any(axis=1)
    pairs = np.argwhere(np.triu(alike & apart[:, None] & apart, 1)).tolist()
    nearest = np.where(others, values, 0.0).max(axis=1, initial=0.0)
    return [
        Kin(one, two, float(values[one, two]), float(max(nearest[one], nearest[two])), 1.0)
        for one, two in pairs
    ]


def relatives(agreements: Agreements, known: Sequence[Kin]) -> list[Kin]:
    """Pairs who are kin of the same third and agree less with each other than with that one, whom both copy:
    they depend as far as both of them do.
    """
    if not known:
        return []
    size = len(agreements.values)
    ties, is_kin = np.zeros((size, size)), np.zeros((size, size), np.bool_)
    for one, other, _, _, dependence in known:
        ties[one, other] = ties[other, one] = dependence
        is_kin[one, other] = is_kin[other, one] = True
    found = []
    for one, other in zip(*(column.tolist() for column in agreements.candidates()), strict=True):
        values = agreements.values
        between = np.minimum(values[one], values[other]) >= values[one, other] - _LENT_AWAY
        thirds = np.flatnonzero(is_kin[one] & is_kin[other] & between)
        if len(thirds) and not is_kin[one, other]:
            expected = float((values[one, thirds] * values[other, thirds]).max())
            dependence = float((ties[one, thirds] * ties[other, thirds]).max())
            found.append(Kin(one, other, float(values[one, other]), expected, dependence))
    return found


class _Excess(NamedTuple):
    """Of some pairs: agreement expected of independent people; the share of what that leaves open that is
    there for certain; and whether that is enough to call them kin."""

    expected: FloatArray
    sure: FloatArray
    is_enough: BoolArray


def _excess(agreements: Agreements, is_kin: BoolArray, first: IntArray, second: IntArray) -> _Excess:
    most = int(np.clip(np.sqrt(_MOST_TETRADS / len(first)), _LEAST_WITNESSES, _MOST_WITNESSES))
    parts = [
        _foretold(agreements, is_kin, first[part], second[part], most)
        for part in portions(np.arange(len(first) + 1), _PAIRS_AT_A_TIME)
    ]
    expected, error = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    values, errors, shared = (
        table[first, second] for table in (agreements.values, agreements.errors, agreements.shared)
    )
    most = np.minimum(expected, 0.999)
    excess = (values - most) / (1.0 - most)
    spread = np.hypot(errors, (1.0 - excess) * error) / (1.0 - most)
    sure = np.where(np.isnan(expected), -np.inf, excess - CERTAINTY * spread)
    least = np.where(shared < _FEW_SHARED, _LEAST_EXCESS_OF_FEW, _LEAST_EXCESS)
    least[(is_kin[first] & is_kin[second]).any(axis=1)] = _LEAST_EXCESS_OF_RELATIVES
    return _Excess(expected, sure, sure >= least)


def _foretold(
    agreements: Agreements,
    is_kin: BoolArray,
    first: IntArray,
    second: IntArray,
    most: int = _MOST_WITNESSES,
) -> tuple[FloatArray, FloatArray]:
    """What witnesses foretell of each pair, and its standard error; NaN where there are no two of them."""
    witnesses, is_one = _witnesses(agreements, is_kin, first, second, most)
    values, shared = agreements.values, agreements.shared
    left, right = values[first[:, None], witnesses], values[second[:, None], witnesses]
    link = values[witnesses[:, :, None], witnesses[:, None, :]]
    able = is_one[:, :, None] & is_one[:, None, :] & (link >= LEAST_LINK)
    able &= shared[witnesses[:, :, None], witnesses[:, None, :]] >= LEAST_SHARED
    able &= ~is_kin[witnesses[:, :, None], witnesses[:, None, :]]
    ratios = np.square(agreements.errors / np.maximum(values, 1e-9))
    noise = (
        ratios[first[:, None], witnesses][:, :, None]
        + ratios[second[:, None], witnesses][:, None, :]
        + ratios[witnesses[:, :, None], witnesses[:, None, :]]
    )
    foretold = left[:, :, None] * right[:, None, :] / np.maximum(link, LEAST_LINK)
    # Poor witnesses meet on what is easy, and so foretell too little: the better ones weigh more.
    worth = left[:, :, None] * right[:, None, :]
    weights = np.where(able, worth / (noise + 1e-4), 0.0).reshape(len(first), -1)
    expected = _upper_quartiles(foretold.reshape(len(first), -1), weights)
    n_able = np.count_nonzero(able.any(axis=2), axis=1)
    mean_noise = divide((weights * noise.reshape(len(first), -1)).sum(axis=1), weights.sum(axis=1))
    # Combinations share their witnesses: there are half as many independent ones as witnesses.
    return expected, expected * np.sqrt(mean_noise / np.maximum(n_able / 2.0, 1.0))


def _witnesses(
    agreements: Agreements, is_kin: BoolArray, first: IntArray, second: IntArray, most: int
) -> tuple[IntArray, BoolArray]:
    """(P, W) for each pair those who surely agree less with either, the ones with most spans, and whether."""
    values, shared = agreements.values, agreements.shared
    upper = values + CERTAINTY * agreements.errors
    least = np.minimum(shared[first], shared[second])
    able = (least >= LEAST_SHARED) & ~is_kin[first] & ~is_kin[second]
    able &= np.maximum(upper[first], upper[second]) < values[first, second][:, None]
    able &= np.minimum(values[first], values[second]) >= LEAST_LINK
    # Those with as many spans are told apart by their agreement, so that no order of names matters.
    worth = np.where(able, least + 0.1 * (values[first] + values[second]), -1.0)
    best = np.argpartition(-worth, min(most, len(values)) - 1, axis=1)[:, :most]
    return best, np.take_along_axis(able, best, axis=1)


def _upper_quartiles(values: FloatArray, weights: FloatArray) -> FloatArray:
    """(P,) of each row (P, C) of values with weights; NaN where nothing has any weight.

    Witnesses who are kin themselves foretell too little, and it may not be known yet: hence not the median.
    """
    order = np.lexsort((weights, values), axis=1)
    sums = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    index = np.argmax(sums >= _QUANTILE * sums[:, -1:], axis=1)
    chosen = np.take_along_axis(order, index[:, None], axis=1)
    result: FloatArray = np.where(sums[:, -1] > 0, np.take_along_axis(values, chosen, axis=1)[:, 0], np.nan)
    return result


def _kin(agreements: Agreements, first: IntArray, second: IntArray, expected: FloatArray) -> list[Kin]:
    values = agreements.values[first, second]
    excess = (values - expected) / (1.0 - np.minimum(expected, 0.999))
    columns = first, second, values, expected, np.clip(2.0 * excess - 1.0, 0.0, 1.0)
    return [Kin(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
