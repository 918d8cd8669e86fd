"""Sembler: a CRF for the truth and one confusion matrix per annotator, learned together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from crowdseq.aggregation.canonical import Canonical, OrderedCut
from crowdseq.aggregation.contract import (
    JointAggregator,
    Learned,
    RunContext,
    check_memory,
    crf_megabytes,
    method,
    require,
    require_rounds,
    require_shard_tokens,
    require_silence,
    store_learned,
)
from crowdseq.aggregation.crowd_shard import Coding
from crowdseq.aggregation.kept_rounds import climb_kept
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.stored import StoredLearned, judge_stored
from crowdseq.aggregation.surveys import hear_crowd
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine, Placed
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.engines.shards import (
    SHARD_TOKENS,
    CorpusFacts,
    Cut,
    Numbering,
    Version,
    Versions,
    add_up,
)
from crowdseq.evaluation.crowd_profile import hear
from crowdseq.methods.sembler.shard import SemblerShard
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.crowds.annotator_models import Judgement
from crowdseq.numerics.crowds.confusions import Confusions
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.summed_crf import SummedCrf
from crowdseq.tagging.weight_frame import ChainRules

CANDIDATES = ("voted", "off")


@method("sembler")
@dataclass(frozen=True, kw_only=True)
class Sembler(JointAggregator):
    """Learns a CRF and every annotator's confusions together, by EM.

    (Wu, Fan and Yu 2012, after Raykar et al. 2010.)

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    iterations: steps of the optimiser in each round; it goes on where the round before left it.
    smoothing: prior count of every cell of a confusion matrix.
    candidates: `voted` lets a token have only labels that somebody gave it, `off` any label.
    features, c2: as in CrfTrainer.
    gold: whether tokens with known gold are held at it.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    can_resume = True
    can_bound_memory = True
    can_shard = True

    rounds: int = 3
    tolerance: float = 1e-4
    iterations: int = 20
    smoothing: float = 10.0
    candidates: str = "voted"
    features: str = "rich"
    c2: float = 1.0
    gold: bool = False
    silence: str = "labelled"
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require_rounds(self.rounds, self.tolerance)
        require(self.iterations >= 1, f"iterations is {self.iterations}, it must be at least 1")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0 to keep rows alive")
        require(self.candidates in CANDIDATES, f"candidates is '{self.candidates}', choose voted or off")
        self.trainer  # noqa: B018  checks features and c2

    @property
    def trainer(self) -> CrfTrainer:
        return CrfTrainer(features=self.features, c2=self.c2)

    @property
    def monotone(self) -> bool:
        return True

    def megabytes(self, facts: CorpusFacts) -> float:
        return super().megabytes(facts) + crf_megabytes(facts)

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        if corpus.n_tokens == 0:
            return Learned(settle(corpus, np.zeros((0, len(corpus.scheme)))), None)
        if corpus.n_tokens > self.shard_tokens:
            return Learned(*self._learn(OrderedCut.of(corpus, self.shard_tokens), context))
        ordered = Canonical.of(hear(corpus, self.silence))
        cut = Cut.whole(ordered.corpus)
        return Learned(*self._learn(OrderedCut(corpus, cut, ordered.annotators, ordered.tokens), context))

    def learn_stored(self, stored: StoredCorpus, context: RunContext) -> StoredLearned:
        if len(stored.shards) == 1:
            return store_learned(self.learn(stored.open_shard(0), context), stored, context)
        return StoredLearned(*self._learn(OrderedCut.of(stored, self.shard_tokens), context))

    def _learn(self, ordered: OrderedCut, context: RunContext) -> tuple[Any, SequenceTagger]:
        """The consensus, in memory or on disk as the corpus is, and the tagger."""
        check_memory(self, ordered.cut.facts, context, len(ordered.cut.shards))
        with using_threads(context.engine.threads):
            joint = _Joint.of(self, ordered, context.engine)
            end = climb_kept(joint, None, rounds=self.rounds, tolerance=self.tolerance, context=context)
        tagger = self.trainer.tagger(joint.crf.frame, ordered.cut.facts.scheme, end.state.weights)
        described = end.state.judgement.describe() if end.state.judgement else {}
        told: dict[str, Any] = {name: ordered.restore_annotators(table) for name, table in described.items()}
        version, given = end.state.version.number, ordered.given
        if isinstance(given, Corpus):
            truth = ordered.join_tokens(joint.placed.each("truth", version))
            return settle(given, truth, history=end.history, **told), tagger
        joint.placed.each("write", context.folder, version)
        judged = judge_stored(given, context.folder, context.engine, history=end.history, **told)
        return judged, tagger


