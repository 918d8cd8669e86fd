"""Rows of probabilities: points and beliefs against densities and plain sums."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from crowdseq.numerics.crowds.dirichlet import dirichlet_divergence, expected_logs, learn_rows


def test_a_belief_diverges_as_its_densities_say() -> None:
    """The divergence is a mean of log density ratios: drawn many times."""
    rng = np.random.default_rng(0)
    after, before = np.array([3.0, 1.5, 6.0]), np.array([0.7, 1.0, 2.0])
    drawn = rng.dirichlet(after, 400_000).T
    ratios = np.asarray(stats.dirichlet(after).logpdf(drawn) - stats.dirichlet(before).logpdf(drawn))
    spread = ratios.std() / np.sqrt(len(ratios))
    assert float(dirichlet_divergence(after, before)) == pytest.approx(ratios.mean(), abs=5 * spread)


def test_a_belief_that_learned_nothing_owes_nothing() -> None:
    rows = learn_rows(np.zeros((2, 3)), 0.4, bayes=True)
    assert rows.credit == pytest.approx(0.0)
    np.testing.assert_allclose(rows.logs, digamma(0.4) - digamma(1.2))


def test_a_point_is_where_counts_and_prior_are_most_likely() -> None:
    counts, prior = np.array([3.0, 1.0, 0.0]), 0.5
    found = learn_rows(counts, prior, bayes=False)

    def objective(p: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        return float((counts * np.log(p)).sum() + prior * np.log(p).sum())

    best = float((counts * found.logs).sum()) + found.credit
    assert best == pytest.approx(objective(found.means))
    for drawn in np.random.default_rng(1).dirichlet([1.0] * 3, 500):
        assert objective(drawn) <= best + 1e-12


@pytest.mark.parametrize("bayes", [True, False])
def test_cells_without_prior_do_not_exist(bayes: bool) -> None:
    counts, prior = np.array([2.0, 5.0, 1.0]), np.array([1.0, 0.0, 1.0])
    found = learn_rows(counts, prior, bayes=bayes)
    fewer = learn_rows(counts[[0, 2]], prior[[0, 2]], bayes=bayes)
    assert found.logs[1] == -np.inf
    assert found.means[1] == 0.0
    np.testing.assert_allclose(found.logs[[0, 2]], fewer.logs)
    assert found.credit == pytest.approx(fewer.credit)


def test_expected_logs_are_means_of_logs() -> None:
    parameters = np.array([2.0, 5.0, 0.5])
    drawn = np.log(np.random.default_rng(2).dirichlet(parameters, 200_000))
    np.testing.assert_allclose(expected_logs(parameters), drawn.mean(axis=0), atol=0.03)
