"""TokenRounds: EM over an annotator model in which every token stands on its own, as sums over shards."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from crowdseq.aggregation.contract import RunContext
from crowdseq.aggregation.crowds import Crowd, Judges
from crowdseq.aggregation.kept_rounds import climb_kept, judged_before, known_before
from crowdseq.arrays import FloatArray
from crowdseq.engines.shards import Version, add_up
from crowdseq.numerics.crowds.annotator_models import Judgement
from crowdseq.numerics.crowds.crowd_tokens import even_shares
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows
from crowdseq.numerics.em import Climb


@dataclass(frozen=True, eq=False)
class TokenState:
    """A version of the truth, which the shards hold, and the judgement and shares under which it came.

    learnt: the sums from which these came, by name, for a run that goes on later.
    """

    version: Version
    judgement: Judgement | None = None
    shares: Rows | None = None
    learnt: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TokenRounds:
    """Tokens with an annotator model; share_prior: counts added to those of the truths, or None for truths
    that are all equally likely."""

    crowd: Crowd
    judges: Judges
    share_prior: float | None

    @classmethod
    def of(cls, crowd: Crowd, judges: Judges, share_prior: float | None) -> "TokenRounds":
        """Every token on its own."""
        crowd.placed.each("open_tokens", judges.coding)
        return cls(crowd, judges, share_prior)

    def start(self) -> TokenState:
        """From shares of votes."""
        version = self.crowd.versions.new()
        self.crowd.placed.each("start_tokens", version.number, self.crowd.label_totals)
        return TokenState(version)

    def climb(
        self, start: TokenState | None, *, rounds: int, tolerance: float, context: RunContext | None = None
    ) -> Climb[TokenState]:
        """From a start, or from shares of votes; with a context from what was kept, if anything was."""
        return climb_kept(self, start, rounds=rounds, tolerance=tolerance, context=context or RunContext())

    def step(self, state: TokenState) -> tuple[TokenState, float]:
        """Judge by the truth, then expect the truth anew; with the objective that neither ever lowers."""
        self.crowd.placed.each("forget_others", self.crowd.versions.alive)
        found = self.crowd.placed.each("count_tokens", state.version.number)
        counts = self.judges.kinds.add_up([counts for counts, _ in found])
        learnt = {"counts": counts, "sums": add_up([sums for _, sums in found])}
        return self._learn(learnt | known_before(state.judgement))

    def take_up(self, arrays: Mapping[str, FloatArray]) -> TokenState:
        """The state that was learnt from these sums."""
        return self._learn({name: arrays[name] for name in ("counts", "sums", "known") if name in arrays})[0]

    def _learn(self, learnt: Mapping[str, FloatArray]) -> tuple[TokenState, float]:
        judgement = self.judges.model.learn(learnt["counts"], judged_before(learnt))
        state, objective = self.expect(judgement, self._shares(learnt["sums"]))
        return replace(state, learnt=learnt), objective

    def expect(self, judgement: Judgement, shares: Rows) -> tuple[TokenState, float]:
        """The truth under a judgement, and the objective."""
        version, scores = self.crowd.versions.new(), self.judges.kinds.split(judgement.scores)
        evidence = self.crowd.placed.each("expect_tokens", version.number, shares.logs, own=scores)
        objective: float = add_up(evidence) + judgement.credit + shares.credit
        return TokenState(version, judgement, shares), objective

    def spread(self, state: TokenState) -> FloatArray:
        """(T, M) the truth of every token, for a corpus in memory."""
        return self.crowd.cut.join_tokens(self.crowd.placed.each("spread_tokens", state.version.number))

    def describe(self, state: TokenState) -> dict[str, Any]:
        """The parameters of a state by name."""
        shares = {"class_shares": state.shares.means} if state.shares and self.share_prior else {}
        return shares | (state.judgement.describe() if state.judgement else {})

    def _shares(self, sums: FloatArray) -> Rows:
        if self.share_prior is None:
            return even_shares(len(sums))
        return learn_rows(sums, self.share_prior, bayes=self.crowd.bayes)


def settle_from_shares(tokens: TokenRounds, *, rounds: int, tolerance: float, context: RunContext) -> Any:
    """The consensus that a climb from the shares of votes ends in."""
    end = tokens.climb(None, rounds=rounds, tolerance=tolerance, context=context)
    version, told = end.state.version.number, tokens.describe(end.state)
    return tokens.crowd.settle("spread_tokens", version, history=end.history, **told)
