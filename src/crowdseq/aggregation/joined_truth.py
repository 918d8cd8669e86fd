"""JoinedTruth: the CRF over the truth, joined by a companion that reads the same text in another way.

The companion is trained now and then, not in every round, since it takes long. It is trained on what is
believed of other folds, as the CRF is: nobody is judged by one that has seen their votes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from crowdseq.aggregation.companions import Companion
from crowdseq.aggregation.crf_truth import CrfTruth, CrfTruthPart
from crowdseq.aggregation.truth import Potentials
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.engines.shards import Cut
from crowdseq.errors import AnnotationError
from crowdseq.tagging.tagger import Tagger

_TOLD, _LEARNED = "companion_told", "companion_weights"


class JoinedTruthPart(CrfTruthPart):
    """The CRF of a shard, and what the companion tells of it."""

    def believed(self) -> FloatArray:
        """(T, M) what was aimed at."""
        assert self._believed is not None
        return self._believed

    def join(self, weight: float, told: FloatArray) -> None:
        """Potentials that are the CRF's by 1 - weight, and the companion's (T, M) by weight."""
        text = self.potentials
        self._potentials = joined(text, told, weight)


def joined(text: Potentials, told: FloatArray, weight: float) -> Potentials:
    """A log-linear mean: what only the CRF has, its transitions, counts by its share; rules stay rules."""
    share = 1.0 - weight
    return replace(text, unary=share * text.unary + weight * told, transitions=share * text.transitions)


@dataclass(frozen=True, eq=False)
class JoinedParams:
    """weights (F, W): of the CRF. told (T, M): what the companion tells, learned (F, C): what it has learned;
    None before it was trained."""

    weights: FloatArray
    told: FloatArray | None = None
    learned: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class JoinedTruth:
    """A `TruthModel`; folds (N,) are those of the CRF."""

    crf: CrfTruth
    cut: Cut
    folds: IntArray
    companion: Companion

    @staticmethod
    def opener(of_crf: "partial[CrfTruthPart]") -> "partial[JoinedTruthPart]":
        """What a worker calls to open its part, given what it would call for the CRF alone."""
        return partial(JoinedTruthPart.open, *of_crf.args)

    @property
    def n_folds(self) -> int:
        return self.crf.n_folds

    @property
    def n_parameters(self) -> int:
        return self.crf.n_parameters

    @property
    def trainings(self) -> int:
        """None where all is one fold: the companion would tell what it was told."""
        return self.companion.trainings if self.n_folds > 1 else 0

    def start(self) -> JoinedParams:
        return JoinedParams(self.crf.start())

    def train(self, pairs: FloatArray, params: JoinedParams, effort: int) -> JoinedParams:
        return replace(params, weights=self.crf.train(pairs, params.weights, effort))

    def train_on_tags(self, effort: int) -> JoinedParams:
        return JoinedParams(self.crf.train_on_tags(effort))

    def deepen(self, params: JoinedParams, number: int) -> JoinedParams:
        believed = self.cut.join_tokens(self._each("believed"))
        told, learned = self.companion.train(believed, self.folds, number, params.learned)
        return JoinedParams(params.weights, told, learned)

    def score(self, params: JoinedParams) -> None:
        self.crf.score(params.weights)
        if params.told is not None:
            self._each("join", self.companion.weight, own=self.cut.split_tokens(params.told))

    def penalty(self, params: JoinedParams) -> float:
        return self.crf.penalty(params.weights)

    def tagger(self, params: JoinedParams) -> Tagger:
        """That of the CRF: the companion knows the text of its corpus only."""
        return self.crf.tagger(params.weights)

    def arrays(self, params: JoinedParams) -> dict[str, FloatArray]:
        arrays = self.crf.arrays(params.weights)
        if params.told is not None and params.learned is not None:
            arrays |= {_TOLD: params.told, _LEARNED: params.learned}
        return arrays

    def of_arrays(self, arrays: Mapping[str, FloatArray]) -> JoinedParams:
        weights = self.crf.of_arrays(arrays)
        if _TOLD not in arrays:
            return JoinedParams(weights)
        told, shape = arrays[_TOLD], (self.cut.facts.n_tokens, len(self.crf.scheme))
        if told.shape != shape:
            raise AnnotationError(f"what the companion told is {told.shape}, this run has {shape}")
        return JoinedParams(weights, told, arrays[_LEARNED])

    def _each(self, call: str, *shared: object, own: list[Any] | None = None) -> list[Any]:
        return self.crf.crf.placed.each(f"{self.crf.part}.{call}", *shared, own=own)
