"""HMM-Crowd: a hidden Markov chain of truths that gives words and votes."""

from dataclasses import dataclass
from functools import partial
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
from crowdseq.aggregation.token_rounds import TokenRounds, TokenState
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS
from crowdseq.numerics.crowds.crowd_chain import ChainPrior

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

ANNOTATORS = ("cv2", "full")


@method("hmm-crowd")
@dataclass(frozen=True, kw_only=True)
class HmmCrowd(ShardedAggregator):
    """Takes the truth as a hidden Markov chain over words, and learns how reliable each annotator is.

    (Nguyen, Wallace, Li, Nenkova and Lease 2017.)

    annotators: `cv2`, one accuracy where the truth is O and one elsewhere (in a plain scheme: one in all), or
        `full`, a confusion matrix each.
    rounds: rounds of the chain. tolerance: relative change of the bound at which to stop.
    start_rounds: rounds of Dawid-Skene that give the first guess of the truth.
    words: whether the words take part. word_prior, transition_prior: prior counts of their cells.
    smoothing: prior count of the cells of the annotators.
    gold: whether tokens with known gold are held at it.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    annotators: str = "cv2"
    rounds: int = 1
    tolerance: float = 1e-6
    start_rounds: int = 5
    words: bool = True
    word_prior: float = 0.1
    transition_prior: float = 0.1
    smoothing: float = 0.01
    gold: bool = False
    silence: str = "labelled"
    kinship: bool = False
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require(self.annotators in ANNOTATORS, f"annotators is '{self.annotators}', choose cv2 or full")
        require(self.start_rounds >= 0, f"start_rounds is {self.start_rounds}, it cannot be negative")
        require_rounds(self.rounds, self.tolerance)
        require_prior_counts(
            word_prior=self.word_prior, transition_prior=self.transition_prior, smoothing=self.smoothing
        )

    @property
    def monotone(self) -> bool:
        return True

    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        # Points for the annotators; the chain itself holds beliefs.
        crowd = Crowd.of(corpus, context, self, bayes=False)
        chain = self._chain(crowd)
        guess = partial(self._first_guess, crowd)
        end = chain.climb(guess, rounds=self.rounds, tolerance=self.tolerance, context=context)
        return chain.settle(end)

    def _first_guess(self, crowd: Crowd) -> TokenState | None:
        if self.start_rounds == 0:
            return None
        tokens = TokenRounds.of(crowd, self._confusions(crowd), self.smoothing)
        return tokens.climb(tokens.start(), rounds=self.start_rounds, tolerance=0.0).state

    def _chain(self, crowd: Crowd) -> ChainRounds:
        n_labels = crowd.n_labels
        prior = ChainPrior(
            np.full(n_labels, self.transition_prior),
            np.full((n_labels, n_labels), self.transition_prior),
            self.word_prior,
            np.ones(n_labels, np.bool_),
        )
        return ChainRounds.of(crowd, self._judges(crowd), prior, words=self.words)

    def _judges(self, crowd: Crowd) -> Judges:
        if self.annotators == "full":
            return self._confusions(crowd)
        inside = np.arange(crowd.n_labels) != crowd.facts.scheme.outside
        return crowd.accuracies(inside.astype(np.int64), right=self.smoothing, wrong=self.smoothing)

    def _confusions(self, crowd: Crowd) -> Judges:
        return crowd.confusions(np.full((crowd.n_labels, crowd.n_labels), self.smoothing))
