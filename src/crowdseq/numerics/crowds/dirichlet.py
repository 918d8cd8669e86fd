"""Rows of probabilities learned from counts: the best point, or a Dirichlet belief about them."""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from crowdseq.arrays import FloatArray
from crowdseq.numerics.crowds.votes import normalise

_TINY = 1e-300  # stands for the sum of a row that has no possible cell


@dataclass(frozen=True, eq=False)
class Rows:
    """What was learned about rows of probabilities.

    logs: log p for a point, E log p under a belief: what enters scores. means: probabilities.
    credit: what the objective gets besides the evidence: the log prior of a point (up to a constant), minus
    the divergence of a belief from its prior. With it neither EM nor variational rounds lower the objective.
    """

    logs: FloatArray
    means: FloatArray
    credit: float


def learn_rows(counts: FloatArray, prior: FloatArray | float, *, bayes: bool) -> Rows:
    """Counts (…, M) to rows along the last axis; prior: added to every count, broadcast.

    A point with prior s is the maximum under Dirichlet(1 + s); a belief with prior s starts at
    Dirichlet(s). Cells whose prior is 0 are impossible: their counts are dropped, their log is minus
    infinity.
    """
    spread = np.broadcast_to(prior, counts.shape)
    possible = spread > 0
    total = np.where(possible, counts + spread, 0.0)
    means = normalise(total)
    if bayes:
        logs = expected_logs(total)
        credit = -float(dirichlet_divergence(total, spread).sum())
    else:
        logs = np.log(means, out=np.full(means.shape, -np.inf), where=possible)
        credit = float(xlogy(spread, means).sum())
    return Rows(logs, means, credit)


def expected_logs(parameters: FloatArray) -> FloatArray:
    """Dirichlet parameters (…, M) to E log p; minus infinity where a parameter is 0."""
    totals = parameters.sum(axis=-1, keepdims=True)
    inside = np.where(parameters > 0, parameters, 1.0)
    return np.where(parameters > 0, digamma(inside) - digamma(np.maximum(totals, _TINY)), -np.inf)


def dirichlet_divergence(parameters: FloatArray, prior: FloatArray) -> FloatArray:
    """Kullback-Leibler divergence of Dirichlet(parameters) from Dirichlet(prior), one for each row (…)."""
    logs = np.where(parameters > 0, expected_logs(parameters), 0.0)
    gained = ((parameters - prior) * logs).sum(axis=-1)
    return np.asarray(gained + _log_normaliser(prior) - _log_normaliser(parameters))


def _log_normaliser(parameters: FloatArray) -> FloatArray:
    """Log of the integral that makes a Dirichlet sum to one; parameters of 0 take no part."""
    cells = gammaln(np.where(parameters > 0, parameters, 1.0)).sum(axis=-1)
    return np.asarray(cells - gammaln(np.maximum(parameters.sum(axis=-1), _TINY)))
