"""IBCC: Dawid-Skene with beliefs instead of points, by variational Bayes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.contract import (
    RunContext,
    ShardedAggregator,
    method,
    require_prior_counts,
    require_rounds,
    require_shard_tokens,
    require_silence,
)
from crowdseq.aggregation.crowds import Crowd
from crowdseq.aggregation.token_rounds import TokenRounds, settle_from_shares
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus


@method("ibcc")
@dataclass(frozen=True, kw_only=True)
class Ibcc(ShardedAggregator):
    """Weighs votes by beliefs about every annotator's confusions, so that little evidence weighs little.

    (Kim and Ghahramani 2012; variational form of Simpson et al. 2013.)

    rounds: variational rounds at most. tolerance: relative change of the bound at which to stop.
    off_diagonal: prior count of all wrong votes of a truth together, spread evenly.
    diagonal: prior count of a right vote.
    share_prior: prior count of every label among the truths.
    gold: whether tokens with known gold are held at it and so teach the confusions.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    rounds: int = 100
    tolerance: float = 1e-6
    off_diagonal: float = 0.1
    diagonal: float = 0.9
    share_prior: float = 1.0
    gold: bool = False
    silence: str = "labelled"
    kinship: bool = False
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require_rounds(self.rounds, self.tolerance)
        require_prior_counts(
            off_diagonal=self.off_diagonal, diagonal=self.diagonal, share_prior=self.share_prior
        )

    @property
    def monotone(self) -> bool:
        return True

    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        crowd = Crowd.of(corpus, context, self, bayes=True)
        wrong = self.off_diagonal / max(crowd.n_labels - 1, 1)
        even = np.full((crowd.n_labels, crowd.n_labels), wrong)
        prior = even + (self.diagonal - wrong) * np.eye(crowd.n_labels)
        tokens = TokenRounds.of(crowd, crowd.confusions(prior), self.share_prior)
        return settle_from_shares(tokens, rounds=self.rounds, tolerance=self.tolerance, context=context)
