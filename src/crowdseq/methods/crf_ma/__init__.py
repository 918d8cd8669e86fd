"""CRF-MA: on each sentence one annotator is right; a CRF learns who, and what is right."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from crowdseq.aggregation.canonical import Canonical
from crowdseq.aggregation.contract import (
    JointAggregator,
    Learned,
    RunContext,
    method,
    require,
    require_rounds,
    require_shard_tokens,
    require_silence,
)
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine, Placed
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import SHARD_TOKENS, Cut, Kept, Shard, Version, Versions, add_up
from crowdseq.evaluation.crowd_profile import hear
from crowdseq.methods.crf_ma.rows import Rows, voted
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.chain import Lattice, log_partition, marginals
from crowdseq.numerics.em import Climb, climb
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser, Optimum
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.summed_crf import Aim, CrfPart, SummedCrf
from crowdseq.tagging.weight_frame import ChainRules

TRUTHS = ("tagger", "annotators")


@method("crf-ma")
@dataclass(frozen=True, kw_only=True)
class CrfMa(JointAggregator):
    """Asks which annotator is right on each sentence, and trains a CRF on the answers.

    (Rodrigues, Pereira and Ribeiro 2014.)

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    iterations: steps of the optimiser in each round; it goes on where the round before left it.
    truth: what the consensus is made of: `tagger`, what the CRF says of the sentence, or `annotators`, the
        answers of its annotators, weighed by the chance that they are right.
    smoothing: how many sentences of average reliability are added to everybody's evidence.
    features, c2: as in CrfTrainer.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    rounds: int = 5
    tolerance: float = 1e-4
    iterations: int = 60
    truth: str = "annotators"
    smoothing: float = 1.0
    features: str = "rich"
    c2: float = CrfTrainer.c2
    silence: str = "labelled"
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require_rounds(self.rounds, self.tolerance)
        require(self.iterations >= 1, f"iterations is {self.iterations}, it must be at least 1")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0")
        require(self.truth in TRUTHS, f"truth is '{self.truth}', choose tagger or annotators")
        self.trainer  # noqa: B018  checks features and c2

    @property
    def trainer(self) -> CrfTrainer:
        return CrfTrainer(features=self.features, c2=self.c2)

    @property
    def monotone(self) -> bool:
        return True

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        if corpus.n_tokens == 0 or corpus.annotations.n_votes == 0:
            return Learned(settle(corpus, label_shares(corpus)), None)
        ordered = Canonical.of(hear(corpus, self.silence))
        with using_threads(context.engine.threads):
            joint = _Joint.of(self, ordered.corpus, context.engine)
            end = climb(
                joint.step,
                Climb(joint.start()),
                rounds=self.rounds,
                tolerance=self.tolerance,
                progress=context.progress,
            )
            truth = ordered.restore_tokens(joint.truth(end.state, by_tagger=self.truth == "tagger"))
        tagger = self.trainer.tagger(joint.crf.frame, corpus.scheme, end.state.weights)
        strengths = ordered.restore_annotators(end.state.strengths)
        reliability = strengths / strengths.mean()
        consensus = settle(corpus, truth, history=end.history, reliability=reliability)
        return Learned(consensus, tagger)


