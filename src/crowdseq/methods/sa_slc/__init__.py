"""SA-SLC: a CRF for the truth, and for each annotator how votes depend on it and on their own earlier votes.

Lu and Chow, "Modeling sequential annotations for sequence labeling with crowds". The equation numbers are
theirs. We follow Eq. 16 and the right side of Eq. 17, one truth shared by all annotators: Eq. 4 and 15 write
one truth for each, which is another quantity. `docs/methods/sa-slc.md` tells the other departures.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crowdseq.aggregation.canonical import OrderedCut
from crowdseq.aggregation.contract import (
    JointAggregator,
    Learned,
    RunContext,
    crf_megabytes,
    describe_settings,
    method,
    store_learned,
    too_little_memory,
)
from crowdseq.aggregation.settling import LoneLabels, lone_remark, settle
from crowdseq.aggregation.truth import P
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import SHARD_TOKENS, CorpusFacts, Cut, Version
from crowdseq.methods.sa_slc.calibration import Softening
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.rounds import candidates_per_token, prepare, run_rounds
from crowdseq.methods.sa_slc.settings import AS_IN_0_1, Settings, filled
from crowdseq.methods.sa_slc.shard import SaSlcShard
from crowdseq.numerics.blocks import using_threads
from crowdseq.tagging.crf import CrfTrainer, check_weights
from crowdseq.tagging.summed_crf import SummedCrf
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.weight_frame import ChainRules

if TYPE_CHECKING:
    from crowdseq.aggregation.stored import StoredConsensus, StoredLearned
    from crowdseq.engines.shard_files import StoredCorpus


@method("sa-slc")
@dataclass(frozen=True, kw_only=True)
class SaSlc(JointAggregator):
    """Learns the truth, a tagger, and how well each annotator keeps to their own earlier labels, all at once.

    preset: `default` (ours), `0.1` (ours of version 0.1) or `paper` (its choices wherever it states one); it
        fills all settings left None.
    silence: what it means to leave a token outside that others mark: `labelled`, a vote for O; `abstains`, no
        vote; `auto`, no vote where the crowd finds next to nothing of what others mark, as labelling
        functions do, or of annotators who mark nothing at all. kinship: whether annotators who copy each
        other, found from their agreement, count once. keep_alone: whether labels of annotators who share no
        token with anybody are the consensus as they stand; what the text says else is told as suggestions.
    dependency: what a vote hangs on besides the truth: `off`, `local` (the vote before, α), `paper` (the
        vote on an earlier mention, β, where there is one, else α), `both`, or `auto`: local for spans, off
        for plain tags.
    repeat_scope, repeat_match, repeat_tokens: mentions in one `sentence` or `document` (or `off`), spelt
        alike (`exact`) or but for case (`casefold`), of `content` words (by the votes) or `all`.
    candidates, upper, lower: VLSE `off`, `paper` or `adaptive`, with its thresholds T1 and T2.
    smoothing: votes' worth of belief that an annotator's tables take from coarser ones; 0 is plain counting.
    folds: the CRF that judges a part of the corpus is trained on the other parts; 1 for no such care.
    temper: weight of the votes. correlation: how far annotators err together; n votes on a token count as
        n / (1 + correlation (n - 1)). measured: whether that is the most, and less where votes show less;
        and whether what is missed is read by plausibility as far as misses gather, else halfway.
        deference: how far they yield to a tagger that finds the same spans in documents it has not seen.
        plausibility: whether annotators' tables differ by how much the text alone
        suggests an entity to such a tagger. enough_marks: tokens that somebody marked that it takes
        to tell them apart from the first round on; at half of them it begins, at one and a half it counts in
        full. With fewer it comes in from half of the rounds on. context: whether what an annotator said
        before counts from the first round on (`early`), as the belief settles (`late`), or late where some
        draw spans wider or narrower than others as a rule (`auto`).
    coupling: weight of what is believed of the same word elsewhere in the document, beside what it is in
        other documents. surprise: weight of how far it goes beyond what such a tagger expected there.
    start: the `majority` of votes, shares of `votes`, the majority where an O counts as much as its annotator
        finds of what others mark (`recall`), `judged` (each vote counts as its annotator deserves, by all
        votes alone), `auto` (the majority; where that leaves out most of what is marked, recall if the text
        foretells the votes far better from there, or else judged), or `paper`: random tables and the labels
        of one random annotator, drawn with `seed`.
    rounds, tolerance: EM rounds at most, and the relative change of the objective at which to stop.
    steps: L-BFGS steps of a round. features, c2: of the CRF. document: whether it sees what a word looks like
        elsewhere in its document. gold: hold known gold tokens at it.
    tagger_features, tagger_c2: of the tagger that is trained on the result.
    bounds: weight of the charge for spans that neither an annotator nor the text alone drew.
    temperature: the probabilities told are those of all scores divided by it; tags do not depend on it.
    calibrate: whether it is raised by as much as annotators are seen to err together, few of their marks
        stand, and the text alone finds little of what is believed; and whether what nobody marked is told
        with the text's word for it.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    can_resume = True
    can_use_dev = True
    can_bound_memory = True
    can_shard = True
    can_use_knowledge = True
    can_use_companion = True
    later_settings = AS_IN_0_1

    preset: str = "default"
    dependency: str | None = None
    repeat_scope: str | None = None
    repeat_match: str = "exact"
    repeat_tokens: str | None = None
    candidates: str | None = None
    upper: float | None = None
    lower: float | None = None
    smoothing: float | None = None
    folds: int | None = None
    temper: float | None = None
    correlation: float | None = None
    measured: bool | None = None
    deference: float | None = None
    plausibility: bool | None = None
    enough_marks: float | None = None
    context: str | None = None
    silence: str | None = None
    kinship: bool | None = None
    keep_alone: bool | None = None
    bounds: float | None = None
    coupling: float | None = None
    surprise: float | None = None
    start: str | None = None
    rounds: int | None = None
    tolerance: float = 1e-4
    steps: int | None = None
    features: str = "basic"
    tagger_features: str = "rich"
    tagger_c2: float = 1.0
    temperature: float | None = None
    calibrate: bool | None = None
    document: bool | None = None
    c2: float | None = None
    gold: bool = False
    seed: int = 0
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        for name, value in filled(describe_settings(self)).items():
            object.__setattr__(self, name, value)
        self.settings  # noqa: B018  checks them all

    @cached_property
    def settings(self) -> Settings:
        """The same settings, complete and in groups."""
        return Settings.of(describe_settings(self))

    @property
    def draws(self) -> bool:
        return self.settings.search.start == "paper"

    @property
    def monotone(self) -> bool:
        return self.settings.is_plain_em and not self.draws

    def megabytes(self, facts: CorpusFacts) -> float:
        return super().megabytes(facts) + crf_megabytes(facts)

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        with using_threads(context.engine.threads):
            consensus, belief = self._settled(corpus, context)
            return Learned(consensus, None if belief is None else self._train(belief, context))

    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        with using_threads(context.engine.threads):
            return self._settled(corpus, context)[0]

    def learn_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredLearned":
        if len(stored.shards) == 1:
            return store_learned(self.learn(stored.open_shard(0), context), stored, context)
        from crowdseq.aggregation.stored import StoredLearned

        with using_threads(context.engine.threads):
            consensus, belief = self._stored(stored, context)
            return StoredLearned(consensus, self._train(belief, context))

    def aggregate_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredConsensus":
        if len(stored.shards) == 1:
            from crowdseq.aggregation.stored import store_consensus

            return store_consensus(self.aggregate(stored.open_shard(0), context), stored, context.folder)
        with using_threads(context.engine.threads):
            return self._stored(stored, context)[0]

    def _train(self, belief: "FinalBelief", context: RunContext) -> Tagger:
        context.progress("training the tagger", 0, 1)
        trainer = self.settings.knowing(context.knowledge).text.tagger_trainer
        tagger = belief.train(trainer, context.max_memory)
        context.progress("training the tagger", 1, 1)
        return tagger

    def _settled(self, corpus: Corpus, context: RunContext) -> "tuple[Consensus, FinalBelief | None]":
        """The consensus, and the belief behind it; None when nobody labelled anything."""
        if corpus.n_tokens == 0 or corpus.annotations.n_votes == 0:
            return settle(corpus, label_shares(corpus)), None
        ordered = OrderedCut.of(corpus, self.shard_tokens)
        end = _End.of(self.settings, ordered, context)
        session, state = end.session, end.state
        told = LoneLabels.apart(
            corpus,
            ordered.restore_tokens(session.tags(state, end.agreement)),
            ordered.restore_tokens(session.softened(state, end.softening)),
            keep=self.settings.search.keep_alone,
        )
        consensus = settle(
            corpus,
            told.posteriors,
            history=state.history,
            tag_ids=told.tag_ids,
            temperature=end.softening.temperature,
            **end.told,
            **told.parameters(),
        )
        return consensus, FinalBelief.of(session, state)

    def _stored(self, stored: "StoredCorpus", context: RunContext) -> "tuple[StoredConsensus, FinalBelief]":
        from crowdseq.aggregation.stored import judge_stored

        ordered, folder = OrderedCut.of(stored, self.shard_tokens), context.folder
        end = _End.of(self.settings, ordered, context)
        kept, added, doubted = end.session.write(end.state, folder, end.agreement, end.softening).tolist()
        told = dict(end.told)
        if kept:
            alone = ordered.restore_annotators(end.session.alone)
            told["remarks"] = [lone_remark(stored.facts.annotators, alone, added, doubted).as_dict()]
        settled = {"history": end.state.history, "temperature": end.softening.temperature, **told}
        consensus = judge_stored(stored, folder, context.engine, **settled)
        return consensus, FinalBelief.of(end.session, end.state)


