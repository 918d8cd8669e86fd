"""CrfTrainer: settings; fit(corpus, targets) gives a Tagger."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import SHARD_TOKENS, add_up
from crowdseq.errors import Advice, AnnotationError, SettingsError
from crowdseq.numerics.blocks import threads_in_use, using_threads
from crowdseq.numerics.optimise.lbfgs import Minimiser
from crowdseq.tagging.chunks import CHUNKS, Chain
from crowdseq.tagging.features import FeatureSettings, feature_settings
from crowdseq.tagging.problem import CrfProblem
from crowdseq.tagging.scoring import StreamWeights
from crowdseq.tagging.streams import KnowledgeSource, Passage
from crowdseq.tagging.summed_crf import Aim, CrfShard, SummedCrf
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets, checked_tags
from crowdseq.tagging.weight_frame import ChainRules, WeightFrame

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredShard
    from crowdseq.tagging.target_shard import WantedOf


@dataclass(frozen=True, kw_only=True)
class CrfTrainer:
    """How a tagger is trained.

    features: the name of a feature set, or your own settings. min_count: features that fewer tokens show are
    left out; None keeps what the feature set says. c2: L2 penalty, c2 * |weights|^2. c1: L1 penalty, c1 * sum
    |weights|. max_iterations, tolerance: when L-BFGS stops (see Minimiser). chunks: BIOES lets the CRF tell
    the last token of a span, and spans of one token, from others when it is trained on hard IOB2 tags;
    `borders` also lets it tell an O beside a span from others. The tagger still answers in IOB2. `own` keeps
    to the tags of the corpus. threads: for `fit`; they change no number, and None takes those in use.
    shard_tokens: a longer corpus is trained on as a sum over shards of so many tokens (see `cut_canonical`).
    progress: told (iteration, value of the objective).
    """

    features: str | FeatureSettings = "full"
    min_count: int | None = None
    c1: float = 0.0
    c2: float = 1.0  # the best of 0.3, 0.6 and 1 on development data, on average
    max_iterations: int = 300
    tolerance: float = 1e-5
    chunks: str = "borders"  # the best on average; BIOES gains half a point where entities are plain names
    threads: int | None = None
    shard_tokens: int = SHARD_TOKENS
    progress: Callable[[int, float], None] | None = None

    def __post_init__(self) -> None:
        for name, value in (("c1", self.c1), ("c2", self.c2), ("tolerance", self.tolerance)):
            if not (np.isfinite(value) and value >= 0.0):
                raise SettingsError(f"{name} must be a number not below 0, not {value}")
        counts = (
            ("max_iterations", self.max_iterations),
            ("threads", self.threads),
            ("shard_tokens", self.shard_tokens),
        )
        for name, count in counts:
            if count is not None and count < 1:
                raise SettingsError(f"{name} must be at least 1, not {count}")
        if self.chunks not in CHUNKS:
            raise SettingsError(f"chunks is '{self.chunks}', choose from {', '.join(CHUNKS)}")
        feature_settings(self.features, self.min_count)

    @property
    def feature_settings(self) -> FeatureSettings:
        return feature_settings(self.features, self.min_count)

    def knowing(self, sources: tuple[KnowledgeSource, ...]) -> "CrfTrainer":
        """The same with features from these sources too."""
        return replace(self, features=replace(self.feature_settings, knowledge=sources)) if sources else self

    @property
    def minimiser(self) -> Minimiser:
        return Minimiser(
            max_iterations=self.max_iterations, tolerance=self.tolerance, l1=self.c1, progress=self.progress
        )

    def fit(
        self,
        corpus: Corpus,
        targets: IntArray | Targets,
        sentence_weights: FloatArray | None = None,
        engine: Engine | None = None,
    ) -> Tagger:
        """A tagger trained on the corpus towards (T,) tag numbers, or Targets with probabilities.

        Sentences with an unlabelled token (tag -1, or a row of zeros) add nothing to the likelihood; their
        words still count as words of the text (for min_count, and for which features get a weight).
        engine: where the sums over shards are made; in this process if not given.
        """
        chain = self.chain(corpus, targets)
        wanted, weights = self.wanted(corpus, targets, sentence_weights, chain)
        rules = ChainRules(chain.allowed, chain.starts, chain.ends)
        cut = cut_canonical(corpus, self.shard_tokens)
        with using_threads(self.threads):
            if engine is None or (self.threads is not None and isinstance(engine, LocalEngine)):
                engine = LocalEngine(threads_in_use())
            placed = engine.place(partial(CrfShard, rules, self.feature_settings), cut.shards)
            placed.each("open", own=cut.split_tokens(wanted.unary))
            crf = SummedCrf.build(placed, "crf", len(cut.shards), rules, self.feature_settings)
            aims = placed.each("aim", own=cut.split_sentences(weights))
            return self.fit_shards(crf, aims, wanted.edges(weights), corpus.scheme, chain)

    def fit_stored(
        self,
        shards: "Sequence[StoredShard]",
        wanted: "WantedOf",
        scheme: LabelScheme,
        engine: Engine,
        max_memory: float | None = None,
    ) -> Tagger:
        """The same of a corpus on disk; wanted: gives what each shard is trained towards, where it lies.

        max_memory: megabytes that the weights may take.
        """
        from crowdseq.tagging.target_shard import TargetShard  # few corpora are on disk

        placed = engine.place(partial(TargetShard, self, wanted), shards)
        kinds = placed.each("kind")
        chain = Chain(scheme)
        if all(kind != "soft" for kind in kinds):
            chain = Chain.of_scheme(scheme, self.chunks if all(kind == "valid" for kind in kinds) else "own")
        edges = add_up(placed.each("open", chain))
        rules = ChainRules(chain.allowed, chain.starts, chain.ends)
        crf = SummedCrf.build(placed, "crf", len(shards), rules, self.feature_settings)
        check_weights(crf, max_memory)
        return self.fit_shards(crf, placed.each("aim"), edges, scheme, chain)

    def fit_shards(
        self,
        crf: SummedCrf,
        aims: Sequence[Aim],
        edges: FloatArray,
        scheme: LabelScheme,
        chain: Chain | None = None,
    ) -> Tagger:
        """The same over parts that have an aim; edges (M, M): wanted label pairs of all of them."""
        optimum = crf.train(aims, edges, self.c2, self.minimiser)
        return self.tagger(crf.frame, scheme, optimum.weights, chain or Chain(scheme))

    def chain(self, corpus: Corpus, targets: IntArray | Targets) -> Chain:
        """The labels inside the CRF that `fit` would train: finer than the corpus' own for hard valid tags.

        Probabilities of IOB2 tags do not say where spans end, so soft targets keep to their own labels.
        """
        if isinstance(targets, Targets):
            return Chain(corpus.scheme)
        valid = corpus.scheme.is_valid(checked_tags(targets, corpus), corpus.offsets)
        return Chain.of_scheme(corpus.scheme, self.chunks if valid else "own")

    def prepare(
        self,
        corpus: Corpus,
        targets: IntArray | Targets,
        sentence_weights: FloatArray | None = None,
        chain: Chain | None = None,
    ) -> tuple[CrfProblem, Targets, FloatArray]:
        """The problem, its targets and sentence weights, in the labels of a chain or the corpus' own."""
        inside = chain or Chain(corpus.scheme)
        wanted, weights = self.wanted(corpus, targets, sentence_weights, inside)
        problem = CrfProblem.build(
            Passage.of_text(corpus.text),
            ChainRules(inside.allowed, inside.starts, inside.ends),
            self.feature_settings,
            support=wanted.unary,
        )
        return problem, wanted, weights

    def wanted(
        self,
        corpus: Corpus,
        targets: IntArray | Targets,
        sentence_weights: FloatArray | None,
        inside: Chain,
    ) -> tuple[Targets, FloatArray]:
        """Targets in the labels of a chain, and (N,) how much each sentence counts."""
        if len(corpus) == 0 or corpus.n_tokens == 0:
            raise AnnotationError("there is nothing to train on: the corpus has no tokens")
        wanted = _as_targets(targets, corpus, inside)
        if wanted.unary.shape != (corpus.n_tokens, len(inside)):
            raise AnnotationError(
                f"targets of shape {wanted.unary.shape} do not fit the corpus: "
                f"{corpus.n_tokens} tokens, {len(inside)} labels"
            )
        weights = wanted.labelled(corpus.offsets).astype(np.float64)
        if sentence_weights is not None:
            given = np.asarray(sentence_weights, float)
            if given.shape != weights.shape or not (np.isfinite(given) & (given >= 0.0)).all():
                raise SettingsError(f"sentence weights must be {len(weights)} numbers not below 0")
            weights *= given
        return wanted, weights

    def tagger(
        self,
        problem: CrfProblem | WeightFrame,
        scheme: LabelScheme,
        weights: FloatArray,
        chain: Chain | None = None,
    ) -> Tagger:
        """The tagger that these weights make; chain: the labels of the problem, if not the scheme's."""
        frame = problem.frame if isinstance(problem, CrfProblem) else problem
        streams = tuple(
            _without_zeros(
                StreamWeights(
                    stream.name,
                    stream.offsets,
                    stream.pieces,
                    stream.bounds,
                    stream.labels,
                    weights[frame.pair_starts[number] : frame.pair_starts[number + 1]],
                )
            )
            for number, stream in enumerate(frame.streams)
        )
        return Tagger(scheme, self.feature_settings, streams, frame.transitions(weights), chain)


