"""Whether a tagger can be trained towards some targets at all, told before time is spent on them."""

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.errors import AnnotationError

_SLACK = 1e-3  # how far a row may miss the sum of one, or hold what may not be
_ROUNDING = 1e-6


def check_rows(unary: FloatArray, offsets: IntArray, sentence_weights: FloatArray) -> None:
    """Every token of a sentence that counts needs a row that sums to one."""
    counted = np.repeat(sentence_weights > 0.0, np.diff(offsets))
    wrong = np.flatnonzero(counted & (np.abs(unary.sum(axis=1) - 1.0) > _SLACK))
    if len(wrong):
        sentence = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        raise AnnotationError(
            f"sentence {sentence + 1}, token {wrong[0] - offsets[sentence] + 1}: targets sum to "
            f"{unary[wrong[0]].sum():.4g}, not to 1; give the sentence weight 0 if it has no labels"
        )


def check_ends(
    unary: FloatArray, starts: BoolArray, ends: BoolArray, offsets: IntArray, sentence_weights: FloatArray
) -> None:
    """Every sentence that counts must begin and end as the scheme allows, starts and ends (M,)."""
    counted = np.flatnonzero((sentence_weights > 0.0) & (np.diff(offsets) > 0))
    begun = unary[offsets[counted]][:, ~starts].sum(axis=1)
    ended = unary[offsets[counted + 1] - 1][:, ~ends].sum(axis=1)
    wrong = counted[np.maximum(begun, ended) > _SLACK]
    if len(wrong):
        raise AnnotationError(
            f"sentence {wrong[0] + 1} begins or ends with a tag that the scheme does not allow there; "
            "repair them first"
        )


def check_pairs(pairs: FloatArray, allowed: BoolArray) -> None:
    """Mass on a forbidden pair (M, M) would make the likelihood zero whatever the weights."""
    wrong = np.argwhere((pairs > _ROUNDING) & ~allowed)
    if len(wrong):
        before, after = wrong[0]
        raise AnnotationError(
            f"the targets let label {after} follow label {before}, against the scheme; repair them first"
        )
