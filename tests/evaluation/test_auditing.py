"""Bounds of an audit: fair bets by listing every order, and coverage by simulated audits."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdseq.arrays import FloatArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import decode
from crowdseq.evaluation.auditing.counting import ErrorCounts, Foretold, count_errors, foretell_errors
from crowdseq.evaluation.auditing.drawing import draw_order, draw_weights
from crowdseq.evaluation.auditing.figures import FIGURES, bound_of, draws_needed, f1, precision
from crowdseq.evaluation.auditing.frame import Frame, RunningBounds
from crowdseq.evaluation.auditing.totals import Population, PossibleTotals, make_cells

NEVER = 1e-12  # a risk at which nothing is refuted but what cannot be
GIVEN = np.array([2.0, 0.0, 1.0, 3.0, 1.0])
ROOM = np.array([1.0, 1.0, 0.0, 2.0, 1.0])
WEIGHTS = np.array([1.0, 0.5, 0.7, 2.0, 0.8])
WRONG = np.array([1.0, 0.0, 0.0, 2.0, 0.0])
MISSED = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
MODELS = {
    "none": (np.zeros(5), np.zeros(5)),
    "knowing": (WRONG * 0.9, MISSED * 0.8),
    "contrary": (GIVEN - WRONG, ROOM - MISSED),
}


def population(model: str = "none") -> Population:
    return Population(GIVEN, ROOM, WEIGHTS, *MODELS[model])


def chance_of(order: tuple[int, ...]) -> float:
    """That the sentences are drawn in this order, each in proportion to the weights that are left."""
    left, chance = float(WEIGHTS.sum()), 1.0
    for unit in order:
        chance *= WEIGHTS[unit] / left
        left -= WEIGHTS[unit]
    return chance


def wealth_against(totals: PossibleTotals, wrong: float, missed: float) -> float:
    cells = totals._cells
    here = (cells.first_low <= wrong) & (wrong <= cells.first_high)
    here &= (cells.second_low <= missed) & (missed <= cells.second_high)
    return float(cells.wealth[here][0])


def observed(order: tuple[int, ...], model: str, risk: float) -> list[PossibleTotals]:
    totals = PossibleTotals(population(model), risk)
    for unit in order:
        totals.observe(unit, WRONG[unit], MISSED[unit])
    return [totals]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("draws", [1, 3, 5])
def test_bets_against_the_truth_are_fair_over_all_orders(model: str, draws: int) -> None:
    expected = 0.0
    for order in permutations(range(5)):
        (totals,) = observed(order[:draws], model, NEVER)
        expected += chance_of(order) * wealth_against(totals, WRONG.sum(), MISSED.sum())
    assert expected == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_the_truth_is_refuted_at_any_time_with_no_more_than_the_risk_over_all_orders(model: str) -> None:
    risk = 0.3
    lost = 0.0
    for order in permutations(range(5)):
        totals, covered = PossibleTotals(population(model), risk), True
        for unit in order:
            totals.observe(unit, WRONG[unit], MISSED[unit])
            low, high, missed_low, missed_high = totals.ranges(of_all=True)
            here = (low <= WRONG.sum()) & (WRONG.sum() <= high)
            covered &= bool((here & (missed_low <= MISSED.sum()) & (MISSED.sum() <= missed_high)).any())
        lost += chance_of(order) * (not covered)
    assert lost <= risk


def test_no_bet_can_lose_more_than_there_is() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        totals = PossibleTotals(population("contrary"), NEVER)
        for unit in rng.permutation(5):
            # Whatever is found, up to all that can be.
            totals.observe(unit, float(rng.integers(GIVEN[unit] + 1)), float(rng.integers(ROOM[unit] + 1)))
            assert (totals._cells.wealth > 0.0).all()


def test_reading_everything_leaves_nothing_unknown() -> None:
    (totals,) = observed((4, 3, 2, 1, 0), "none", 0.05)
    low, high, missed_low, missed_high = totals.ranges(of_all=True)
    assert (low.min(), high.max()) == (WRONG.sum(), WRONG.sum())
    assert (missed_low.min(), missed_high.max()) == (MISSED.sum(), MISSED.sum())


def test_estimates_are_unbiased_over_all_orders() -> None:
    mean = np.zeros(2)
    for order in permutations(range(5)):
        totals = PossibleTotals(population("knowing"), NEVER)
        totals.observe(order[0], WRONG[order[0]], MISSED[order[0]])
        totals.observe(order[1], WRONG[order[1]], MISSED[order[1]])
        mean += chance_of(order) * totals._estimates / 2
    assert mean == pytest.approx([WRONG.sum(), MISSED.sum()])


@given(st.integers(0, 3000), st.integers(0, 300))
@settings(max_examples=20, deadline=None)
def test_every_pair_of_totals_lies_in_one_cell(wrong: int, missed: int) -> None:
    cells = make_cells(3000, 300)
    here = (cells.first_low <= wrong) & (wrong <= cells.first_high)
    here &= (cells.second_low <= missed) & (missed <= cells.second_high)
    assert here.sum() == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_the_corners_reach_as_far_as_any_unit(pairs: list[tuple[int, int]], part: float) -> None:
    first, second = np.array(pairs, np.float64).T
    corners = Population.of(first, second, np.ones(len(first))).corners
    direction = np.array([part, 1.0 - part])
    farthest = (np.stack([first, second], axis=1) @ direction).max()
    assert (corners @ direction).max() == pytest.approx(farthest)


def test_a_sentence_is_drawn_first_with_its_share_of_the_weights() -> None:
    weights = np.array([1.0, 2.0, 5.0])
    firsts = np.array([draw_order(weights, seed)[0] for seed in range(2000)])
    shares = np.bincount(firsts, minlength=3) / 2000
    assert shares == pytest.approx(weights / 8.0, abs=0.04)
    assert (draw_order(weights, 7) == draw_order(weights, 7)).all()


def test_doubtful_sentences_weigh_more_and_none_weighs_little() -> None:
    doubts = np.array([0.0, 0.0, 0.0, 1.0])
    weights = draw_weights(np.ones(4), doubts)
    assert weights[3] > weights[0] > 0.3
    assert weights.mean() == pytest.approx(1.0)
    assert draw_weights(np.ones(4), None) == pytest.approx(np.ones(4))


def test_errors_are_counted_as_sets_of_spans_differ() -> None:
    scheme = LabelScheme.of_types(["LOC", "PER"])
    rng = np.random.default_rng(3)
    truth, said = (rng.integers(0, len(scheme), 60).astype(np.int16) for _ in range(2))
    offsets = np.array([0, 7, 7, 20, 41, 60])
    counts = count_errors(truth, said, offsets, scheme)
    for place, (first, last) in enumerate(pairwise(offsets)):
        true, told = (
            set(decode(scheme, [scheme.tags[tag] for tag in tags[first:last]])) for tags in (truth, said)
        )
        assert counts.given[place] == len(told)
        assert counts.wrong[place] == len(told - true)
        assert counts.missed[place] == len(true - told)


def test_errors_are_foretold_by_the_least_sure_token_and_by_beginnings() -> None:
    scheme = LabelScheme.of_types(["PER"])  # O, B-PER, I-PER
    probabilities = np.array([[0.1, 0.9, 0.0], [0.3, 0.0, 0.7], [0.8, 0.2, 0.0]])
    foretold = foretell_errors(probabilities, np.array([1, 2, 0], np.int16), np.array([0, 3]), scheme)
    assert foretold.wrong == pytest.approx([0.3])
    assert foretold.missed == pytest.approx([0.9 + 0.2 - 0.7])
    assert foretold.doubt == pytest.approx([0.3])


def frame_of(given: FloatArray, foretold: Foretold | None = None, seed: int = 0) -> Frame:
    lengths = np.full(len(given), 20)
    return Frame.draw(given, lengths, is_plain=False, foretold=foretold, seed=seed)


def test_more_missing_spans_than_there_was_room_for_make_room_and_are_not_forgotten() -> None:
    running = RunningBounds(frame_of(np.ones(30)))
    running.add(0.0, 0.0)
    running.add(0.0, 11.0)
    assert (running.level, running.labels.draws, running.labels.missed) == (8, 2, 11.0)
    running.add(1.0, 0.0)
    assert running.labels.wrong == 1.0


def test_a_faultless_sample_bounds_the_rest_and_says_when_it_is_enough() -> None:
    running = RunningBounds(frame_of(np.ones(2000)))
    for _ in range(60):
        running.add(0.0, 0.0)
    before = draws_needed(running.labels, f1, 0.05)
    assert before.more is not None
    for _ in range(2 * before.more):
        running.add(0.0, 0.0)
    assert draws_needed(running.labels, f1, 0.05).more == 0
    assert bound_of(running.labels, f1).low >= 0.95
    assert bound_of(running.labels, precision).high == 1.0


def test_a_target_that_cannot_be_reached_is_told() -> None:
    running = RunningBounds(frame_of(np.ones(2000)))
    for place in range(100):
        running.add(float(place % 2), 0.0)
    needed = draws_needed(running.labels, precision, 0.02)
    assert needed.more is None
    assert "mend more first" in needed.reason


def test_plain_tags_have_an_accuracy_and_nothing_missing() -> None:
    given = np.full(50, 10.0)
    frame = Frame.draw(given, np.full(50, 10), is_plain=True, foretold=None, seed=0)
    running = RunningBounds(frame)
    for _ in range(30):
        running.add(1.0, 0.0)
    bounds = running.bounds()
    assert set(bounds) == {"accuracy", "sentences"}
    assert bounds["accuracy"].low < 0.9 < bounds["accuracy"].high


def made_up(rng: np.random.Generator) -> tuple[ErrorCounts, Frame]:
    """A corpus of any error rate with a model that knows, does not know, or believes the contrary."""
    size = int(rng.integers(100, 400))
    given = rng.poisson(1.5, size).astype(np.float64)
    rates = np.minimum(np.exp(rng.uniform(np.log(0.001), np.log(0.2))) * rng.gamma(0.5, 2.0, size), 0.9)
    wrong = rng.binomial(given.astype(np.int64), rates).astype(np.float64)
    missed = np.minimum(wrong + rng.poisson(rates), 20.0)
    doubts = [None, rates, rates[::-1].copy()][int(rng.integers(3))]
    foretold = None if doubts is None else Foretold(doubts * given, doubts, doubts)
    return ErrorCounts(given, wrong, missed), frame_of(given, foretold, int(rng.integers(2**31)))


def test_bounds_hold_together_at_any_time_in_19_of_20_audits() -> None:
    rng = np.random.default_rng(11)
    audits, missed_audits = 80, 0
    for _ in range(audits):
        errors, frame = made_up(rng)
        totals = (float(errors.given.sum()), np.array([errors.wrong.sum()]), np.array([errors.missed.sum()]))
        truth = {name: float(figure(*totals)[0]) for name, figure in FIGURES.items()}
        running, held = RunningBounds(frame), True
        for place, unit in enumerate(frame.order[:80].tolist()):
            running.add(errors.wrong[unit], errors.missed[unit])
            for name in FIGURES if place % 8 == 7 else ():
                bound = bound_of(running.labels, FIGURES[name], of_all=True)
                held &= bound.low - 1e-9 <= truth[name] <= bound.high + 1e-9
        missed_audits += not held
    assert missed_audits <= 9  # of 80 at 5 %, with probability 0.99
