"""TruthModel: a CRF over the truth, one for each fold, trained on the others."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.chains.chain import Lattice, log_partition
from crowdseq.numerics.optimise.lbfgs import Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.problem import ChainRules, CrfProblem
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import Targets


def crf_problem(corpus: Corpus, trainer: CrfTrainer, support: FloatArray) -> CrfProblem:
    """The CRF over the truth of a corpus; support (T, M): above zero for labels that a token may have."""
    scheme = corpus.scheme
    return CrfProblem.build(
        Passage.of_text(corpus.text),
        ChainRules(scheme.allowed, scheme.starts, scheme.ends),
        trainer.feature_settings,
        support=support,
    )


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed of the truth: unary (T, M), and pairwise (F, M, M) label pairs summed by fold."""

    unary: FloatArray
    pairwise: FloatArray


@dataclass(frozen=True, eq=False)
class TruthModel:
    """The CRF problem of a corpus and the fold of each sentence; weights are (F, W)."""

    problem: CrfProblem
    folds: IntArray
    n_folds: int
    token_folds: IntArray
    trainer: CrfTrainer

    @classmethod
    def build(
        cls, corpus: Corpus, folds: IntArray, n_folds: int, support: FloatArray, trainer: CrfTrainer
    ) -> "TruthModel":
        """support (T, M): above zero for the labels that a token may come to have."""
        problem = crf_problem(corpus, trainer, support)
        return cls(problem, folds, max(n_folds, 1), np.repeat(folds, corpus.text.lengths), trainer)

    @property
    def no_weights(self) -> FloatArray:
        return np.zeros((self.n_folds, self.problem.n_weights))

    def train(self, belief: Belief, start: FloatArray, iterations: int) -> FloatArray:
        """(F, W) weights of the CRF of each fold, learned from what is believed of the other folds."""
        minimiser = Minimiser(max_iterations=iterations, tolerance=self.trainer.tolerance)
        total = belief.pairwise.sum(axis=0)
        found = np.empty_like(start)
        for fold in range(self.n_folds):
            others, pairs = np.ones(len(self.folds)), total
            if self.n_folds > 1:
                others, pairs = (self.folds != fold).astype(np.float64), total - belief.pairwise[fold]
            if not others.any():
                found[fold] = start[fold]
                continue
            targets = Targets(belief.unary, np.maximum(pairs, 0.0))
            optimum = self.problem.train(
                targets, self.trainer.c2, minimiser, start=start[fold], sentence_weights=others
            )
            found[fold] = optimum.weights
        return found

    def train_on_tags(self, tags: IntArray, chosen: BoolArray, iterations: int) -> FloatArray:
        """(F, W) weights learned from hard tags (T,) of some sentences (N,), the same for every fold."""
        minimiser = Minimiser(max_iterations=iterations, tolerance=self.trainer.tolerance)
        targets = Targets.of_tags(tags, self.problem.offsets, self.problem.n_labels)
        optimum = self.problem.train(
            targets, self.trainer.c2, minimiser, sentence_weights=chosen.astype(np.float64)
        )
        return np.repeat(optimum.weights[None], self.n_folds, axis=0)

    def scores(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(T, M) token scores, each from the CRF of its fold, and (F, M, M) transition scores."""
        scores = np.empty((len(self.token_folds), self.problem.n_labels))
        for fold in range(self.n_folds):
            mine = self.token_folds == fold
            scores[mine] = self.problem.emissions(weights[fold])[mine]
        return scores, np.stack([self.problem.transitions(row) for row in weights])

    def free_partition(self, scores: FloatArray, transitions: FloatArray) -> float:
        """The summed log-partition over all sequences that the scheme allows, votes aside."""
        starts, ends = self.problem.rules.edges
        total = 0.0
        for fold in range(self.n_folds):
            lattice = Lattice(scores, self.problem.offsets, transitions[fold], starts, ends)
            total += float(log_partition(lattice)[self.folds == fold].sum())
        return total

    def penalty(self, weights: FloatArray) -> float:
        """The L2 term of the objective, averaged over the folds."""
        return self.trainer.c2 * float(np.square(weights).sum()) / self.n_folds
