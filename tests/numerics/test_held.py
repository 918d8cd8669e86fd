"""Held tokens: certain in truths, without rivals in scores."""

import numpy as np

from crowdseq.numerics.crowds.held import Held
from crowdseq.numerics.crowds.votes import softmax


def test_clamped_truths_are_certain_and_others_stay() -> None:
    truth = np.full((3, 2), 0.5)
    clamped = Held.known(np.array([-1, 1, -1])).clamp(truth)
    np.testing.assert_array_equal(clamped, [[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_array_equal(truth, np.full((3, 2), 0.5))


def test_masked_scores_leave_one_label_with_its_own_evidence() -> None:
    scores = np.log(np.array([[0.3, 0.2], [0.4, 0.1]]))
    truth, evidence = softmax(Held.known(np.array([1, -1])).mask(scores))
    np.testing.assert_allclose(truth, [[0.0, 1.0], [0.8, 0.2]])
    np.testing.assert_allclose(np.exp(evidence), [0.2, 0.5])


def test_nothing_known_changes_nothing() -> None:
    truth = np.full((2, 2), 0.5)
    held = Held.known(np.array([-1, -1]))
    np.testing.assert_array_equal(held.clamp(truth), truth)
    np.testing.assert_array_equal(held.mask(truth), truth)
