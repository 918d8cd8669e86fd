"""Whether a confidence of 0.8 is right eight times out of ten."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SettingsError


@dataclass(frozen=True)
class CalibrationBin:
    """Tokens whose confidence lies in (low, high]: how sure on average, and how often right."""

    low: float
    high: float
    count: int
    confidence: float | None
    accuracy: float | None


@dataclass(frozen=True)
class Calibration:
    """error: the expected calibration error, the mean gap between confidence and accuracy, bins weighted by
    their tokens; None when there are no tokens. confidence and accuracy: means over all tokens."""

    error: float | None
    confidence: float | None
    accuracy: float | None
    count: int
    bins: tuple[CalibrationBin, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def measure_calibration(confidence: FloatArray, correct: BoolArray, bins: int = 10) -> Calibration:
    """(T,) confidences and whether each was right, in bins of equal width; 0 belongs to the first."""
    return calibration_of(calibration_counts(confidence, correct, bins))


def calibration_counts(confidence: FloatArray, correct: BoolArray, bins: int = 10) -> FloatArray:
    """(3, bins) how many there are, their confidences and how many are right; those of parts add up."""
    if bins < 1:
        raise SettingsError(f"calibration needs at least one bin, not {bins}")
    if len(confidence) != len(correct):
        raise AnnotationError(f"{len(confidence)} confidences for {len(correct)} tokens")
    if not np.all((confidence >= 0) & (confidence <= 1 + 1e-9)):  # also false for NaN
        raise AnnotationError("a confidence must lie between 0 and 1")
    edges = np.arange(bins + 1) / bins
    indices = np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, bins - 1)
    weights = (None, confidence, correct.astype(np.float64))
    return np.array([np.bincount(indices, weights=one, minlength=bins) for one in weights], np.float64)


def calibration_of(table: FloatArray) -> Calibration:
    """What such counts tell."""
    counts, sure, right = table[0].astype(np.int64), table[1], table[2]
    total, bins = int(counts.sum()), table.shape[1]
    edges = np.arange(bins + 1) / bins
    return Calibration(
        error=float(np.abs(sure - right).sum() / total) if total else None,
        confidence=float(sure.sum() / total) if total else None,
        accuracy=float(right.sum() / total) if total else None,
        count=total,
        bins=tuple(
            CalibrationBin(
                float(edges[i]),
                float(edges[i + 1]),
                n,
                sure[i] / n if n else None,
                right[i] / n if n else None,
            )
            for i, n in enumerate(counts.tolist())
        ),
    )


def entity_tokens(gold: IntArray, predicted: IntArray, scheme: LabelScheme) -> BoolArray:
    """(T,) tokens with gold that either side puts into a span; in a plain scheme all tokens with gold.

    Being sure of O is easy: over all tokens it would hide how well the confidence of entities is meant.
    """
    known = gold >= 0
    if scheme.is_plain:
        return known
    chosen: BoolArray = known & ((gold != scheme.outside) | (predicted != scheme.outside))
    return chosen
