"""Wrong settings are refused in one clear line; right ones become levels and quotas."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import SettingsError
from crowdseq.simulation.cast import cast, spread_levels
from crowdseq.simulation.profiles import ErrorWeights
from crowdseq.simulation.reading import find_quota
from crowdseq.simulation.settings import CrowdSettings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"precision": 0.0}, "precision is 0.0, it must be above 0 and below 1"),
        ({"precision": 1.0}, "precision is 1.0, it must be above 0 and below 1"),
        ({"precision": float("nan")}, "precision is nan"),
        ({"recall": 1.2}, "recall is 1.2, it must be above 0 and below 1"),
        ({"annotators": 0}, "ask for at least 1"),
        ({"annotators": -1}, "annotators is -1, it must be 0 or more"),
        ({"annotators": 2.5}, "annotators is 2.5, it must be a whole number"),
        ({"spread": -0.1}, "spread is -0.1"),
        ({"consistency": 1.1}, "consistency is 1.1, it must lie from 0 to 1"),
        ({"slips": 0.9}, "slips is 0.9, it must lie from 0 to 0.5"),
        ({"seed": -3}, "seed is -3, it must be 0 or more"),
        ({"per_sentence": 6}, "per_sentence is 6, it must lie from 1 to the 5 annotators"),
        ({"per_sentence": 0}, "per_sentence is 0"),
        ({"profiles": ("exprt",)}, "profile 'exprt' is unknown, choose one of expert, careful"),
        ({"profiles": "expert"}, "profiles is a list of names"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        CrowdSettings(**wrong)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_weights_are_not_negative_and_not_all_zero() -> None:
    with pytest.raises(SettingsError, match="the weight of type errors is -1, it must be 0 or more"):
        ErrorWeights(type=-1)
    with pytest.raises(SettingsError, match="all weights of errors are 0"):
        ErrorWeights(shrink=0, extend=0, shift=0, type=0, split=0, merge=0, missed=0, spurious=0)


@given(
    mean=st.floats(0.01, 0.99),
    offsets=st.lists(st.floats(-5, 5), min_size=1, max_size=20),
)
def test_levels_keep_their_distances_and_have_the_mean_asked_for(mean: float, offsets: list[float]) -> None:
    levels = spread_levels(mean, np.array(offsets))
    assert levels.mean() == pytest.approx(mean, abs=1e-9)
    assert ((levels > 0) & (levels < 1)).all()
    log_odds = np.log(levels / (1 - levels))
    assert np.diff(log_odds) == pytest.approx(np.diff(offsets), abs=1e-4)


def test_one_annotator_alone_has_the_level_asked_for() -> None:
    (person,) = cast(CrowdSettings(annotators=1, precision=0.37, recall=0.2))
    assert person.character.precision == pytest.approx(0.37)
    assert person.character.recall == pytest.approx(0.2)


def test_names_sort_in_the_order_of_their_numbers() -> None:
    names = [person.name for person in cast(CrowdSettings(annotators=120))]
    assert names[0] == "a001"
    assert names == sorted(names)
    assert [person.name for person in cast(CrowdSettings(annotators=2))] == ["a01", "a02"]


@given(n_mentions=st.integers(1, 5000), precision=st.floats(0.02, 0.98), recall=st.floats(0.02, 0.98))
def test_a_quota_comes_close_to_both_levels(n_mentions: int, precision: float, recall: float) -> None:
    quota = find_quota(n_mentions, precision, recall)
    assert 1 <= quota.right <= n_mentions
    marks = quota.right + quota.wrong
    assert quota.right / marks == pytest.approx(precision, abs=0.5 / marks + 1e-9)
    assert quota.right == pytest.approx(recall * n_mentions, abs=4)


def test_nothing_to_mark_asks_for_no_marks() -> None:
    quota = find_quota(0, 0.5, 0.5)
    assert (quota.right, quota.wrong) == (0, 0)
