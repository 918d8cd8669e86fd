"""MACE: who is spamming, and when."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from crowdseq.aggregation.contract import (
    RunContext,
    ShardedAggregator,
    method,
    require,
    require_prior_counts,
    require_rounds,
    require_shard_tokens,
    require_silence,
)
from crowdseq.aggregation.crowds import Crowd
from crowdseq.aggregation.token_rounds import TokenRounds, TokenState
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS, add_up
from crowdseq.numerics.crowds.annotator_models import Spamming
from crowdseq.numerics.crowds.crowd_tokens import even_shares
from crowdseq.numerics.crowds.dirichlet import Rows
from crowdseq.numerics.crowds.votes import normalise
from crowdseq.numerics.em import Climb

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

ESTIMATES = ("vb", "em")


@method("mace")
@dataclass(frozen=True, kw_only=True)
class Mace(ShardedAggregator):
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

    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        crowd, model = self.crowd(corpus, context)
        return self._believe_the_lonely(crowd, self._best(crowd, model, context))

    def _best(self, crowd: TokenRounds, model: Spamming, context: RunContext) -> Climb[TokenState]:
        """The end of the best start; what was found before an interruption is not sought again."""
        random = np.random.default_rng(self.seed)
        starts = [self._draw(model, random) for _ in range(self.restarts)]
        best, done = self._kept(crowd, context)
        for restart in range(done, self.restarts):
            end = self._run(crowd, start_from(crowd, model, *starts[restart]))
            if context.note is not None and end.history:
                context.note("start", restart + 1, end.history[-1])
            context.progress("restarts", restart + 1, self.restarts)
            if best is None or end.history[-1:] > best.history[-1:]:
                best = end
            if context.keeper is not None:
                reached = {"history": np.array(best.history), "restarts": np.array([restart + 1.0])}
                context.keeper.keep({**best.state.learnt, **reached})
        assert best is not None
        return best

    def _kept(self, crowd: TokenRounds, context: RunContext) -> tuple[Climb[TokenState] | None, int]:
        """The best end so far, and how many starts were tried."""
        kept = None if context.keeper is None else context.keeper.load()
        if kept is None:
            return None, 0
        end = Climb(crowd.take_up(kept), tuple(kept["history"].tolist()))
        return end, int(kept["restarts"][0])

    def _believe_the_lonely(self, crowd: TokenRounds, end: Climb[TokenState]) -> Any:
        """Annotators whom nobody can be compared with are taken at the competence of the prior.

        Votes that stand alone are explained best as habit and nothing else, which says nothing of the truth.
        No other annotator's numbers hang on theirs, so they can be set apart.
        """
        total, compared = add_up(crowd.crowd.placed.each("count_compared"))
        lonely = (total > 0) & (compared == 0)
        version, told = end.state.version.number, crowd.describe(end.state)
        if not lonely.any():
            return crowd.crowd.settle("spread_tokens", version, history=end.history, **told)
        competence = self.knows / (self.knows + self.guesses)
        told["knowing"] = np.where(lonely, competence, told["knowing"])
        trusting = ("spread_trusting", version, lonely, competence)
        return crowd.crowd.settle(*trusting, history=end.history, **told)

    def crowd(
        self, corpus: "Corpus | StoredCorpus", context: RunContext = RunContext()
    ) -> tuple[TokenRounds, Spamming]:
        """The crowd of a corpus as this recipe sees it, and the model of its annotators."""
        bayes = self.estimate == "vb"
        crowd = Crowd.of(corpus, context, self, bayes=bayes)
        smooth = self.smoothing / max(crowd.n_labels, 1)
        knows, guesses, habit = (self.knows, self.guesses, self.habit) if bayes else (smooth,) * 3
        judges = crowd.spamming(knows=knows, guesses=guesses, habit=habit)
        assert isinstance(judges.model, Spamming)
        return TokenRounds.of(crowd, judges, None), judges.model

    def _draw(self, model: Spamming, random: Generator) -> tuple[FloatArray, FloatArray]:
        """A start in which everybody knows about half of the time and has nearly even habits."""
        knowing = normalise(random.uniform(1.0, 2.0 + self.noise, (model.n_annotators, 2)))
        habits = normalise(random.uniform(1.0, 2.0 + self.noise, (model.n_annotators, model.n_labels)))
        return knowing, habits

    def _run(self, crowd: TokenRounds, start: TokenState) -> Climb[TokenState]:
        return crowd.climb(start, rounds=self.rounds, tolerance=self.tolerance)


def start_from(crowd: TokenRounds, model: Spamming, knowing: FloatArray, habits: FloatArray) -> TokenState:
    """The truth under given (K, 2) chances of knowing and guessing and (K, M) habits."""
    rows = [Rows(np.log(means), means, 0.0) for means in (knowing, habits)]
    judgement = model.judge(*rows)
    return crowd.expect(judgement, even_shares(model.n_labels))[0]
