"""CrowdChain: truths in a Markov chain that give words, and annotators who vote on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.chains.chain import Lattice, Marginals, log_partition, marginals
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows
from crowdseq.numerics.crowds.held import Held
from crowdseq.numerics.crowds.votes import VoteTable


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
    """What is held of the chain: starts, transitions, and words (M, W) given the label, if any."""

    starts: Rows
    transitions: Rows
    words: Rows | None

    @classmethod
    def learn(
        cls, starts: FloatArray, pairs: FloatArray, words: FloatArray | None, prior: ChainPrior
    ) -> "ChainBelief":
        """From expected counts: of starts (M,), of pairs (M, M) and of words (W, M) if they take part."""
        begun = learn_rows(starts, prior.starts, bayes=True)
        moved = learn_rows(pairs, prior.transitions, bayes=True)
        if words is None:
            return cls(begun, moved, None)
        return cls(begun, moved, learn_rows(np.ascontiguousarray(words.T), prior.words, bayes=True))

    @property
    def credit(self) -> float:
        return self.starts.credit + self.transitions.credit + (self.words.credit if self.words else 0.0)

    def describe(self) -> dict[str, Any]:
        found = {"starts": self.starts.means, "transitions": self.transitions.means}
        return found | ({"word_probabilities": self.words.means} if self.words else {})


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """Expected counts: votes (C, M) of each kind, starts (M,), and words (W, M) if they take part."""

    votes: FloatArray
    starts: FloatArray
    words: FloatArray | None


@dataclass(frozen=True, eq=False)
class CrowdChain:
    """Sentences at offsets with kinds of votes and, if wanted, their words; ends (M,): log scores."""

    offsets: IntArray
    votes: VoteTable
    words: VoteTable | None
    held: Held
    ends: FloatArray

    @classmethod
    def build(
        cls, votes: VoteTable, words: VoteTable | None, offsets: IntArray, gold: IntArray, prior: ChainPrior
    ) -> "CrowdChain":
        """gold (T,): labels at which tokens are held, -1 for none."""
        ends = np.where(prior.ends, 0.0, -np.inf)
        return cls(offsets, votes, words, _hold(gold, offsets, prior), ends)

    def start(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(T, M) truths as they may be, and (M, M) their pairs, neighbours taken as independent."""
        truth = self.held.clamp(truth)
        linked = np.ones(len(truth), np.bool_)
        linked[self._first_tokens()] = False
        after = np.flatnonzero(linked)
        return truth, truth[after - 1].T @ truth[after]

    def count(self, truth: FloatArray) -> ChainCounts:
        """What (T, M) truths count for the parameters; their pairs are known already."""
        words = None if self.words is None else self.words.gather(truth)
        return ChainCounts(self.votes.gather(truth), truth[self._first_tokens()].sum(axis=0), words)

    def expect(
        self, votes: FloatArray, words: FloatArray | None, starts: FloatArray, transitions: FloatArray
    ) -> Marginals:
        """The truth under log scores: of kinds of votes (C, M), words (W, M), starts and transitions."""
        scores = self.votes.fold(votes)
        if self.words is not None and words is not None:
            scores += self.words.fold(words)
        return marginals(Lattice(self.held.mask(scores), self.offsets, transitions, starts, self.ends))

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
