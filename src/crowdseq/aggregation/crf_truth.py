"""CrfTruth: a CRF over the truth, one for each fold, trained on the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from crowdseq.aggregation.truth import Potentials
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import Text
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import add_up
from crowdseq.errors import AnnotationError
from crowdseq.numerics.optimise.lbfgs import Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.summed_crf import Aim, CrfPart, SummedCrf
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from crowdseq.tagging.weight_frame import ChainRules


class CrfTruthPart:
    """The CRF of a shard, and the fold of each of its sentences (N,)."""

    def __init__(self, crf: CrfPart, folds: IntArray, n_folds: int) -> None:
        self.crf = crf
        self._folds, self._n_folds = folds, n_folds
        self._believed: FloatArray | None = None
        self._tags: tuple[IntArray, BoolArray] | None = None
        self._potentials: Potentials | None = None

    @classmethod
    def open(
        cls, rules: ChainRules, features: FeatureSettings, n_folds: int, text: Text, *given: Any
    ) -> Self:
        """given: (T, M) support, above zero for the labels that a token may come to have; (N,) folds."""
        support, folds = given
        return cls(CrfPart(text, rules, features, support), folds, n_folds)

    @property
    def potentials(self) -> Potentials:
        if self._potentials is None:
            raise RuntimeError("a truth model must be scored before its potentials are read")
        return self._potentials

    def aim(self, believed: FloatArray) -> None:
        self._believed = believed

    def aim_at_tags(self, tags: IntArray, chosen: BoolArray) -> None:
        self._tags = (tags, chosen)

    def aim_past(self, fold: int) -> Aim:
        """Towards the belief in all sentences of other folds."""
        assert self._believed is not None
        weights = np.ones(len(self._folds))
        if self._n_folds > 1:
            weights = (self._folds != fold).astype(np.float64)
        return self.crf.aim(self._believed, weights)

    def aim_by_tags(self) -> tuple[Aim, FloatArray]:
        """Towards the tags of chosen sentences; with (M, M) their label pairs."""
        assert self._tags is not None
        tags, chosen = self._tags
        self._tags = None
        problem = self.crf.problem
        targets = Targets.of_tags(tags, problem.offsets, problem.n_labels)
        weights = chosen.astype(np.float64)
        return self.crf.aim(targets.unary, weights), targets.edges(weights)

    def forget_belief(self) -> None:
        self._believed = None

    def score(self, weights: FloatArray) -> None:
        """(F, own weights) to potentials, each token's from the CRF of its fold."""
        problem = self.crf.problem
        token_folds = np.repeat(self._folds, np.diff(problem.offsets))
        scores = np.empty((len(token_folds), problem.n_labels))
        for fold in range(self._n_folds):
            mine = token_folds == fold
            if mine.any():
                scores[mine] = problem.emissions(weights[fold])[mine]
        transitions = np.stack([problem.transitions(row) for row in weights])
        starts, ends = problem.rules.edges
        self._potentials = Potentials(scores, transitions, starts, ends, self._folds)


@dataclass(frozen=True, eq=False)
class CrfTruth:
    """A `TruthModel`; its parameters are (F, W) weights.

    part: under which name the placed workers have their `CrfTruthPart`.
    """

    crf: SummedCrf
    part: str
    n_folds: int
    trainer: CrfTrainer
    scheme: LabelScheme

    @staticmethod
    def opener(scheme: LabelScheme, trainer: CrfTrainer, n_folds: int) -> "partial[CrfTruthPart]":
        """What a worker calls to open its part: with its text, support (T, M) and folds (N,)."""
        return partial(CrfTruthPart.open, ChainRules.of_scheme(scheme), trainer.feature_settings, n_folds)

    @classmethod
    def build(
        cls,
        placed: Placed[Any],
        part: str,
        *,
        n_shards: int,
        n_folds: int,
        scheme: LabelScheme,
        trainer: CrfTrainer,
    ) -> "CrfTruth":
        """Over workers that have opened their parts."""
        crf = SummedCrf.build(
            placed, f"{part}.crf", n_shards, ChainRules.of_scheme(scheme), trainer.feature_settings
        )
        return cls(crf, part, n_folds, trainer, scheme)

    @property
    def n_parameters(self) -> int:
        return self.crf.frame.n_weights

    def start(self) -> FloatArray:
        return np.zeros((self.n_folds, self.n_parameters))

    def train(self, pairs: FloatArray, params: FloatArray, effort: int) -> FloatArray:
        total = pairs.sum(axis=0)
        found = np.empty_like(params)
        for fold in range(self.n_folds):
            others = total - pairs[fold] if self.n_folds > 1 else total
            aims = self.crf.placed.each(f"{self.part}.aim_past", fold)
            if not any(aim.counts for aim in aims):
                found[fold] = params[fold]
                continue
            edges = np.maximum(others, 0.0)
            found[fold] = self.crf.train(
                aims, edges, self.trainer.c2, self._search(effort), params[fold]
            ).weights
        self.crf.placed.each(f"{self.part}.forget_belief")
        return found

    def train_on_tags(self, effort: int) -> FloatArray:
        answers = self.crf.placed.each(f"{self.part}.aim_by_tags")
        edges = add_up([edges for _, edges in answers])
        optimum = self.crf.train([aim for aim, _ in answers], edges, self.trainer.c2, self._search(effort))
        return np.repeat(optimum.weights[None], self.n_folds, axis=0)

    @property
    def trainings(self) -> int:
        return 0

    def deepen(self, params: FloatArray, number: int) -> FloatArray:  # noqa: ARG002  a CRF learns all in a round
        return params

    def _search(self, effort: int) -> Minimiser:
        return Minimiser(max_iterations=effort, tolerance=self.trainer.tolerance)

    def score(self, params: FloatArray) -> None:
        self.crf.placed.each(f"{self.part}.score", own=self.crf.numbering.split_columns(params))

    def penalty(self, params: FloatArray) -> float:
        """The L2 term of the objective, averaged over the folds."""
        return self.trainer.c2 * float(np.square(params).sum()) / self.n_folds

    def tagger(self, params: FloatArray) -> Tagger:
        return self.trainer.tagger(self.crf.frame, self.scheme, params.mean(axis=0))

    def arrays(self, params: FloatArray) -> dict[str, FloatArray]:
        return {"weights": params}

    def of_arrays(self, arrays: Mapping[str, FloatArray]) -> FloatArray:
        weights, shape = arrays["weights"], (self.n_folds, self.crf.frame.n_weights)
        if weights.shape != shape:
            raise AnnotationError(f"the weights that were kept are {weights.shape}, this run has {shape}")
        return weights
