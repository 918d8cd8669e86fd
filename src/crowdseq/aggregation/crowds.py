"""Crowd: the votes of a corpus in shards, and EM over annotator models as sums over them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from crowdseq.aggregation.contract import RunContext, check_memory
from crowdseq.aggregation.crowd_shard import ChainScores, Coding, CrowdShard
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.surveys import kin_in, silent_in
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Placed
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import CorpusFacts, Cut, Numbering, Version, Versions, add_up
from crowdseq.numerics.crowds.annotator_models import Accuracies, AnnotatorModel, Judgement, Spamming
from crowdseq.numerics.crowds.confusions import Confusions
from crowdseq.numerics.crowds.crowd_chain import ChainBelief, ChainPrior
from crowdseq.numerics.crowds.crowd_tokens import even_shares
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows
from crowdseq.numerics.em import Climb, climb

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

_NOBODY: IntArray = np.zeros(0, np.int64)  # the votes are with the shards; a model needs only their kinds


class CrowdSettings(Protocol):
    """The settings that say which votes a method counts.

    shard_tokens: how a longer corpus is cut. gold: whether tokens with known gold are held at it. silence:
    whether to leave a token outside is a vote. kinship: whether dependent votes count once.
    """

    @property
    def shard_tokens(self) -> int: ...
    @property
    def gold(self) -> bool: ...
    @property
    def silence(self) -> str: ...
    @property
    def kinship(self) -> bool: ...


class CrowdMethod(CrowdSettings, Protocol):
    """A method with such settings."""

    def megabytes(self, facts: CorpusFacts) -> float: ...


@dataclass(frozen=True, eq=False)
class Judges:
    """An annotator model, how shards number the votes that it takes, and which kinds each of them has."""

    model: AnnotatorModel
    coding: Coding
    kinds: Numbering


@dataclass(frozen=True, eq=False)
class Crowd:
    """A corpus cut into shards; bayes: whether models hold beliefs (variational Bayes) or points (EM).

    given: the corpus as it was given, in which silence may be a vote that does not count here.
    """

    given: "Corpus | StoredCorpus"
    cut: Cut
    placed: Placed[CrowdShard]
    bayes: bool
    context: RunContext
    versions: Versions = field(default_factory=Versions)

    @classmethod
    def of(
        cls, corpus: "Corpus | StoredCorpus", context: RunContext, asked: "CrowdMethod", *, bayes: bool
    ) -> "Crowd":
        """The votes that count, as a method asks for them."""
        cut = cut_canonical(corpus, asked.shard_tokens) if isinstance(corpus, Corpus) else corpus.cut
        check_memory(asked, cut.facts, context, len(cut.shards))
        placed = context.engine.place(partial(CrowdShard, asked.gold), cut.shards)
        hear_crowd(placed, cut.facts, silence=asked.silence, kinship=asked.kinship)
        return cls(corpus, cut, placed, bayes, context)

    @property
    def facts(self) -> CorpusFacts:
        return self.cut.facts

    def settle(
        self,
        call: str,
        *given: object,
        history: Sequence[float],
        order: Sequence[int] | None = None,
        **told: Any,
    ) -> Any:
        """The consensus by the truth that shards tell when they are asked so; told: what the method knows."""
        if isinstance(self.given, Corpus):
            posteriors = self.cut.join_tokens(self.placed.each(call, *given))
            return settle(self.given, posteriors, history=history, tie_order=order, **told)
        folder, engine = self.context.folder, self.context.engine
        self.placed.each("write", folder, order, call, *given)
        from crowdseq.aggregation.stored import judge_stored  # few corpora are on disk

        return judge_stored(self.given, folder, engine, history=tuple(history), **told)

    @property
    def n_labels(self) -> int:
        return len(self.facts.scheme)

    @property
    def label_totals(self) -> FloatArray:
        """(M,) how many votes each label has."""
        return add_up(self.placed.each("label_totals"))

    def confusions(self, prior: FloatArray, scale: FloatArray | None = None) -> Judges:
        """A confusion matrix each, or with a scale one for each vote before; see `Confusions`."""
        coding = Coding(sequential=scale is not None)
        rows, kinds = Numbering.of_rows(self.placed.each("list_kinds", coding))
        model = Confusions(
            annotators=rows[:, 0],
            labels=rows[:, 2],
            n_annotators=len(self.facts.annotators),
            prior=prior,
            bayes=self.bayes,
            contexts=rows[:, 1] if coding.sequential else None,
            scale=scale,
        )
        return Judges(model, coding, kinds)

    def accuracies(self, classes: IntArray, *, right: float, wrong: float) -> Judges:
        """An accuracy each for every class of truths; see `Accuracies`."""
        n_annotators = len(self.facts.annotators)
        model = Accuracies(_NOBODY, _NOBODY, n_annotators, classes, right, wrong, self.bayes)
        return self._dense(model)

    def spamming(self, *, knows: float, guesses: float, habit: float) -> Judges:
        """Knowledge and a habit each; see `Spamming`."""
        sizes = (len(self.facts.annotators), self.n_labels)
        return self._dense(Spamming(_NOBODY, _NOBODY, *sizes, knows, guesses, habit, self.bayes))

    def _dense(self, model: AnnotatorModel) -> Judges:
        return Judges(model, Coding(dense=True), Numbering.same(model.n_kinds, len(self.cut.shards)))

    def tokens(self, judges: Judges, share_prior: float | None) -> "TokenRounds":
        """Every token on its own; share_prior: see `TokenRounds`."""
        self.placed.each("open_tokens", judges.coding)
        return TokenRounds(self, judges, share_prior)

    def chain(
        self, judges: Judges, prior: ChainPrior, *, words: bool, classes: IntArray | None = None
    ) -> "ChainRounds":
        """Sentences as chains of truths; words: whether they take part, classes: as what they count."""
        listed = self.placed.each("open_chain", judges.coding, prior, words, classes)
        return ChainRounds(self, judges, prior, Numbering.of_rows(listed)[1])


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


def settle_from_shares(tokens: TokenRounds, *, rounds: int, tolerance: float, context: RunContext) -> Any:
    """The consensus that a climb from the shares of votes ends in."""
    end = tokens.climb(None, rounds=rounds, tolerance=tolerance, context=context)
    version, told = end.state.version.number, tokens.describe(end.state)
    return tokens.crowd.settle("spread_tokens", version, history=end.history, **told)


class KeptState(Protocol):
    """A state that tells from which sums it was learnt."""

    @property
    def learnt(self) -> Mapping[str, FloatArray]: ...


State = TypeVar("State", bound=KeptState)


class KeptRounds(Protocol[State]):
    """Rounds whose states follow from sums that are small enough to be kept."""

    def start(self) -> State: ...
    def step(self, state: State) -> tuple[State, float]: ...
    def take_up(self, arrays: Mapping[str, FloatArray]) -> State: ...


def climb_kept(
    made: KeptRounds[State], start: State | None, *, rounds: int, tolerance: float, context: RunContext
) -> Climb[State]:
    """Rounds from a start, kept after each where there is a keeper, or from what it kept."""
    keeper = context.keeper
    kept = None if keeper is None else keeper.load()
    if kept is None:
        begin = Climb(made.start() if start is None else start)
    else:
        begin = Climb(made.take_up(kept), tuple(kept["history"].tolist()))

    def keep(reached: Climb[State]) -> None:
        if keeper is not None:
            keeper.keep({**reached.state.learnt, "history": np.array(reached.history)})

    return climb(
        made.step,
        begin,
        rounds=rounds,
        tolerance=tolerance,
        progress=context.progress,
        keep=keep,
        note=context.note,
    )


def known_before(judgement: Judgement | None) -> dict[str, FloatArray]:
    """What the next judgement takes from the last one."""
    return {"known": judgement.known} if judgement is not None and len(judgement.known) else {}


def judged_before(learnt: Mapping[str, FloatArray]) -> Judgement | None:
    """The last judgement, as far as the next one asks for it."""
    if "known" not in learnt:
        return None
    return Judgement(np.zeros((0, 0)), 0.0, dict, learnt["known"])


def hear_crowd(placed: Placed[Any], facts: CorpusFacts, *, silence: str, kinship: bool) -> None:
    """Tell the shards which votes count."""
    kin = kin_in(placed, len(facts.annotators)) if kinship else ()
    placed.each("hear", silent_in(placed, silence, facts.scheme.outside >= 0), kin)
