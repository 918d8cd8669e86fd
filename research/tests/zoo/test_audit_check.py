"""The check of audits: what it compares with is what the textbook says, and worlds are mended to a rate."""

import numpy as np
import pytest
from scipy.stats import binom

from crowdseq.evaluation.auditing.counting import ErrorCounts
from crowdseq_research.zoo.audit_check import World, fixed_sample, made_up_world, misses


def test_a_fixed_sample_rules_out_four_percent_in_half_of_all_samples() -> None:
    wrong = np.zeros(5000)
    wrong[:100] = 1.0
    world = World(ErrorCounts(np.ones(5000), wrong, np.zeros(5000)), np.full(5000, 9), None)
    size = int(fixed_sample(world, "sentences"))
    ruled_out = [x for x in range(size) if binom.cdf(x, size, 0.04) <= 0.025]
    assert binom.cdf(max(ruled_out), size, 0.02) >= 0.5
    assert binom.cdf(max(ruled_out) - 1, size, 0.02) < 0.6
    assert 250 < size < 400


@pytest.mark.parametrize("figure", ["sentences", "precision", "recall", "f1"])
def test_a_world_is_mended_to_the_rate_that_was_asked_for(figure: str) -> None:
    rng = np.random.default_rng(5)
    worlds = (made_up_world(rng) for _ in range(100))
    world = next(one for one in worlds if one.error(figure) > 0.08)
    assert 0.03 < world.mended(figure, 0.05, rng).error(figure) <= 0.05


def test_a_world_without_an_error_is_never_missed() -> None:
    none = np.zeros(80)
    world = World(ErrorCounts(np.ones(80), none, none), np.full(80, 9), None)
    assert misses(world, seed=1, most=40) == set()
