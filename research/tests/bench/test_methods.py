"""The bench of the methods: the crowd that it makes up, and how it judges."""

import numpy as np
import pytest

from crowdseq_research.bench.methods import MethodRow, made_up_crowd


def test_the_made_up_crowd_is_as_described() -> None:
    world = made_up_crowd(4_000, 5)
    assert (world.n_tokens, len(world.annotators), len(world.scheme)) == (4_000, 5, 9)
    assert (world.n_voters == 5).all()
    for start, stop in zip(world.offsets[:-1].tolist(), world.offsets[1:].tolist(), strict=True):
        assert world.scheme.is_valid(world.gold_tags[start:stop])
    votes = world.annotations.votes()
    agreed = (votes.labels == world.gold_tags[votes.tokens]).mean()
    assert agreed == pytest.approx(0.8 + 0.2 / 9, abs=0.01)
    assert np.array_equal(made_up_crowd(4_000, 5).annotations.tags, world.annotations.tags)


def test_a_row_is_missed_when_slow_or_behind() -> None:
    assert MethodRow("m", "", 0.5, 1.0, 0.1, "r", 2.0, 10.0).verdict == "must"
    assert MethodRow("m", "", 1.5, 1.0, 0.1, "r", 2.0, 10.0).verdict == "MISSED"
    assert MethodRow("m", "", 0.5, 1.0, 0.4, "r", 2.0, 10.0).verdict == "MISSED"
    assert MethodRow("m", "", 0.5, 1.0).ratio is None
    assert "not installed" in MethodRow("m", "", 0.5, 1.0, 0.1, "", None, 10.0).verdict
    assert MethodRow("m", "", 9.0, None).verdict == ""
