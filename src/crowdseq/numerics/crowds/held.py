"""Held: tokens whose label is known and may not move."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Held:
    """tokens (H,) are held at labels (H,)."""

    tokens: IntArray
    labels: IntArray

    @classmethod
    def known(cls, labels: IntArray) -> "Held":
        """From (T,) labels, -1 where none is known."""
        tokens = np.flatnonzero(labels >= 0)
        return cls(tokens, labels[tokens])

    def clamp(self, truth: FloatArray) -> FloatArray:
        """The same (T, M) truth with certainty at the held tokens."""
        if len(self.tokens) == 0:
            return truth
        clamped = truth.copy()
        clamped[self.tokens] = 0.0
        clamped[self.tokens, self.labels] = 1.0
        return clamped

    def mask(self, scores: FloatArray) -> FloatArray:
        """The same (T, M) log scores, minus infinity for every label but the held one."""
        if len(self.tokens) == 0:
            return scores
        masked = scores.copy()
        masked[self.tokens] = -np.inf
        masked[self.tokens, self.labels] = scores[self.tokens, self.labels]
        return masked
