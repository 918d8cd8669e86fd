"""Confusions: a row of vote probabilities for each annotator and truth, and for each context if wanted."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.annotator_models import Judgement


@dataclass(frozen=True, eq=False)
class Confusions:
    """An annotator model that keeps only those kinds of votes (annotator, context, label) that occur.

    prior (M, M): counts before any vote is seen, truth by vote.
    contexts (V,): what a vote hangs on besides the truth, with scale (n_contexts, M), the factor on
    the prior by context and vote; None for no context.
    groups (C,), given (C,): annotator-and-context and label of each kind; kinds of a group stand
    together, from bounds[g] on.
    """

    annotators: IntArray
    labels: IntArray
    n_annotators: int
    prior: FloatArray
    bayes: bool
    contexts: IntArray | None = None
    scale: FloatArray | None = None
    factors: FloatArray = field(init=False)
    kinds: IntArray = field(init=False)
    groups: IntArray = field(init=False)
    given: IntArray = field(init=False)
    bounds: IntArray = field(init=False)

    def __post_init__(self) -> None:
        n_labels = len(self.prior)
        factors = np.ones((1, n_labels)) if self.scale is None else self.scale
        groups = self.annotators.astype(np.int64) * len(factors)
        if self.contexts is not None:
            groups = groups + self.contexts
        found, kinds = np.unique(groups * n_labels + self.labels, return_inverse=True)
        groups = found // n_labels
        self._keep("factors", factors)
        self._keep("kinds", kinds)
        self._keep("groups", groups)
        self._keep("given", found % n_labels)
        self._keep("bounds", np.flatnonzero(np.diff(groups, prepend=-1)))

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def n_kinds(self) -> int:
        return len(self.groups)

    def learn(self, counts: FloatArray, before: Judgement | None = None) -> Judgement:  # noqa: ARG002
        contexts = self.groups % len(self.factors)
        prior = self.prior.T[self.given] * self.factors[contexts, self.given][:, None]
        prior_totals = (self.factors @ self.prior.T)[contexts[self.bounds]]
        totals = prior_totals + self._by_group(counts)
        if self.bayes:
            scores = digamma(counts + prior) - self._by_kind(digamma(totals))
            credit = -self._divergence(counts, prior, scores, totals, prior_totals)
        else:
            scores = np.log((counts + prior) / self._by_kind(totals))
            credit = float((prior * scores).sum()) + self._unseen(prior, totals, prior_totals)
        return Judgement(scores, credit, lambda: {"confusions": self._dense(counts)})

    def _by_group(self, rows: FloatArray) -> FloatArray:
        """(C, M) summed over the kinds of each group."""
        return np.add.reduceat(rows, self.bounds, axis=0) if len(rows) else rows

    def _by_kind(self, rows: FloatArray) -> FloatArray:
        """A row for each group to one for each kind."""
        sizes = np.diff(np.append(self.bounds, len(self.groups)))
        return np.repeat(rows, sizes, axis=0)

    def _divergence(
        self,
        counts: FloatArray,
        prior: FloatArray,
        logs: FloatArray,
        totals: FloatArray,
        prior_totals: FloatArray,
    ) -> float:
        """Of the beliefs from their prior; cells without a vote cancel, so they need not be listed."""
        normalisers = gammaln(totals).sum() - gammaln(prior_totals).sum()
        cells = gammaln(counts + prior).sum() - gammaln(prior).sum()
        return float(normalisers - cells + (counts * logs).sum())

    def _unseen(self, prior: FloatArray, totals: FloatArray, prior_totals: FloatArray) -> float:
        """Log prior of the votes that an annotator never gave, in rows that have others."""
        contexts = self.groups[self.bounds] % len(self.factors)
        prior_logs = self.factors @ _times_own_log(self.prior).T
        prior_logs += _times_own_log(self.factors) @ self.prior.T
        unseen_logs = prior_logs[contexts] - self._by_group(_times_own_log(prior))
        unseen = prior_totals - self._by_group(prior)
        return float((unseen_logs - unseen * np.log(totals)).sum())

    def _dense(self, counts: FloatArray) -> FloatArray:
        """(K, M, M) probabilities, truth by vote, contexts taken together."""
        n_labels = len(self.prior)
        table = np.zeros((self.n_annotators * n_labels, n_labels))
        np.add.at(table, self.groups // len(self.factors) * n_labels + self.given, counts)
        by_vote = table.reshape(self.n_annotators, n_labels, n_labels)
        cells = np.ascontiguousarray(by_vote.transpose(0, 2, 1))
        del table, by_vote  # with 401 labels every copy counts
        cells += self.prior
        cells /= cells.sum(axis=-1, keepdims=True)
        return cells


def _times_own_log(values: FloatArray) -> FloatArray:
    return np.asarray(xlogy(values, values), np.float64)
