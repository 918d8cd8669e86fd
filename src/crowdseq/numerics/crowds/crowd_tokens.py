"""CrowdTokens: truths that do not depend on each other, and annotators who vote on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.annotator_models import AnnotatorModel, Judgement
from crowdseq.numerics.crowds.categorical import normalise, softmax
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows
from crowdseq.numerics.crowds.held import Held
from crowdseq.numerics.crowds.patterns import Patterns
from crowdseq.numerics.em import Climb, Progress, climb, quiet


@dataclass(frozen=True, eq=False)
class TokenState:
    """truth (P, M) of each pattern of votes, and the judgement and shares under which it was expected."""

    truth: FloatArray
    judgement: Judgement | None = None
    shares: Rows | None = None


@dataclass(frozen=True, eq=False)
class CrowdTokens:
    """Tokens with an annotator model; share_prior: counts added to those of the truths, or None for truths
    that are all equally likely."""

    patterns: Patterns
    held: Held
    model: AnnotatorModel
    share_prior: float | None
    bayes: bool

    @classmethod
    def build(
        cls,
        model: AnnotatorModel,
        tokens: IntArray,
        gold: IntArray,
        *,
        share_prior: float | None,
        bayes: bool,
    ) -> "CrowdTokens":
        """tokens (V,) of the votes in order; gold (T,): labels at which tokens are held, -1 for none."""
        patterns = Patterns.find(tokens, model.kinds, gold, model.n_kinds)
        return cls(patterns, Held.known(gold[patterns.examples]), model, share_prior, bayes)

    def start(self, truth: FloatArray) -> TokenState:
        """A state from (T, M) truths, equal for tokens that got the same votes."""
        return TokenState(self.held.clamp(truth[self.patterns.examples]))

    def climb(
        self, start: TokenState, *, rounds: int, tolerance: float, progress: Progress = quiet
    ) -> Climb[TokenState]:
        return climb(self.step, Climb(start), rounds=rounds, tolerance=tolerance, progress=progress)

    def step(self, state: TokenState) -> tuple[TokenState, float]:
        """Judge by the truth, then expect the truth anew; with the objective that neither ever lowers."""
        weighted = state.truth * self.patterns.sizes[:, None]
        judgement = self.model.learn(self.patterns.table.gather(weighted), state.judgement)
        return self.expect(judgement, self._shares(weighted))

    def expect(self, judgement: Judgement, shares: Rows) -> tuple[TokenState, float]:
        """The truth under a judgement, and the objective."""
        scores = self.held.mask(self.patterns.table.fold(judgement.scores) + shares.logs)
        truth, evidence = softmax(scores)
        objective = float(evidence @ self.patterns.sizes) + judgement.credit + shares.credit
        return TokenState(truth, judgement, shares), objective

    def spread(self, state: TokenState) -> FloatArray:
        """(T, M) the truth of every token."""
        return state.truth[self.patterns.members]

    def describe(self, state: TokenState) -> dict[str, Any]:
        """The parameters of a state by name."""
        shares = {"class_shares": state.shares.means} if state.shares and self.share_prior else {}
        return shares | (state.judgement.describe() if state.judgement else {})

    def _shares(self, weighted: FloatArray) -> Rows:
        if self.share_prior is None:
            return even_shares(weighted.shape[1])
        return learn_rows(weighted.sum(axis=0), self.share_prior, bayes=self.bayes)


def even_shares(n_labels: int) -> Rows:
    """Every truth as likely as any other."""
    even = normalise(np.ones(n_labels))
    return Rows(np.log(even), even, 0.0)
