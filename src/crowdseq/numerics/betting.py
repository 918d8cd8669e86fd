"""Bets on totals of a finite population: wealth grows where a supposed pair of totals is wrong."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.numerics.compiling import kernel

_LEAST_VARIANCE = 1e-12
_LEAST_SHARE = 0.2  # of the variance that was seen: what a supposed total may leave of it


class Cells(NamedTuple):
    """(K,) supposed totals: every pair of a first total in [first_low, first_high] and a second one alike.

    wealth: what was won by betting against the pairs of a cell, at least; alive: not yet refuted.
    """

    first_low: FloatArray
    first_high: FloatArray
    second_low: FloatArray
    second_high: FloatArray
    wealth: FloatArray
    alive: BoolArray


class Unread(NamedTuple):
    """What is known before a draw: totals of what was drawn (`seen`), and of what can still come (`room`).

    weight: the summed weights of all that was not drawn; a unit is drawn with its share of it.
    foretold: what a model says of those not drawn, times its slope.
    """

    first_seen: float
    second_seen: float
    first_room: float
    second_room: float
    weight: float
    first_foretold: float
    second_foretold: float


class Guess(NamedTuple):
    """What the draws up to now lead one to expect of the next, per weight; it chooses the stakes.

    jump: by how much the variance grows with the mean. A bad guess makes small gains and breaks nothing.
    """

    first_mean: float
    second_mean: float
    first_jump: float
    second_jump: float
    first_variance: float
    second_variance: float
    covariance: float


class Extremes(NamedTuple):
    """The values that a draw can have: corners (V, 2) of the hull of the largest ones, and the least of each.

    most_lost: the part of the wealth that one draw may cost.
    """

    corners: FloatArray
    first_least: float
    second_least: float
    most_lost: float


@kernel
def bet(
    cells: Cells,
    unread: Unread,
    guess: Guess,
    extremes: Extremes,
    draw: tuple[float, float],
    threshold: float,
) -> None:
    """Settle the bets on one draw: its two values per weight, less what was foretold of it.

    For every pair in a cell the factor is 1 + stake · (value - mean under the pair), which has mean one if
    the pair is true, and is never negative; the wealth of the cell is that of its hardest pair.
    """
    first_shift, second_shift = unread.first_foretold / unread.weight, unread.second_foretold / unread.weight
    corners = extremes.corners
    most_first, most_second = 0.0, 0.0
    for v in range(len(corners)):
        most_first, most_second = max(most_first, corners[v, 0]), max(most_second, corners[v, 1])
    for k in range(len(cells.alive)):
        if not cells.alive[k]:
            continue
        first_low = max(cells.first_low[k] - unread.first_seen, 0.0)
        first_high = min(cells.first_high[k] - unread.first_seen, unread.first_room)
        second_low = max(cells.second_low[k] - unread.second_seen, 0.0)
        second_high = min(cells.second_high[k] - unread.second_seen, unread.second_room)
        if first_low > first_high or second_low > second_high:
            cells.alive[k] = False
            continue
        # The pair of the cell nearest to what is expected: stakes that point away from it win least there.
        first = min(max(guess.first_mean, first_low / unread.weight), first_high / unread.weight)
        second = min(max(guess.second_mean, second_low / unread.weight), second_high / unread.weight)
        first_gap, second_gap = guess.first_mean - first, guess.second_mean - second
        if first_gap == 0.0 and second_gap == 0.0:
            continue
        # Kelly's stakes, with the variances as they were if the pair were true.
        first_variance = max(
            guess.first_variance - guess.first_jump * first_gap, _LEAST_SHARE * guess.first_variance
        )
        second_variance = max(
            guess.second_variance - guess.second_jump * second_gap, _LEAST_SHARE * guess.second_variance
        )
        covariance = guess.covariance * np.sqrt(
            first_variance * second_variance / (guess.first_variance * guess.second_variance)
        )
        determinant = first_variance * second_variance - covariance * covariance
        first_stake = (first_gap * second_variance - covariance * second_gap) / determinant
        second_stake = (second_gap * first_variance - covariance * first_gap) / determinant
        # A stake against its own gap would win less at another pair of the cell.
        if first_gap == 0.0 or first_stake * first_gap < 0.0:
            first_stake, second_stake = 0.0, second_gap / second_variance
        elif second_gap == 0.0 or second_stake * second_gap < 0.0:
            first_stake, second_stake = first_gap / first_variance, 0.0
        first, second = first - first_shift, second - second_shift
        worst = -first_stake * first - second_stake * second
        if first_stake <= 0.0 and second_stake <= 0.0:
            lowest = 0.0
            for v in range(len(corners)):
                lowest = min(lowest, first_stake * corners[v, 0] + second_stake * corners[v, 1])
            worst += lowest
        else:
            worst += first_stake * (most_first if first_stake < 0.0 else extremes.first_least)
            worst += second_stake * (most_second if second_stake < 0.0 else extremes.second_least)
        share = min(1.0, extremes.most_lost / max(-worst, _LEAST_VARIANCE))
        gain = share * (first_stake * (draw[0] - first) + second_stake * (draw[1] - second))
        cells.wealth[k] *= 1.0 + gain
        if cells.wealth[k] >= threshold:
            cells.alive[k] = False