@dataclass(frozen=True, eq=False)
class _State:
    """A version of the truth, which the shards hold, and its pairs (M, M), expected under weights and a
    judgement; memory is the optimiser's."""

    version: Version
    pairs: FloatArray
    weights: FloatArray
    memory: Memory | None = None
    judgement: Judgement | None = None
    learnt: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Joint:
    """A corpus as the joint model sees it; kinds: which kinds of votes each shard has."""

    cut: Cut
    placed: Placed[SemblerShard]
    crf: SummedCrf
    annotators: Confusions
    kinds: Numbering
    c2: float
    minimiser: Minimiser
    versions: Versions = field(default_factory=Versions)

    @classmethod
    def of(cls, recipe: Sembler, ordered: OrderedCut, engine: Engine) -> "_Joint":
        cut, facts, coding = ordered.cut, ordered.cut.facts, Coding()
        n_labels = len(facts.scheme)
        placed = engine.place(partial(SemblerShard, recipe, ordered.order), cut.shards)
        # What is one shard was heard before it was put in order.
        silence = recipe.silence if len(cut.shards) > 1 else "labelled"
        hear_crowd(placed, facts, silence=silence, kinship=False)
        rows, kinds = Numbering.of_rows(placed.each("crowd.list_kinds", coding))
        annotators = Confusions(
            annotators=rows[:, 0],
            labels=rows[:, 2],
            n_annotators=len(facts.annotators),
            prior=np.full((n_labels, n_labels), recipe.smoothing),
            bayes=False,
        )
        placed.each("open", coding)
        rules, features = ChainRules.of_scheme(facts.scheme), recipe.trainer.feature_settings
        crf = SummedCrf.build(placed, "crf", len(cut.shards), rules, features)
        minimiser = Minimiser(max_iterations=recipe.iterations, tolerance=1e-6)
        return cls(cut, placed, crf, annotators, kinds, recipe.c2, minimiser)

    def start(self) -> _State:
        """Shares of votes, made to keep the rules of the scheme."""
        version, totals = self.versions.new(), add_up(self.placed.each("crowd.label_totals"))
        pairs = add_up(self.placed.each("start", version.number, totals))
        return _State(version, pairs, np.zeros(self.crf.frame.n_weights))

    def step(self, state: _State) -> tuple[_State, float]:
        """Judge the annotators and train the CRF by the truth, then expect the truth anew."""
        self.placed.each("forget_others", self.versions.alive)
        told = self.placed.each("aim", state.version.number)
        counts = self.kinds.add_up([counts for counts, _ in told])
        found = self.crf.train(
            [aim for _, aim in told], state.pairs, self.c2, self.minimiser, state.weights, state.memory
        )
        return self._expect({"counts": counts, "weights": found.weights, **found.memory.arrays()})

    def take_up(self, arrays: Mapping[str, FloatArray]) -> _State:
        """The state that came from these sums and weights."""
        return self._expect({name: values for name, values in arrays.items() if name != "history"})[0]

    def _expect(self, learnt: Mapping[str, FloatArray]) -> tuple[_State, float]:
        weights, judgement = learnt["weights"], self.annotators.learn(learnt["counts"])
        version = self.versions.new()
        own = zip(self.crf.numbering.split(weights), self.kinds.split(judgement.scores), strict=True)
        pairs, clamped, free = zip(*self.placed.each("expect", version.number, own=list(own)), strict=True)
        likelihood = add_up(clamped) - add_up(free)
        penalty = self.c2 * float(weights @ weights)
        new = _State(version, add_up(pairs), weights, Memory.of_arrays(learnt), judgement, learnt)
        return new, likelihood - penalty + judgement.credit