class CrfMaShard:
    """The answers and the text of one shard, and chances (R,) that a row is the right one of its sentence.

    seen (N,): 1 for sentences that somebody answered.
    """

    def __init__(self, recipe: CrfMa, shard: Shard) -> None:
        corpus = shard.corpus
        self.rows, self._n_annotators = Rows.of(corpus), len(corpus.annotators)
        self._seen = (np.bincount(self.rows.sentences, minlength=len(corpus)) > 0).astype(np.float64)
        rules, features = ChainRules.of_scheme(corpus.scheme), recipe.trainer.feature_settings
        self.crf = CrfPart(corpus.text, rules, features, voted(self.rows, corpus.n_tokens))
        self._chances: Kept[FloatArray] = Kept()

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these versions of the chances alone."""
        self._chances.forget_others(alive)

    def start(self, version: int, strengths: FloatArray) -> None:
        """Everybody who answered a sentence is equally likely to be right."""
        self._chances[version] = self._share_out(np.zeros(len(self.rows.voters)), strengths)[0]

    def count(self, version: int, strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(K,) how often everybody was right, and how often they would be if it hung on strengths alone."""
        voters, sentences = self.rows.voters, self.rows.sentences
        present = np.bincount(sentences, strengths[voters], minlength=len(self._seen))
        right = np.bincount(voters, self._chances[version], minlength=self._n_annotators)
        exposure = np.bincount(voters, 1.0 / present[sentences], minlength=self._n_annotators)
        return np.asarray(right, np.float64), np.asarray(exposure, np.float64)

    def aim(self, version: int, weights: FloatArray) -> tuple[Aim, FloatArray]:
        """The CRF learns from the answers; with their label pairs (M, M)."""
        labels, pairs = self._spread(version, self.crf.problem.lattice(weights))
        return self.crf.aim(labels, self._seen), pairs

    def expect(self, version: int, strengths: FloatArray, weights: FloatArray) -> float:
        """New chances under strengths and weights; the log-likelihood."""
        whole = self.crf.problem.lattice(weights)
        free = log_partition(whole)[self.rows.sentences]
        scores = log_partition(self.rows.lattice(whole)) - free + self.rows.surplus
        self._chances[version], likelihood = self._share_out(scores, strengths)
        return likelihood

    def truth(self, version: int, by_tagger: bool, weights: FloatArray) -> FloatArray:
        """(T, M) posteriors; sentences without answers always get the tagger's."""
        whole = self.crf.problem.lattice(weights)
        tagged = marginals(whole).unary
        if by_tagger:
            return tagged
        answered, _ = self._spread(version, whole)
        seen = np.repeat(self._seen > 0, np.diff(self.crf.problem.offsets))
        return np.where(seen[:, None], answered, tagged)

    def _spread(self, version: int, whole: Lattice) -> tuple[FloatArray, FloatArray]:
        """(T, M) labels and (M, M) pairs of the answers, weighed by their chances."""
        chances = self._chances[version]
        found = marginals(self.rows.lattice(whole), chances)
        weighed = found.unary * np.repeat(chances, np.diff(self.rows.bounds))[:, None]
        labels = np.zeros_like(whole.unary)
        np.add.at(labels, self.rows.tokens, weighed)
        return labels, found.pairwise

    def _share_out(self, scores: FloatArray, strengths: FloatArray) -> tuple[FloatArray, float]:
        """(R,) chances of the rows from their log scores, and the log-likelihood of all sentences."""
        sentences = self.rows.sentences
        size = len(self._seen)
        top = np.full(size, -np.inf)
        np.maximum.at(top, sentences, scores)
        weights = strengths[self.rows.voters] * np.exp(scores - top[sentences])
        totals = np.bincount(sentences, weights, minlength=size)
        present = np.bincount(sentences, strengths[self.rows.voters], minlength=size)
        seen = totals > 0
        likelihood = float((np.log(totals[seen]) + top[seen] - np.log(present[seen])).sum())
        return weights / totals[sentences], likelihood


@dataclass(frozen=True, eq=False)
class _State:
    """A version of the chances, which the shards hold, under weights and strengths (K,)."""

    version: Version
    strengths: FloatArray
    weights: FloatArray
    memory: Memory | None = None


@dataclass(frozen=True, eq=False)
class _Joint:
    """A corpus as the joint model sees it."""

    cut: Cut
    placed: Placed[CrfMaShard]
    crf: SummedCrf
    recipe: CrfMa
    versions: Versions = field(default_factory=Versions)

    @classmethod
    def of(cls, recipe: CrfMa, corpus: Corpus, engine: Engine) -> "_Joint":
        cut = cut_canonical(corpus, recipe.shard_tokens)
        placed = engine.place(partial(CrfMaShard, recipe), cut.shards)
        rules, features = ChainRules.of_scheme(corpus.scheme), recipe.trainer.feature_settings
        return cls(cut, placed, SummedCrf.build(placed, "crf", len(cut.shards), rules, features), recipe)

    def start(self) -> _State:
        """Everybody who answered a sentence is equally likely to be right."""
        version, strengths = self.versions.new(), np.ones(len(self.cut.facts.annotators))
        self.placed.each("start", version.number, strengths)
        return _State(version, strengths, np.zeros(self.crf.frame.n_weights))

    def step(self, state: _State) -> tuple[_State, float]:
        """Judge the annotators and train the CRF by who is right, then ask anew who is right."""
        self.placed.each("forget_others", self.versions.alive)
        strengths = self._strengths(state)
        found = self._train(state)
        version = self.versions.new()
        likelihood: float = add_up(
            self.placed.each("expect", version.number, strengths, own=self.crf.numbering.split(found.weights))
        )
        penalty = self.recipe.c2 * float(found.weights @ found.weights)
        prior = self.recipe.smoothing * float((np.log(strengths) - strengths).sum())
        return _State(version, strengths, found.weights, found.memory), likelihood - penalty + prior

    def _train(self, state: _State) -> Optimum:
        own = self.crf.numbering.split(state.weights)
        aims, pairs = zip(*self.placed.each("aim", state.version.number, own=own), strict=True)
        minimiser = Minimiser(max_iterations=self.recipe.iterations, tolerance=1e-6)
        return self.crf.train(aims, add_up(pairs), self.recipe.c2, minimiser, state.weights, state.memory)

    def _strengths(self, state: _State) -> FloatArray:
        """How often everybody was right, against how often they would be if it hung on strengths alone.

        A sentence's annotator is right with the share that their strength has among those present; this is
        the minorise-maximise step for such shares, which never lowers the likelihood.
        """
        found = self.placed.each("count", state.version.number, state.strengths)
        right, exposure = (add_up(part) for part in zip(*found, strict=True))
        return np.asarray((right + self.recipe.smoothing) / (exposure + self.recipe.smoothing))

    def truth(self, state: _State, *, by_tagger: bool) -> FloatArray:
        """(T, M) posteriors; sentences without answers always get the tagger's."""
        own = self.crf.numbering.split(state.weights)
        return self.cut.join_tokens(self.placed.each("truth", state.version.number, by_tagger, own=own))
