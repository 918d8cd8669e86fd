"""CrfProblem: one text, its features and its label rules, ready to be trained towards many targets."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.blocks import run_blocks, sentence_blocks
from crowdseq.numerics.chains.bundles import SCORES, WEIGHTED, Chains, Moves, Sentences, Sums
from crowdseq.numerics.chains.chain import Lattice
from crowdseq.numerics.chains.chain_blocks import sum_block
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser, Optimum
from crowdseq.numerics.optimise.vectors import dot, subtract_and_penalise
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.inventory import take_stock
from crowdseq.tagging.layout import Layout
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import Targets, check_ends, check_rows
from crowdseq.tagging.weight_frame import ChainRules, StreamPairs, WeightFrame


@dataclass(frozen=True, eq=False)
class CrfProblem:
    """A linear-chain CRF over one text; weights are a flat vector: active (piece, offset, label) pairs first,
    then one for each transition that may be learnt.

    Build it once and train it often: `train` with new targets, sentence weights, start and memory costs
    nothing to set up. Nothing in here changes after birth, so threads may share it.
    """

    layout: Layout
    rules: ChainRules
    offsets: IntArray
    learnt_transitions: IntArray

    @classmethod
    def build(
        cls,
        passage: Passage,
        rules: ChainRules,
        features: FeatureSettings,
        support: FloatArray | None = None,
        learnt: BoolArray | None = None,
    ) -> "CrfProblem":
        """support: (T, M), above zero for the labels that a token may come to have; all labels if not given.

        A feature gets a weight for a label only if some token has both, so narrow support makes training
        cheaper. learnt: (M, M), which transitions get a weight; all allowed ones if not given.
        """
        if passage.n_tokens == 0:
            raise AnnotationError("there is nothing to train on: the text has no tokens")
        n_labels = len(rules.starts)
        if support is None:
            support = np.ones((passage.n_tokens, n_labels))
        if support.shape != (passage.n_tokens, n_labels):
            raise AnnotationError(
                f"support of shape {support.shape} does not fit {passage.n_tokens} tokens, {n_labels} labels"
            )
        offsets = np.require(passage.offsets, np.int64, ["C", "W"])  # as the offsets of a Lattice
        layout = Layout.of_inventories(
            take_stock(passage, features), offsets, np.ascontiguousarray(support, dtype=np.float64)
        )
        free = rules.allowed if learnt is None else rules.allowed & learnt
        return cls(layout, rules, offsets, np.flatnonzero(free))

    @property
    def n_weights(self) -> int:
        return self.layout.n_pairs + len(self.learnt_transitions)

    @property
    def n_labels(self) -> int:
        return self.layout.n_labels

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def blocks(self) -> IntArray:
        """(B + 1,) bounds of the blocks of sentences that threads take in turn."""
        return sentence_blocks(self.offsets)

    @cached_property
    def frame(self) -> WeightFrame:
        """What the weights stand for."""
        layout = self.layout
        streams = zip(layout.inventories, layout.pair_bounds, layout.pair_labels, strict=True)
        return WeightFrame(
            tuple(
                StreamPairs(inventory.name, inventory.offsets, inventory.pieces, bounds, labels)
                for inventory, bounds, labels in streams
            ),
            self.rules,
            self.learnt_transitions,
        )

    def transitions(self, weights: FloatArray) -> FloatArray:
        """(M, M) transition scores; minus infinity where the rules forbid."""
        return self.frame.transitions(weights)

    def emissions(self, weights: FloatArray) -> FloatArray:
        """(T, M) the score of every label for every token, transitions aside."""
        rows = np.empty((self.layout.n_rows, self.n_labels))
        self.layout.fill_rows(weights, rows)
        scores = np.empty((int(self.offsets[-1]), self.n_labels))
        every = np.ones(self.n_sentences)
        sums = Sums.for_sentences(self.n_sentences, scores, len(self.blocks) - 1, SCORES)
        run_blocks(sum_block, self.chains(weights, rows, every), sums, self.blocks)
        return scores

    def chains(self, weights: FloatArray, rows: FloatArray, sentence_weights: FloatArray) -> Chains:
        """All that sums over label paths need, once rows (R, M) are filled."""
        return Chains.of_scores(
            own_labels(self.n_labels, int(self.offsets[-1])),
            self.layout.token_scores(weights, rows),
            Moves(self.transitions(weights), self.rules.edges),
            Sentences(self.offsets, sentence_weights),
        )

    def lattice(self, weights: FloatArray, extra: FloatArray | None = None) -> Lattice:
        """All scores under these weights; extra (T, M) is added to the token scores (votes, masks)."""
        scores = self.emissions(weights)
        if extra is not None:
            scores += extra
        starts, ends = self.rules.edges
        return Lattice(scores, self.offsets, self.transitions(weights), starts, ends)

    def train(
        self,
        targets: Targets,
        c2: float = 1.0,
        minimiser: Minimiser | None = None,
        start: FloatArray | None = None,
        memory: Memory | None = None,
        sentence_weights: FloatArray | None = None,
    ) -> Optimum:
        """Weights that maximise the expected log-likelihood of the targets minus c2 times their squared
        length.

        start, memory: go on from an earlier Optimum, also one with other targets. sentence_weights: (N,), 0
        leaves a sentence out of the likelihood. The value of the Optimum is what was minimised (minus
        log-likelihood plus penalty).
        """
        if not c2 >= 0.0 or not np.isfinite(c2):
            raise SettingsError(f"c2 must be a number not below 0, not {c2}")
        objective = self.objective(targets, c2, sentence_weights)
        for given in (*(() if start is None else (start,)), *(memory.steps if memory else ())):
            if given.shape != (self.n_weights,):
                raise SettingsError(
                    f"start and memory must have {self.n_weights} weights, found shape {given.shape}"
                )
        begin = np.zeros(self.n_weights) if start is None else start
        return (minimiser or Minimiser()).minimise(objective, begin, memory)

    def objective(
        self, targets: Targets, c2: float = 1.0, sentence_weights: FloatArray | None = None
    ) -> "Objective":
        """The function that `train` minimises: weights to value and gradient."""
        weights = (
            np.ones(self.n_sentences) if sentence_weights is None else np.asarray(sentence_weights, float)
        )
        if weights.shape != (self.n_sentences,) or not (np.isfinite(weights) & (weights >= 0.0)).all():
            raise SettingsError(f"sentence weights must be {self.n_sentences} numbers not below 0")
        if targets.unary.shape != (int(self.offsets[-1]), self.n_labels):
            raise AnnotationError(
                f"targets of shape {targets.unary.shape} do not fit {self.offsets[-1]} tokens, "
                f"{self.n_labels} labels"
            )
        if not weights.any():
            raise AnnotationError("there is nothing to train on: no sentence has labels")
        likelihood, observed = Likelihood.towards(self, targets.unary, weights)
        self.frame.add_edges(observed, targets.edges(weights))
        return Objective(self.frame, likelihood, observed, c2)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """What the expected log-likelihood of one text takes from weights: log-partitions and expected counts.

    The scratch arrays are overwritten by each call.
    """

    problem: CrfProblem
    sentence_weights: FloatArray
    rows: FloatArray
    expected: FloatArray

    @classmethod
    def towards(
        cls, problem: CrfProblem, unary: FloatArray, sentence_weights: FloatArray
    ) -> "tuple[Likelihood, FloatArray]":
        """unary (T, M): wanted label probabilities; sentence_weights (N,): 0 leaves a sentence out.

        With what they count for every weight, transitions aside, for the caller to keep.
        """
        check_rows(unary, problem.offsets, sentence_weights)
        check_ends(unary, problem.rules.starts, problem.rules.ends, problem.offsets, sentence_weights)
        layout = problem.layout
        rows = np.empty((layout.n_rows, problem.n_labels))
        repeated = np.repeat(sentence_weights, np.diff(problem.offsets))
        weighted = np.ascontiguousarray(unary * repeated[:, None])
        observed = np.zeros(problem.n_weights)
        layout.collect(weighted, rows, observed[: layout.n_pairs])
        return cls(problem, sentence_weights, rows, weighted), observed

    def __call__(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The weighted sum of log-partitions, and what is expected for every weight: its gradient."""
        problem, layout = self.problem, self.problem.layout
        layout.fill_rows(weights, self.rows)
        log_partition, pairs = self._expect(weights)
        if np.isneginf(log_partition).any():
            stuck = int(np.flatnonzero(np.isneginf(log_partition))[0])
            raise AnnotationError(f"sentence {stuck + 1}: no label sequence of its length keeps the rules")
        # Zeros: of several shards one may know pairs that none of its own tokens shows.
        gradient = np.zeros(problem.n_weights)
        layout.collect(self.expected, self.rows, gradient[: layout.n_pairs])
        gradient[layout.n_pairs :] = pairs.ravel()[problem.learnt_transitions]
        return dot(self.sentence_weights, log_partition), gradient

    def _expect(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(N,) log-partitions and (M, M) expected pairs; the expected labels go to self.expected."""
        problem = self.problem
        chains = problem.chains(weights, self.rows, self.sentence_weights)
        n_blocks = len(problem.blocks) - 1
        sums = Sums.for_sentences(problem.n_sentences, self.expected, n_blocks, WEIGHTED)
        run_blocks(sum_block, chains, sums, problem.blocks)
        return sums.log_partition, sums.pairwise.sum(axis=0)


@dataclass(frozen=True, eq=False)
class Objective:
    """Minus the expected log-likelihood plus c2 |weights|^2, and its gradient.

    frame: what the weights stand for. partition: from weights to the summed log-partitions and their
    gradient, of one text or of many shards. observed: what the targets count for every weight.
    """

    frame: WeightFrame
    partition: Callable[[FloatArray], tuple[float, FloatArray]]
    observed: FloatArray
    c2: float

    def __call__(self, weights: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = self.partition(weights)
        along, square = subtract_and_penalise(gradient, self.observed, weights, self.c2)
        return value - along + self.c2 * square, gradient
