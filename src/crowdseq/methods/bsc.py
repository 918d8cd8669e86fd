"""BSC: a Bayesian chain of truths, and annotators who may remember what they said before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.chain_rounds import ChainRounds
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
from crowdseq.aggregation.crowds import Crowd, Judges
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.shards import SHARD_TOKENS, add_up
from crowdseq.numerics.crowds.crowd_chain import ChainPrior
from crowdseq.tagging.features import short_shape

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

ANNOTATORS = ("acc", "spam", "cv", "cm", "seq")


@method("bsc")
@dataclass(frozen=True, kw_only=True)
class Bsc(ShardedAggregator):
    """Combines votes with beliefs about a chain of truths and about every annotator.

    (Simpson and Gurevych 2019.)

    annotators: what is learned of each: `acc` one accuracy, `spam` knowing or guessing, `cv` an
        accuracy for each truth, `cm` a confusion matrix, `seq` a confusion matrix for each previous
        vote of their own.
    rounds: variational rounds at most. tolerance: relative change of the bound at which to stop.
    cells: prior count of every cell of an annotator's table.
    diagonal: further prior count of a right vote.
    slips: for `seq`, the factor on the prior count of a vote that the scheme forbids after the vote before.
    transitions: prior count of every step of the truth that the scheme allows; others are impossible.
    words: whether the words take part. word_prior: prior count of each word of a label.
    rare_words: words that occur less often than this are taken as one for each shape (Xx, d.d, …).
    gold: whether tokens with known gold are held at it.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    annotators: str = "seq"
    rounds: int = 20
    tolerance: float = 1e-5
    cells: float = 4.0
    diagonal: float = 10.0
    slips: float = 1.0
    transitions: float = 1.0
    words: bool = True
    word_prior: float = 0.15
    rare_words: int = 3
    gold: bool = False
    silence: str = "labelled"
    kinship: bool = False
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        choices = ", ".join(ANNOTATORS)
        require(self.annotators in ANNOTATORS, f"annotators is '{self.annotators}', choose one of {choices}")
        require_rounds(self.rounds, self.tolerance)
        require(self.diagonal >= 0, f"diagonal is {self.diagonal}, it cannot be negative")
        require(self.rare_words >= 0, f"rare_words is {self.rare_words}, it cannot be negative")
        require_prior_counts(
            cells=self.cells, slips=self.slips, transitions=self.transitions, word_prior=self.word_prior
        )

    @property
    def monotone(self) -> bool:
        return True

    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        chain = self._chain(Crowd.of(corpus, context, self, bayes=True))
        end = chain.climb(lambda: None, rounds=self.rounds, tolerance=self.tolerance, context=context)
        return chain.settle(end)

    def _chain(self, crowd: Crowd) -> ChainRounds:
        scheme = crowd.facts.scheme
        prior = ChainPrior(
            np.where(scheme.starts, self.transitions, 0.0),
            np.where(scheme.allowed, self.transitions, 0.0),
            self.word_prior,
            scheme.ends,
        )
        classes = None
        if self.words:
            counts = add_up(crowd.placed.each("word_counts"))
            classes = _word_classes(crowd.cut.words, counts, self.rare_words)
        return ChainRounds.of(crowd, self._judges(crowd), prior, words=self.words, classes=classes)

    def _judges(self, crowd: Crowd) -> Judges:
        n_labels, right = crowd.n_labels, self.cells + self.diagonal
        if self.annotators in ("acc", "cv"):
            classes = np.arange(n_labels) if self.annotators == "cv" else np.zeros(n_labels, np.int64)
            return crowd.accuracies(classes, right=right, wrong=self.cells * max(n_labels - 1, 1))
        if self.annotators == "spam":
            return crowd.spamming(knows=right, guesses=self.cells, habit=self.cells)
        prior = self.cells + self.diagonal * np.eye(n_labels)
        if self.annotators == "cm":
            return crowd.confusions(prior)
        return crowd.confusions(prior, _vote_scale(crowd.facts.scheme, self.slips))


def _vote_scale(scheme: LabelScheme, slips: float) -> FloatArray:
    """(M + 1, M) 1 where the scheme lets a vote follow the one before, the last row for votes without one."""
    allowed = np.vstack([scheme.allowed, scheme.starts[None, :]])
    return np.where(allowed, 1.0, slips)


def _word_classes(words: Sequence[str], counts: IntArray, rare: int) -> IntArray:
    """(W,) a number for each word, shared by rare words of one shape: single words say nothing."""
    classes = np.arange(len(words))
    shapes: dict[str, int] = {}
    for word in np.flatnonzero((counts > 0) & (counts < rare)).tolist():
        shape = short_shape(words[word])[0]
        classes[word] = shapes.setdefault(shape, len(words) + len(shapes))
    return classes
