"""SA-SLC: a CRF for the truth, and for each annotator how votes depend on it and on their own earlier votes.

Lu and Chow, "Modeling sequential annotations for sequence labeling with crowds". The equation numbers are
theirs. We follow Eq. 16 and the right side of Eq. 17, one truth shared by all annotators: Eq. 4 and 15 write
one truth for each, which is another quantity. `docs/methods/sa-slc.md` tells the other departures.
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdseq.aggregation.canonical import Canonical
from crowdseq.aggregation.contract import NO_HELP, Help, Learned, ResumableAggregator, method, require
from crowdseq.aggregation.folds import assign_folds
from crowdseq.aggregation.settling import best_valid_tags, scheme_scores, settle
from crowdseq.aggregation.truth_model import Belief, TruthModel
from crowdseq.aggregation.voting import dependent_weights, label_shares, majority_shares
from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.methods.sa_slc.coupling import Coupling
from crowdseq.methods.sa_slc.evidence import ContextVotes, Evidence, linked_tokens, word_numbers
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.presets import CHOICES, LEAST, PRESETS
from crowdseq.methods.sa_slc.rounds import Ascent, ascend, judge_on
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.candidates import Candidates, candidate_mask, with_paths
from crowdseq.numerics.chains.pruned_chain import CandidateLists, mean_log10_sequences
from crowdseq.numerics.crowds.categorical import count_votes
from crowdseq.numerics.crowds.dependency import Smoothing
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import feature_settings
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets


@method("sa-slc")
@dataclass(frozen=True, kw_only=True)
class SaSlc(ResumableAggregator):
    """Learns the truth, a tagger, and how well each annotator keeps to their own earlier labels, all at once.

    preset: `default` (ours) or `paper` (its choices wherever it states one); it fills all settings left None.
    dependency: what a vote hangs on besides the truth: `off`, `local` (the vote before, α), `paper` (the
        vote on an earlier mention, β, where there is one, else α), `both`, or `auto`: local for spans, off
        for plain tags.
    repeat_scope, repeat_match, repeat_tokens: mentions in one `sentence` or `document` (or `off`), spelt
        alike (`exact`) or but for case (`casefold`), of `content` words (by the votes) or `all`.
    candidates, upper, lower: VLSE `off`, `paper` or `adaptive`, with its thresholds T1 and T2.
    smoothing: votes' worth of belief that an annotator's tables take from coarser ones; 0 is plain counting.
    folds: the CRF that judges a part of the corpus is trained on the other parts; 1 for no such care.
    temper: weight of the votes. correlation: how far annotators err together; n votes on a token count as
        n / (1 + correlation (n - 1)). deference: how far they yield to a tagger that finds the same spans in
        documents it has not seen. plausibility: whether annotators' tables differ by how much the text alone
        suggests an entity to such a tagger.
    coupling: weight of what is believed of the same word elsewhere in the document, beside what it is in
        other documents. surprise: weight of how far it goes beyond what such a tagger expected there.
    start: the `majority` of votes, shares of `votes`, or `paper`: random tables and the labels of one random
        annotator, drawn with `seed`.
    rounds, tolerance: EM rounds at most, and the relative change of the objective at which to stop.
    steps: L-BFGS steps of a round. features, c2, threads: of the CRF. document: whether it sees what a word
        looks like elsewhere in its document. gold: hold known gold tokens at it.
    tagger_features, tagger_c2: of the tagger that is trained on the result.
    max_memory: megabytes that the rounds may take; a run that needs more is refused before it starts.
    temperature: the probabilities told are those of all scores divided by it; tags do not depend on it.
    """

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
    deference: float | None = None
    plausibility: bool | None = None
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
    document: bool | None = None
    c2: float | None = None
    gold: bool = False
    max_memory: float | None = None
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        require(self.preset in PRESETS, f"preset is '{self.preset}', choose one of {', '.join(PRESETS)}")
        for name, value in PRESETS[self.preset].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            require(value in choices, f"{name} is '{value}', choose one of {', '.join(choices)}")
        for name, least in LEAST.items():
            value = getattr(self, name)
            require(value >= least, f"{name} is {value}, it must be at least {least}")
        require(self.upper >= self.lower, f"upper is {self.upper}, it cannot be below lower, {self.lower}")  # type: ignore[operator]
        require(self.temperature > 0, f"temperature is {self.temperature}, it must be above 0")  # type: ignore[operator]
        self.trainer  # noqa: B018  checks features and c2
        CrfTrainer(features=self.tagger_features, c2=self.tagger_c2)

    @property
    def trainer(self) -> CrfTrainer:
        features = replace(feature_settings(self.features), document=bool(self.document))
        return CrfTrainer(features=features, c2=float(self.c2 or 0.0), threads=self.threads)

    @property
    def draws(self) -> bool:
        return self.start == "paper"

    @property
    def monotone(self) -> bool:
        """Plain EM: every part of the objective is what the rounds maximise."""
        plain = (
            self.folds == 1
            and self.temper == 1.0
            and self.correlation == 0.0
            and self.deference == 0.0
            and not self.plausibility
            and self.coupling == self.surprise == 0.0
            and self.smoothing == 0.0
        )
        return plain and not self.draws

    def learn(self, corpus: Corpus, *, progress: Progress = quiet, help: Help = NO_HELP) -> Learned:
        ordered = Canonical.of(corpus, whole_documents=True)
        with using_threads(self.threads):
            consensus, belief = self._settled(corpus, ordered, progress, help)
        if belief is None:
            return Learned(consensus, None)
        progress("training the tagger", 0, 1)
        tagger = self._tagger(ordered.corpus, belief)
        progress("training the tagger", 1, 1)
        return Learned(consensus, tagger)

    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet, help: Help = NO_HELP) -> Consensus:
        with using_threads(self.threads):
            return self._settled(corpus, Canonical.of(corpus, whole_documents=True), progress, help)[0]

    def _settled(
        self, corpus: Corpus, ordered: Canonical, progress: Progress, help: Help
    ) -> tuple[Consensus, Belief | None]:
        """The consensus, and in canonical order the belief behind it; none when nobody labelled anything."""
        if corpus.n_tokens == 0 or corpus.annotations.n_votes == 0:
            return settle(corpus, label_shares(corpus)), None
        session, chosen = self._prepare(ordered.corpus)
        self._check_memory(session, progress)
        kept = help.keeper.load() if help.keeper is not None else None
        ascent = ascend(
            session,
            Ascent(self._begin(session)) if kept is None else Ascent.of_arrays(kept),
            rounds=int(self.rounds or 1),
            tolerance=self.tolerance,
            progress=progress,
            keeper=help.keeper,
            judge=None if help.dev is None else judge_on(help.dev, session),
        )
        return self._finish(session, ascent.chosen, corpus, ordered, chosen), ascent.chosen.belief

    def _check_memory(self, session: JointEm, progress: Progress) -> None:
        needed = session.megabytes
        progress(f"about {needed:,.0f} MB of memory for the rounds", 1, 1)
        if self.max_memory is not None and needed > self.max_memory:
            raise SettingsError(
                f"this run needs about {needed:,.0f} MB, more than max_memory allows "
                f"({self.max_memory:,.0f} MB): allow more, or use fewer folds"
            )

    def _prepare(self, corpus: Corpus) -> tuple[JointEm, Candidates]:
        n_labels = len(corpus.scheme)
        words = word_numbers(corpus, self.repeat_match)
        linked = linked_tokens(corpus, str(self.repeat_tokens), _TELLING_SHARE)
        votes = ContextVotes.of(corpus, words, linked, str(self.repeat_scope))
        evidence = Evidence.of(votes, self._dependency(corpus), corpus.n_tokens, n_labels)
        counts = count_votes(votes.tokens, votes.labels, corpus.n_tokens, n_labels)
        chosen = self._candidates(corpus, counts)
        folds = assign_folds(corpus, int(self.folds or 1))
        n_folds = int(folds.max(initial=0)) + 1  # a fold without documents would be trained for nobody
        support = (_likely_labels(corpus, counts) & chosen.mask).astype(np.float64)
        truth = TruthModel.build(corpus, folds, n_folds, support, self.trainer)
        strength = float(self.smoothing or 0.0)
        session = JointEm(
            corpus=corpus,
            evidence=evidence,
            truth=truth,
            candidates=CandidateLists.of_mask(chosen.mask, corpus.offsets),
            coupling=Coupling.of(corpus, words, linked) if self.coupling or self.surprise else None,
            smoothing=_smoothing(strength, corpus),
            vote_weights=float(self.temper or 0.0)
            * dependent_weights(counts, float(self.correlation or 0.0)),
            deference=float(self.deference or 0.0),
            by_plausibility=bool(self.plausibility) and corpus.scheme.outside >= 0,
            pull=float(self.coupling or 0.0),
            surprise=float(self.surprise or 0.0),
            first_steps=2 * int(self.steps or 1),
            steps=int(self.steps or 1),
        )
        return session, chosen

    def _dependency(self, corpus: Corpus) -> str:
        """The vote before tells where a span goes on; tags without spans have no such thing."""
        if self.dependency != "auto":
            return str(self.dependency)
        return "off" if corpus.scheme.is_plain else "local"

    def _candidates(self, corpus: Corpus, counts: FloatArray) -> Candidates:
        mask = candidate_mask(counts, str(self.candidates), float(self.upper or 0), float(self.lower or 0))
        if self.gold:
            held = np.flatnonzero(corpus.gold_tags >= 0)
            mask[held] = False
            mask[held, corpus.gold_tags[held]] = True
        scheme = corpus.scheme
        return with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends)

    def _begin(self, session: JointEm) -> State:
        corpus = session.corpus
        if self.start != "paper":
            shares = label_shares(corpus)
            return session.from_shares(majority_shares(shares) if self.start == "majority" else shares)
        rng = np.random.default_rng(self.seed)
        tables = session.evidence.draw(rng, len(corpus.scheme))
        return session.from_tables(tables, self._one_annotator(session, corpus, rng))

    def _one_annotator(self, session: JointEm, corpus: Corpus, rng: np.random.Generator) -> FloatArray:
        """(F, W) weights of a CRF that believes one annotator, drawn at random."""
        crowd = corpus.annotations
        chosen = int(rng.integers(len(corpus.annotators)))
        alone = corpus.keep_annotators([corpus.annotators[chosen]])
        seen = np.zeros(len(corpus), np.bool_)
        seen[crowd.row_sentences[crowd.voters == chosen]] = True
        tags = best_valid_tags(corpus, label_shares(alone))
        return session.truth.train_on_tags(tags, seen, session.first_steps)

    def _finish(
        self, session: JointEm, state: State, corpus: Corpus, ordered: Canonical, chosen: Candidates
    ) -> Consensus:
        probabilities = session.softened(state, float(self.temperature or 1.0))
        free, valid = mean_log10_sequences(session.candidates, scheme_scores(corpus.scheme))
        return settle(
            corpus,
            ordered.restore_tokens(probabilities),
            history=state.history,
            tag_ids=ordered.restore_tokens(best_valid_tags(session.corpus, state.belief.unary)),
            temperature=float(self.temperature or 1.0),
            candidates_per_token=chosen.per_token,
            widened_tokens=chosen.widened,
            mean_log10_sequences=free,
            mean_log10_valid_sequences=valid,
            **session.evidence.votes.tables(state.belief.unary, ordered.annotators),
        )

    def _tagger(self, corpus: Corpus, belief: Belief) -> Tagger:
        """A tagger of its own, trained on all that is believed in the end."""
        trainer = CrfTrainer(features=self.tagger_features, c2=self.tagger_c2, threads=self.threads)
        return trainer.fit(corpus, Targets(belief.unary, belief.pairwise.sum(axis=0)))


def _likely_labels(corpus: Corpus, counts: FloatArray) -> BoolArray:
    """(T, M) labels for which a token's features get weights: those voted for, O, and all where nobody voted.

    A label that nobody gave to a token can still win there, by the weights that others taught its features.
    """
    likely = counts > 0
    if corpus.scheme.outside >= 0:
        likely[:, corpus.scheme.outside] = True
    likely[counts.sum(axis=1) == 0] = True
    return np.asarray(likely)


def _smoothing(strength: float, corpus: Corpus) -> Smoothing:
    """Back-off of the annotators' tables.

    Where every token has a telling label, as with parts of speech, a rare label can come to be a second name
    for part of a common one; a strong belief that the crowd is mostly right keeps it from that.
    """
    prior = _PLAIN_PRIOR if corpus.scheme.is_plain and strength > 0 else min(strength, 10.0)
    return Smoothing(own=strength, annotator=strength / 2, crowd=strength / 2, prior=prior)


_TELLING_SHARE = 0.1
_PLAIN_PRIOR = 1e5