_WEIGHT_COPIES = 25  # of the vector of weights, alive at the widest moment of L-BFGS


def check_weights(crf: SummedCrf, max_memory: float | None) -> None:
    """Refuse a training whose weights alone would take more megabytes than a run may."""
    needed = 8e-6 * _WEIGHT_COPIES * crf.frame.n_weights
    if max_memory is not None and needed > max_memory:
        raise SettingsError(
            f"the {crf.frame.n_weights:,} weights of the tagger need about {needed:,.0f} MB, more than "
            f"max_memory allows ({max_memory:,.0f} MB): allow more,",
            Advice("or train none with {no_tagger}", no_tagger="").or_in_python("or say tagger=False"),
        )


def _as_targets(targets: IntArray | Targets, corpus: Corpus, chain: Chain) -> Targets:
    if isinstance(targets, Targets):
        return targets
    tags = chain.refine(checked_tags(targets, corpus), corpus.offsets, corpus.scheme)
    return Targets.of_tags(tags, corpus.offsets, len(chain))


def _without_zeros(stream: StreamWeights) -> StreamWeights:
    """Without pairs of weight zero and pieces that have no other: an L1 penalty leaves many."""
    width = len(stream.offsets)
    stays = stream.pair_weights != 0.0
    running = np.concatenate([[0], np.cumsum(stays)])
    counts = np.diff(running[stream.pair_bounds]).reshape(len(stream.pieces), width)
    kept = counts.sum(axis=1) > 0
    bounds = np.concatenate([[0], np.cumsum(counts[kept].ravel())]).astype(np.int64)
    pieces = tuple(piece for piece, used in zip(stream.pieces, kept.tolist(), strict=True) if used)
    return StreamWeights(
        stream.name,
        stream.offsets,
        pieces,
        bounds,
        np.ascontiguousarray(stream.pair_labels[stays]),
        np.ascontiguousarray(stream.pair_weights[stays]),
    )
