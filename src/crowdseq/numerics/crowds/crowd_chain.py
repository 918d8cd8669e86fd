"""CrowdChain: truths in a Markov chain that give words, and annotators who vote on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.chains.chain import Lattice, log_partition, marginals
from crowdseq.numerics.crowds.annotator_models import AnnotatorModel, Judgement
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows
from crowdseq.numerics.crowds.held import Held
from crowdseq.numerics.crowds.votes import VoteTable
from crowdseq.numerics.em import Climb, Progress, climb, quiet


@dataclass(frozen=True, eq=False)
class ChainPrior:
    """Counts before any data: starts (M,), transitions (M, M), and for each word of a label.

    A start or transition whose count is 0 is impossible, and so is an end where ends (M,) is False.
    """

    starts: FloatArray
    transitions: FloatArray
    words: float
    ends: BoolArray


@dataclass(frozen=True, eq=False)
class ChainBelief:
    """What is held of the chain: starts, transitions, and words (M, V) given the label, if any."""

    starts: Rows
    transitions: Rows
    words: Rows | None

    @property
    def credit(self) -> float:
        return self.starts.credit + self.transitions.credit + (self.words.credit if self.words else 0.0)

    def describe(self) -> dict[str, Any]:
        found = {"starts": self.starts.means, "transitions": self.transitions.means}
        return found | ({"word_probabilities": self.words.means} if self.words else {})


@dataclass(frozen=True, eq=False)
class ChainState:
    """truth (T, M) and pairs (M, M), expected under a judgement, a belief, and the lattice made of both."""

    truth: FloatArray
    pairs: FloatArray
    judgement: Judgement | None = None
    belief: ChainBelief | None = None
    lattice: Lattice | None = None


@dataclass(frozen=True, eq=False)
class CrowdChain:
    """Sentences at offsets with votes under an annotator model and, if wanted, their words."""

    offsets: IntArray
    votes: VoteTable
    words: VoteTable | None
    held: Held
    model: AnnotatorModel
    prior: ChainPrior
    bayes: bool

    @classmethod
    def build(
        cls,
        model: AnnotatorModel,
        tokens: IntArray,
        offsets: IntArray,
        gold: IntArray,
        prior: ChainPrior,
        *,
        word_ids: IntArray | None,
        bayes: bool = True,
    ) -> "CrowdChain":
        """tokens (V,) of the votes in order; gold (T,), -1 where not held; word_ids (T,) or None."""
        votes = VoteTable.build(tokens, model.kinds, len(gold), model.n_kinds)
        words = None
        if word_ids is not None:
            found, numbers = np.unique(word_ids, return_inverse=True)
            words = VoteTable.build(np.arange(len(gold)), numbers, len(gold), len(found))
        return cls(offsets, votes, words, _hold(gold, offsets, prior), model, prior, bayes)

    def start(self, truth: FloatArray) -> ChainState:
        """A state from (T, M) truths, neighbours taken as independent."""
        truth = self.held.clamp(truth)
        linked = np.ones(len(truth), np.bool_)
        linked[self._first_tokens()] = False
        after = np.flatnonzero(linked)
        return ChainState(truth, truth[after - 1].T @ truth[after])

    def climb(
        self, start: ChainState, *, rounds: int, tolerance: float, progress: Progress = quiet
    ) -> Climb[ChainState]:
        return climb(self.step, Climb(start), rounds=rounds, tolerance=tolerance, progress=progress)

    def step(self, state: ChainState) -> tuple[ChainState, float]:
        """Judge by the truth, then expect the truth anew; with the objective that neither ever lowers."""
        judgement = self.model.learn(self.votes.gather(state.truth), state.judgement)
        return self.expect(judgement, self.believe(state))

    def believe(self, state: ChainState) -> ChainBelief:
        first = state.truth[self._first_tokens()].sum(axis=0)
        starts = learn_rows(first, self.prior.starts, bayes=self.bayes)
        transitions = learn_rows(state.pairs, self.prior.transitions, bayes=self.bayes)
        if self.words is None:
            return ChainBelief(starts, transitions, None)
        counts = np.ascontiguousarray(self.words.gather(state.truth).T)
        return ChainBelief(starts, transitions, learn_rows(counts, self.prior.words, bayes=self.bayes))

    def expect(self, judgement: Judgement, belief: ChainBelief) -> tuple[ChainState, float]:
        """The truth under a judgement and a belief, and the objective."""
        scores = self.votes.fold(judgement.scores)
        if self.words is not None and belief.words is not None:
            scores += self.words.fold(belief.words.logs.T)
        lattice = Lattice(
            self.held.mask(scores),
            self.offsets,
            belief.transitions.logs,
            belief.starts.logs,
            np.where(self.prior.ends, 0.0, -np.inf),
        )
        found = marginals(lattice)
        objective = float(found.log_partition.sum()) + judgement.credit + belief.credit
        return ChainState(found.unary, found.pairwise, judgement, belief, lattice), objective

    def describe(self, state: ChainState) -> dict[str, Any]:
        """The parameters of a state by name."""
        chain = state.belief.describe() if state.belief else {}
        return chain | (state.judgement.describe() if state.judgement else {})

    def _first_tokens(self) -> IntArray:
        return self.offsets[:-1][np.diff(self.offsets) > 0]


def _hold(gold: IntArray, offsets: IntArray, prior: ChainPrior) -> Held:
    """Gold, except in sentences where it breaks a rule of the chain and no truth would be left."""
    held = Held.known(gold)
    if len(held.tokens) == 0:
        return held
    rules = [np.where(part > 0, 0.0, -np.inf) for part in (prior.transitions, prior.starts, prior.ends)]
    scores = held.mask(np.zeros((len(gold), len(prior.starts))))
    dead = np.isneginf(log_partition(Lattice(scores, offsets, *rules)))
    return Held.known(np.where(np.repeat(dead, np.diff(offsets)), -1, gold))
