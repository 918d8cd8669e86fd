"""CrowdTokens: truths that do not depend on each other, and annotators who vote on them."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.dirichlet import Rows
from crowdseq.numerics.crowds.held import Held
from crowdseq.numerics.crowds.patterns import Patterns
from crowdseq.numerics.crowds.votes import normalise, softmax


@dataclass(frozen=True, eq=False)
class CrowdTokens:
    """T tokens as P patterns of votes; what is said of one pattern holds for all its tokens."""

    patterns: Patterns
    held: Held

    @classmethod
    def build(
        cls,
        tokens: IntArray,
        kinds: IntArray,
        n_kinds: int,
        gold: IntArray,
        weights: FloatArray | None = None,
    ) -> "CrowdTokens":
        """tokens, kinds, weights (V,) of the votes in order; gold (T,): labels at which tokens are held, -1:
        none. Without weights every vote counts once."""
        patterns = Patterns.find(tokens, kinds, gold, n_kinds, weights)
        return cls(patterns, Held.known(gold[patterns.examples]))

    def start(self, truth: FloatArray) -> FloatArray:
        """(T, M) truths, equal for tokens that got the same votes, to those of the patterns (P, M)."""
        return self.held.clamp(truth[self.patterns.examples])

    def count(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(P, M) truths to expected counts (C, M) of the kinds of votes, and (M,) of the truths."""
        weighted = truth * self.patterns.sizes[:, None]
        return self.patterns.table.gather(weighted), weighted.sum(axis=0)

    def expect(self, scores: FloatArray, shares: FloatArray) -> tuple[FloatArray, float]:
        """(P, M) truths under log scores (C, M) of kinds and (M,) of truths, and the log evidence of all."""
        truth, evidence = softmax(self.held.mask(self.patterns.table.fold(scores) + shares))
        return truth, float(evidence @ self.patterns.sizes)

    def spread(self, truth: FloatArray) -> FloatArray:
        """(P, M) to (T, M): the truth of every token."""
        return truth[self.patterns.members]


def even_shares(n_labels: int) -> Rows:
    """Every truth as likely as any other."""
    even = normalise(np.ones(n_labels))
    return Rows(np.log(even), even, 0.0)
