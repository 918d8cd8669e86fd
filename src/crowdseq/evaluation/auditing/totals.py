"""Which totals of wrong and missed units are still possible, after every draw, at any time."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.numerics.betting import Cells, Extremes, Guess, Unread, bet

# How the first stakes are chosen: as if this share were wrong, on the word of so many draws.
_EXPECTED_ERROR, _EXPECTED_DRAWS = 0.02, 40.0
_MOST_LOST = 0.9  # of the wealth in one draw, so that one bad sentence does not undo all that was won
GROWTH = 1.03  # of the cells with their totals: a bound is told no finer than this
_LARGEST_SLOPE, _SLOPE_DRAWS = 2.0, 30.0
_CLOSEST = 0.9  # correlation that stakes are chosen with, so that they stay finite
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Population:
    """What is known of N units before any is read.

    given (N,): labels that can be wrong. room (N,): how many can be missing, at most. weights (N,): a unit
    is drawn in proportion to its own. wrong_foretold, missed_foretold (N,): what a model expects.
    """

    given: FloatArray
    room: FloatArray
    weights: FloatArray
    wrong_foretold: FloatArray
    missed_foretold: FloatArray

    @classmethod
    def of(cls, given: FloatArray, room: FloatArray, weights: FloatArray) -> "Population":
        """Without a model."""
        nothing = np.zeros(len(given))
        return cls(given, room, weights, nothing, nothing)

    @cached_property
    def corners(self) -> FloatArray:
        """(V, 2) corners of the hull of the most that each unit can have, per weight."""
        return _upper_hull(self.given / self.weights, self.room / self.weights)


class PossibleTotals:
    """Pairs of totals (wrong, missed) that the draws have not refuted; the true pair stays with 1 - risk.

    For each pair there is a game of bets that is fair if the pair is true (Waudby-Smith and Ramdas 2024, for
    weighted draws without replacement Shekhar et al. 2023). Who wins 1 / risk in it refutes the pair; by
    Ville's inequality that happens to the true one at any time with probability `risk` at most.
    """

    def __init__(self, population: Population, risk: float = 0.05, growth: float = GROWTH) -> None:
        """growth: of the cells with their totals; a larger one takes less time and gives wider bounds."""
        self.population, self.risk = population, risk
        self.draws, self.wrong, self.missed, self.given_seen = 0, 0.0, 0.0, 0.0
        self._cells = make_cells(int(population.given.sum()), int(population.room.sum()), growth)
        self._given, self._room = float(population.given.sum()), float(population.room.sum())
        self._weight = float(population.weights.sum())
        self._foretold = np.array([population.wrong_foretold.sum(), population.missed_foretold.sum()])
        self._moments = _Moments(population)
        self._estimates = np.zeros(2)
        most = [population.wrong_foretold, population.missed_foretold]
        self._most_foretold = [float((one / population.weights).max(initial=0.0)) for one in most]

    @property
    def given_left(self) -> float:
        """Labels in the units that were not drawn."""
        return self._given

    def observe(self, unit: int, wrong: float, missed: float) -> None:
        """A unit was drawn and read: so many of its labels are wrong, so many are missing."""
        population, weight = self.population, float(self.population.weights[unit])
        foretold = np.array([population.wrong_foretold[unit], population.missed_foretold[unit]])
        slopes, guess = self._moments.slopes(), self._moments.guess()
        unread = Unread(
            self.wrong,
            self.missed,
            self._given,
            self._room,
            self._weight,
            *(slopes * self._foretold).tolist(),
        )
        least = [-slope * most for slope, most in zip(slopes.tolist(), self._most_foretold, strict=True)]
        extremes = Extremes(population.corners, least[0], least[1], _MOST_LOST)
        values = (np.array([wrong, missed]) - slopes * foretold) / weight
        bet(self._cells, unread, guess, extremes, (float(values[0]), float(values[1])), 1.0 / self.risk)
        seen = np.array([self.wrong, self.missed])
        self._estimates += seen + slopes * self._foretold + values * self._weight
        self._moments.add(np.array([wrong, missed]) / weight, foretold / weight)
        self.draws, self.wrong, self.missed = self.draws + 1, self.wrong + wrong, self.missed + missed
        self.given_seen += float(population.given[unit])
        self._given -= float(population.given[unit])
        self._room -= float(population.room[unit])
        self._weight = max(self._weight - weight, _TINY)
        self._foretold = self._foretold - foretold
        self._drop_refuted()

    def estimates(self, *, of_all: bool = False) -> tuple[float, float]:
        """Wrong and missed in the units not drawn, or in all: the mean of unbiased estimates."""
        seen = np.array([self.wrong, self.missed])
        left = self._estimates / max(self.draws, 1) - seen
        left = np.clip(left, 0.0, [self._given, self._room]) + (seen if of_all else 0.0)
        wrong, missed = left.tolist()
        return wrong, missed

    def draws_needed(self, is_worse: Callable[[FloatArray, FloatArray], BoolArray]) -> float:
        """About how many more draws refute every pair of unread totals that is worse; inf if none will do.

        By the growth that the stakes have if further draws are like those up to now.
        """
        _, wrong, _, missed = self.ranges()
        worse = is_worse(wrong, missed)
        guess = self._moments.guess()
        gaps = np.array([guess.first_mean, guess.second_mean])[:, None] - (
            np.array([wrong[worse], missed[worse]]) / self._weight
        )
        gaps = np.minimum(gaps, 0.0)  # only what there is less of than supposed speaks against a pair
        jumps = np.array([guess.first_jump, guess.second_jump])[:, None]
        variances = np.array([guess.first_variance, guess.second_variance])[:, None] - jumps * gaps
        stakes = gaps / variances
        worst = (self.population.corners @ -stakes).max(axis=0, initial=0.0)
        share = np.minimum(1.0, _MOST_LOST / np.maximum(worst, _TINY))
        rate = (share - share * share / 2.0) * (gaps * stakes).sum(axis=0)
        still = np.log(1.0 / self.risk) - np.log(np.maximum(self._alive_wealth()[worse], _TINY))
        needed = still / np.maximum(rate, _TINY)
        return float(needed.max(initial=0.0))

    def _drop_refuted(self) -> None:
        alive = self._cells.alive
        if np.count_nonzero(alive) * 2 < len(alive):
            kept = {name: np.ascontiguousarray(array[alive]) for name, array in self._cells._asdict().items()}
            self._cells = Cells(**kept)

    def ranges(self, *, of_all: bool = False) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Least and most wrong, least and most missed of the units not drawn, or of all: (K,) each, one entry
        for every cell of pairs that is possible still."""
        *ranges, kept = self._possible()
        seen = (self.wrong, self.wrong, self.missed, self.missed) if of_all else (0.0,) * 4
        one, two, three, four = (found[kept] + more for found, more in zip(ranges, seen, strict=True))
        return one, two, three, four

    def _alive_wealth(self) -> FloatArray:
        """(K,) what was won against each of these cells."""
        return self._cells.wealth[self._possible()[-1]]

    def _possible(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
        """The ranges of all cells, cut to what can be, and which of them are possible still."""
        cells = self._cells
        wrong_low = np.maximum(cells.first_low - self.wrong, 0.0)
        wrong_high = np.minimum(cells.first_high - self.wrong, self._given)
        missed_low = np.maximum(cells.second_low - self.missed, 0.0)
        missed_high = np.minimum(cells.second_high - self.missed, self._room)
        kept = cells.alive & (wrong_low <= wrong_high) & (missed_low <= missed_high)
        return wrong_low, wrong_high, missed_low, missed_high, kept


class _Moments:
    """Means and variances of what was drawn, per weight, begun with what one expects."""

    def __init__(self, population: Population) -> None:
        weight = max(float(population.weights.sum()), _TINY)
        rate = _EXPECTED_ERROR * float(population.given.sum()) / weight
        missable = float(population.room.sum()) > 0.0
        self._means = np.array([rate, rate if missable else 0.0]) * _EXPECTED_DRAWS
        jump = len(population.weights) / weight  # one error in a unit, over its weight, on average
        self._squares = self._means * jump
        self._product, self._draws = 0.0, _EXPECTED_DRAWS
        self._with_foretold, self._foretold_squares, self._foretold_means = (
            np.zeros(2),
            np.zeros(2),
            np.zeros(2),
        )

    def add(self, values: FloatArray, foretold: FloatArray) -> None:
        self._draws += 1.0
        self._means += values
        self._squares += values * values
        self._product += float(values[0] * values[1])
        self._with_foretold += values * foretold
        self._foretold_squares += foretold * foretold
        self._foretold_means += foretold

    def slopes(self) -> FloatArray:
        """(2,) how many errors there are for each that the model expects, by what was seen; 0 at first."""
        seen = self._draws - _EXPECTED_DRAWS
        ratio = self._with_foretold / np.maximum(self._foretold_squares, _TINY)
        return np.clip(ratio, 0.0, _LARGEST_SLOPE) * min(1.0, seen / _SLOPE_DRAWS)

    def guess(self) -> Guess:
        means = self._means / self._draws
        jumps = self._squares / np.maximum(self._means, _TINY)
        plain = np.maximum(self._squares / self._draws - means * means, _TINY)
        explained = self.slopes() ** 2 * self._foretold_squares / self._draws
        variances = np.maximum(plain - explained, 0.1 * plain)
        most = _CLOSEST * float(np.sqrt(variances[0] * variances[1]))
        shared = self._product / self._draws - float(means[0] * means[1])
        covariance = float(np.clip(shared, -most, most)) if self._product else 0.0
        (one, two), (three, four), (five, six) = (pair.tolist() for pair in (means, jumps, variances))
        return Guess(one, two, three, four, five, six, covariance)


def make_cells(most_wrong: int, most_missed: int, growth: float = GROWTH) -> Cells:
    """All pairs of totals, in cells that grow with the totals; small totals have a cell for each."""
    wrong_low, wrong_high = _steps(most_wrong, growth)
    missed_low, missed_high = _steps(most_missed, growth)
    count = len(wrong_low) * len(missed_low)
    return Cells(
        np.repeat(wrong_low, len(missed_low)),
        np.repeat(wrong_high, len(missed_low)),
        np.tile(missed_low, len(wrong_low)),
        np.tile(missed_high, len(wrong_low)),
        np.ones(count),
        np.ones(count, np.bool_),
    )


def _steps(most: int, growth: float) -> tuple[FloatArray, FloatArray]:
    """Ranges of whole numbers that cover 0 to most: the first and the last number of each."""
    lows = [0]
    while (following := max(lows[-1] + 1, int(lows[-1] * _ratio(lows[-1], most, growth)))) <= most:
        lows.append(following)
    return np.array(lows, np.float64), np.array([*(low - 1 for low in lows[1:]), most], np.float64)


def _ratio(low: int, most: int, growth: float) -> float:
    """Finer where bounds are looked at: nobody asks whether 0.01 % is wrong or 0.02 %, 60 % or 70 %."""
    least_asked, most_asked = most / 500, most / 4
    return growth if least_asked <= low <= most_asked else growth**3


def _upper_hull(first: FloatArray, second: FloatArray) -> FloatArray:
    """(V, 2) corners that are outermost in some direction of growing first and second."""
    order = np.lexsort((-second, -first))
    hull: list[tuple[float, float]] = []
    highest = -1.0
    for number in order.tolist():
        point = (float(first[number]), float(second[number]))
        if point[1] <= highest:
            continue
        highest = point[1]
        while len(hull) > 1 and _turns_in(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return np.array(hull or [(0.0, 0.0)])


def _turns_in(one: tuple[float, float], two: tuple[float, float], three: tuple[float, float]) -> bool:
    """Whether the second point lies on or below the line from the first to the third."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0]) <= 0.0
