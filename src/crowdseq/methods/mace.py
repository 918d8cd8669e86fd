"""MACE: who is spamming, and when."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from crowdseq.aggregation.canonical import require_shard_tokens
from crowdseq.aggregation.contract import (
    Aggregator,
    RunContext,
    method,
    require,
    require_prior_counts,
    require_rounds,
    require_silence,
)
from crowdseq.aggregation.crowds import Crowd, TokenRounds, TokenState
from crowdseq.aggregation.settling import settle
from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.annotations import Votes
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS
from crowdseq.numerics.crowds.annotator_models import Spamming
from crowdseq.numerics.crowds.crowd_tokens import even_shares
from crowdseq.numerics.crowds.dirichlet import Rows
from crowdseq.numerics.crowds.votes import normalise
from crowdseq.numerics.em import Climb

ESTIMATES = ("vb", "em")


@method("mace")
@dataclass(frozen=True, kw_only=True)
class Mace(Aggregator):
    """Takes each vote as either knowledge or a habit of its annotator, and believes the knowledge.

    (Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013.)

    estimate: `vb` (beliefs with the priors below) or `em` (points with `smoothing`).
    restarts: how many random starts; the one with the best objective is kept. seed: for those starts.
    rounds: rounds at most of each. tolerance: relative change of the objective at which to stop.
    knows, guesses: prior counts of the two kinds of votes. habit: prior count of each label of a habit.
    smoothing: for `em`, added to every count, divided by the number of labels.
    noise: the starts are drawn evenly from 1 to 2 + noise, then normalised.
    gold: whether tokens with known gold are held at it.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    estimate: str = "vb"
    restarts: int = 10
    rounds: int = 50
    tolerance: float = 0.0
    knows: float = 0.5
    guesses: float = 0.5
    habit: float = 10.0
    smoothing: float = 0.01
    noise: float = 0.5
    seed: int = 0
    gold: bool = False
    silence: str = "labelled"
    kinship: bool = False
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require(self.estimate in ESTIMATES, f"estimate is '{self.estimate}', choose vb or em")
        require(self.restarts >= 1, f"restarts is {self.restarts}, it must be at least 1")
        require_rounds(self.rounds, self.tolerance)
        require(self.noise >= 0, f"noise is {self.noise}, it cannot be negative")
        require_prior_counts(
            knows=self.knows, guesses=self.guesses, habit=self.habit, smoothing=self.smoothing
        )

    @property
    def monotone(self) -> bool:
        return True

    @property
    def draws(self) -> bool:
        return True

    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        if corpus.n_tokens == 0:
            return settle(corpus, np.zeros((0, len(corpus.scheme))))
        crowd, model = self.crowd(corpus, context)
        random, best = np.random.default_rng(self.seed), None
        for restart in range(self.restarts):
            end = self._run(crowd, self._draw(crowd, model, random))
            context.progress("restarts", restart + 1, self.restarts)
            if best is None or end.history[-1:] > best.history[-1:]:
                best = end
        assert best is not None
        truth, described = crowd.spread(best.state), crowd.describe(best.state)
        self._believe_the_lonely(crowd.crowd.heard, truth, described)
        return settle(corpus, truth, history=best.history, **described)

    def _believe_the_lonely(self, corpus: Corpus, truth: FloatArray, described: dict[str, Any]) -> None:
        """Annotators whom nobody can be compared with are taken at the competence of the prior.

        Votes that stand alone are explained best as habit and nothing else, which says nothing of the truth.
        No other annotator's numbers hang on theirs, so they can be set apart.
        """
        votes = corpus.annotations.votes()
        lonely = _never_compared(corpus, votes, self.gold)
        if not lonely.any():
            return
        competence = self.knows / (self.knows + self.guesses)
        chosen = np.flatnonzero(lonely[votes.annotators])
        tokens, n_labels = votes.tokens[chosen], len(corpus.scheme)
        truth[tokens] = (1.0 - competence) / max(n_labels - 1, 1)
        truth[tokens, votes.labels[chosen]] = competence if n_labels > 1 else 1.0
        described["knowing"] = np.where(lonely, competence, described["knowing"])

    def crowd(self, corpus: Corpus, context: RunContext = RunContext()) -> tuple[TokenRounds, Spamming]:
        """The crowd of a corpus as this recipe sees it, and the model of its annotators."""
        smooth = self.smoothing / max(len(corpus.scheme), 1)
        bayes = self.estimate == "vb"
        crowd = Crowd.of(corpus, context.engine, self, bayes=bayes)
        knows, guesses, habit = (self.knows, self.guesses, self.habit) if bayes else (smooth,) * 3
        judges = crowd.spamming(knows=knows, guesses=guesses, habit=habit)
        assert isinstance(judges.model, Spamming)
        return crowd.tokens(judges, None), judges.model

    def _draw(self, crowd: TokenRounds, model: Spamming, random: Generator) -> TokenState:
        """A start in which everybody knows about half of the time and has nearly even habits."""
        knowing = normalise(random.uniform(1.0, 2.0 + self.noise, (model.n_annotators, 2)))
        habits = normalise(random.uniform(1.0, 2.0 + self.noise, (model.n_annotators, model.n_labels)))
        return start_from(crowd, model, knowing, habits)

    def _run(self, crowd: TokenRounds, start: TokenState) -> Climb[TokenState]:
        return crowd.climb(start, rounds=self.rounds, tolerance=self.tolerance)


def _never_compared(corpus: Corpus, votes: Votes, gold: bool) -> BoolArray:
    """(K,) annotators who voted, but on no token that another voted on or whose gold is held."""
    shared = np.bincount(votes.tokens, minlength=corpus.n_tokens) > 1
    if gold:
        shared |= corpus.gold_tags >= 0
    total = np.bincount(votes.annotators, minlength=len(corpus.annotators))
    compared = np.bincount(votes.annotators, shared[votes.tokens], minlength=len(corpus.annotators))
    return np.asarray((total > 0) & (compared == 0))


def start_from(crowd: TokenRounds, model: Spamming, knowing: FloatArray, habits: FloatArray) -> TokenState:
    """The truth under given (K, 2) chances of knowing and guessing and (K, M) habits."""
    rows = [Rows(np.log(means), means, 0.0) for means in (knowing, habits)]
    judgement = model.judge(*rows)
    return crowd.expect(judgement, even_shares(model.n_labels))[0]