@dataclass(frozen=True, eq=False)
class FinalBelief:
    """What the rounds end with: a version of the belief that the shards hold, and its label pairs (M, M)."""

    cut: Cut
    placed: Placed[SaSlcShard]
    version: Version
    pairs: FloatArray

    @classmethod
    def of(cls, session: JointEm[P], state: State[P]) -> "FinalBelief":
        return cls(session.cut, session.placed, state.version, state.pairs.sum(axis=0))

    def train(self, trainer: CrfTrainer, max_memory: float | None = None) -> Tagger:
        """A tagger of its own on what is believed; the shards make no more rounds after it."""
        scheme, features = self.cut.facts.scheme, trainer.feature_settings
        rules = ChainRules.of_scheme(scheme)
        self.placed.each("open_tagger", rules, features, self.version.number)
        crf = SummedCrf.build(self.placed, "tagger", len(self.cut.shards), rules, features)
        check_weights(crf, max_memory)
        aims = self.placed.each("aim_tagger")
        return trainer.fit_shards(crf, aims, self.pairs, scheme)


@dataclass(frozen=True, eq=False)
class _End:
    """Where the rounds ended; told: what the method knows, by name."""

    session: JointEm[FloatArray]
    state: State[FloatArray]
    agreement: float
    softening: Softening
    told: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Settings, ordered: OrderedCut, context: RunContext) -> "_End":
        session, opened = prepare(ordered, settings.knowing(context.knowledge), context)
        _check_memory(session, context)
        end, joined = run_rounds(session, settings.search, context)
        agreement = session.agreement(end)
        softening, reasons = session.calibrated(end, agreement)
        free, valid = session.mean_log10_sequences()
        started = session.started(end)
        told = {
            **({"start": started} if started else {}),
            "text_agreement": agreement,
            **joined,
            **reasons,
            "candidates_per_token": candidates_per_token(opened, ordered.cut.facts.n_tokens),
            "widened_tokens": sum(one.widened for one in opened),
            "mean_log10_sequences": free,
            "mean_log10_valid_sequences": valid,
            **session.vote_tables(end, ordered.annotators),
        }
        return cls(session, end, agreement, softening, told)


def _check_memory(session: JointEm[P], context: RunContext) -> None:
    needed = session.megabytes_in(context.engine)
    context.progress(f"about {needed:,.0f} MB of memory for the rounds", 1, 1)
    if context.max_memory is not None and needed > context.max_memory:
        raise too_little_memory(needed, context.max_memory, "or use fewer folds")
