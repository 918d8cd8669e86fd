"""Confidence beside how often it was right."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration

answers = st.lists(st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.35, 0.5, 0.999, 1.0]), st.booleans()))


@given(answers, st.integers(1, 12))
def test_the_error_is_counted_as_by_hand(pairs: list[tuple[float, bool]], bins: int) -> None:
    found = measure_calibration(
        np.array([p for p, _ in pairs]), np.array([ok for _, ok in pairs], bool), bins
    )
    gap = 0.0
    for place in range(bins):
        inside = [
            (p, ok) for p, ok in pairs if place / bins < p <= (place + 1) / bins or (p == 0 and place == 0)
        ]
        gap += abs(sum(p for p, _ in inside) - sum(ok for _, ok in inside))
        assert found.bins[place].count == len(inside)
    assert found.error == (pytest.approx(gap / len(pairs)) if pairs else None)
    assert found.count == len(pairs)


def test_a_crowd_that_knows_how_sure_it_is_has_no_error() -> None:
    found = measure_calibration(np.array([0.75] * 4 + [1.0]), np.array([True, True, True, False, True]))
    assert found.error == 0.0
    assert found.bins[7].accuracy == 0.75
    assert found.bins[0].accuracy is None


def test_being_sure_and_wrong_is_the_largest_error() -> None:
    assert measure_calibration(np.ones(3), np.zeros(3, bool)).error == 1.0


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(AnnotationError, match="between 0 and 1"):
        measure_calibration(np.array([wrong]), np.array([True]))


def test_lengths_and_bins_are_checked() -> None:
    with pytest.raises(AnnotationError, match="1 confidences for 2 tokens"):
        measure_calibration(np.ones(1), np.ones(2, bool))
    with pytest.raises(SettingsError, match="at least one bin"):
        measure_calibration(np.ones(1), np.ones(1, bool), bins=0)


def test_entity_tokens_are_those_that_either_side_puts_into_a_span() -> None:
    scheme = LabelScheme.of_types(["PER"])
    gold = scheme.ids(["O", "B-PER", "O", None, "O"])
    predicted = scheme.ids(["O", "O", "B-PER", "B-PER", "O"])
    assert entity_tokens(gold, predicted, scheme).tolist() == [False, True, True, False, False]


def test_all_known_tokens_count_in_a_plain_scheme() -> None:
    scheme = LabelScheme.plain(["N", "V"])
    assert entity_tokens(scheme.ids(["N", None]), scheme.ids(["N", "N"]), scheme).tolist() == [True, False]


def test_a_calibration_is_told_in_plain_values() -> None:
    told = json.loads(json.dumps(measure_calibration(np.array([0.5]), np.array([True])).as_dict()))
    assert told["bins"][4] == {"low": 0.4, "high": 0.5, "count": 1, "confidence": 0.5, "accuracy": 1.0}
