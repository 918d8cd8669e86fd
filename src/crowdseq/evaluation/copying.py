"""Pairs of annotators whose errors are the same far more often than chance would have it."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.coefficients import divide, sum_by
from crowdseq.evaluation.wrong_votes import JudgedCells, WrongVoteRates, judged_portions

# A pair is suspected when all three hold. Set on real crowds, where honest pairs stay below two thirds of
# common errors, and annotators planted as copies have all of their errors in common.
_LEAST_SENTENCES = 5.0  # with an error in common
_LEAST_OVERLAP = 0.75  # of the errors of either
_LEAST_SURPRISE = 5.0  # standard deviations above what is expected

_PRIOR_EASE = 1.0  # how much it takes to call a token hard: one error more than expected doubles its rate


class SuspectedCopy(NamedTuple):
    """Two annotators by number, how many wrong votes they share, and how many they would share by chance."""

    first: int
    second: int
    shared: int
    expected: float


def find_copies(corpus: Corpus, tag_ids: IntArray) -> list[SuspectedCopy]:
    """Pairs of annotators who give the same wrong labels to the same tokens; tag_ids (T,) say what is right.

    Chance knows how often an annotator gives this wrong label to this truth, and that hard tokens mislead
    many: the rate is raised by what the others gave to the token. Only wrong votes for something count, never
    to have left something out. A sentence counts once, however many errors are in it.
    """
    rates = WrongVoteRates.of(corpus, tag_ids)
    size = len(corpus.annotators)
    sums = [_pair_sums(cells, rates, size) for cells in judged_portions(corpus, tag_ids) if cells.wrong.any()]
    if not sums:
        return []
    pairs, groups = np.unique(np.concatenate([codes for codes, _ in sums]), return_inverse=True)
    rows = np.concatenate([values for _, values in sums], axis=1)
    totals = np.array([sum_by(groups, row, len(pairs)) for row in rows])
    return [
        SuspectedCopy(int(pairs[place] // size), int(pairs[place] % size), round(shared), float(expected))
        for place in np.flatnonzero(_is_suspect(totals)).tolist()
        for shared, expected in [totals[:2, place]]
    ]


def _is_suspect(totals: FloatArray) -> BoolArray:
    _, _, common, expected, variance, of_first, of_second = totals
    overlap = divide(common, of_first + of_second - common)
    surprise = (common - expected) / np.sqrt(variance + 0.25)  # a quarter: sentences are whole numbers
    suspect: BoolArray = (
        (common >= _LEAST_SENTENCES) & (overlap >= _LEAST_OVERLAP) & (surprise >= _LEAST_SURPRISE)
    )
    return suspect


def _pair_sums(cells: JudgedCells, rates: WrongVoteRates, size: int) -> tuple[IntArray, FloatArray]:
    """Codes of pairs, and (7, pairs): shared and expected wrong votes, the same with a sentence counted once,
    its variance, and the errors of the first and of the second where the other has a vote."""
    wrong = np.flatnonzero(cells.wrong)
    places, others = cells.partners(wrong)
    errors = wrong[places]
    same = cells.labels[others] == cells.labels[errors]
    chance = _chance(cells, rates, wrong, places, others)
    weights = (1.0 / np.bincount(cells.rows[wrong])[cells.rows[wrong]])[places]
    mine, theirs = cells.annotators[errors], cells.annotators[others]
    first = mine < theirs
    pairs, groups = np.unique(
        np.where(first, mine * size + theirs, theirs * size + mine), return_inverse=True
    )
    # An error in common is met twice, once from either side: hence the halves.
    values: list[FloatArray] = [
        same / 2,
        chance / 2,
        weights * same / 2,
        weights * chance / 2,
        weights**2 * chance * (1.0 - chance) / 2,
        weights * first,
        weights * ~first,
    ]
    return pairs, np.array([sum_by(groups, value, len(pairs)) for value in values])


def _chance(
    cells: JudgedCells, rates: WrongVoteRates, wrong: IntArray, places: IntArray, others: IntArray
) -> FloatArray:
    """How likely each other annotator is to make the same error, given all votes on the token but their own.

    The token multiplies everybody's rate by a factor with a gamma prior of mean one; the votes of the rest
    tell it: (prior + errors seen) / (prior + errors expected).
    """
    labels = cells.labels[wrong]
    own = rates.rate(cells.annotators[wrong], cells.truth[wrong], labels)
    rate = rates.rate(cells.annotators[others], cells.truth[others], labels[places])
    same = cells.labels[others] == labels[places]
    seen = 1.0 + sum_by(places, same.astype(np.float64), len(wrong))
    expected = own + sum_by(places, rate, len(wrong))
    hardness = (_PRIOR_EASE + seen[places] - same) / (_PRIOR_EASE + expected[places] - rate)
    chance: FloatArray = np.minimum(rate * hardness, 1.0)
    return chance
