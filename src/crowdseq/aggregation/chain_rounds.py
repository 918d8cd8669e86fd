"""ChainRounds: EM over an annotator model in which truths follow each other, as sums over shards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crowdseq.aggregation.contract import RunContext
from crowdseq.aggregation.crowd_shard import ChainScores
from crowdseq.aggregation.crowds import Crowd, Judges
from crowdseq.aggregation.kept_rounds import climb_kept, judged_before, known_before
from crowdseq.aggregation.token_rounds import TokenState
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.engines.shards import Numbering, Version, add_up
from crowdseq.numerics.crowds.annotator_models import Judgement
from crowdseq.numerics.crowds.crowd_chain import ChainBelief, ChainPrior
from crowdseq.numerics.em import Climb


@dataclass(frozen=True, eq=False)
class ChainState:
    """A version of the truth, which the shards hold, its pairs (M, M), and what they were expected under."""

    version: Version
    pairs: FloatArray
    judgement: Judgement | None = None
    belief: ChainBelief | None = None
    learnt: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ChainRounds:
    """Truths in a Markov chain that give words, and annotators who vote on them; words: of each shard."""

    crowd: Crowd
    judges: Judges
    prior: ChainPrior
    words: Numbering

    @classmethod
    def of(
        cls,
        crowd: Crowd,
        judges: Judges,
        prior: ChainPrior,
        *,
        words: bool,
        classes: IntArray | None = None,
    ) -> "ChainRounds":
        """words: whether they take part. classes: as what truths count for the words."""
        listed = crowd.placed.each("open_chain", judges.coding, prior, words, classes)
        return cls(crowd, judges, prior, Numbering.of_rows(listed)[1])

    def start(self, tokens: TokenState | None = None) -> ChainState:
        """From a truth of single tokens, or from shares of votes."""
        version, totals = self.crowd.versions.new(), self.crowd.label_totals
        given = None if tokens is None else tokens.version.number
        pairs = self.crowd.placed.each("start_chain", version.number, totals, given)
        return ChainState(version, add_up(pairs))

    def climb(
        self,
        start: Callable[[], TokenState | None],
        *,
        rounds: int,
        tolerance: float,
        context: RunContext,
    ) -> Climb[ChainState]:
        """start: gives the truth of single tokens to begin with, asked for if nothing was kept."""
        kept = None if context.keeper is None else context.keeper.load()
        begin = None if kept is not None else self.start(start())
        return climb_kept(self, begin, rounds=rounds, tolerance=tolerance, context=context)

    def step(self, state: ChainState) -> tuple[ChainState, float]:
        """Judge by the truth, then expect the truth anew; with the objective that neither ever lowers."""
        self.crowd.placed.each("forget_others", self.crowd.versions.alive)
        found = self.crowd.placed.each("count_chain", state.version.number)
        learnt = {
            "counts": self.judges.kinds.add_up([part.votes for part in found]),
            "starts": add_up([part.starts for part in found]),
            "pairs": state.pairs,
        }
        if found[0].words is not None:
            learnt["words"] = self.words.add_up([part.words for part in found])
        return self._learn(learnt | known_before(state.judgement))

    def take_up(self, arrays: Mapping[str, FloatArray]) -> ChainState:
        """The state that was learnt from these sums."""
        names = ("counts", "starts", "pairs", "words", "known")
        return self._learn({name: arrays[name] for name in names if name in arrays})[0]

    def _learn(self, learnt: Mapping[str, FloatArray]) -> tuple[ChainState, float]:
        judgement = self.judges.model.learn(learnt["counts"], judged_before(learnt))
        belief = ChainBelief.learn(learnt["starts"], learnt["pairs"], learnt.get("words"), self.prior)
        state, objective = self._expect(judgement, belief)
        return replace(state, learnt=learnt), objective

    def _expect(self, judgement: Judgement, belief: ChainBelief) -> tuple[ChainState, float]:
        """The truth under a judgement and a belief, and the objective."""
        version, votes = self.crowd.versions.new(), self.judges.kinds.split(judgement.scores)
        words: Sequence[FloatArray | None] = [None] * len(votes)
        if belief.words is not None:
            words = self.words.split(belief.words.logs.T)
        found = self.crowd.placed.each(
            "expect_chain",
            version.number,
            belief.starts.logs,
            belief.transitions.logs,
            own=[ChainScores(*own) for own in zip(votes, words, strict=True)],
        )
        objective: float = add_up([evidence for _, evidence in found]) + judgement.credit + belief.credit
        return ChainState(version, add_up([pairs for pairs, _ in found]), judgement, belief), objective

    def settle(self, end: Climb[ChainState]) -> Any:
        """The consensus that a climb ends in."""
        version, told = end.state.version.number, self.describe(end.state)
        return self.crowd.settle("truth", version, history=end.history, **told)

    def describe(self, state: ChainState) -> dict[str, Any]:
        """The parameters of a state by name."""
        chain = state.belief.describe() if state.belief else {}
        return chain | (state.judgement.describe() if state.judgement else {})
