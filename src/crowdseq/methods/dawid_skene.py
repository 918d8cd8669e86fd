"""Dawid-Skene: one confusion matrix per annotator, tokens taken one by one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.contract import (
    RunContext,
    ShardedAggregator,
    method,
    require,
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


@method("dawid-skene")
@dataclass(frozen=True, kw_only=True)
class DawidSkene(ShardedAggregator):
    """Learns who confuses what with what, and believes annotators accordingly (Dawid and Skene 1979).

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    smoothing: prior count of every cell of a confusion matrix and of every class share.
    diagonal: further prior count of a right vote: how far annotators are trusted before they are known.
    gold: whether tokens with known gold are held at it and so teach the confusions.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    shard_tokens: a longer corpus is worked on in shards of whole documents with so many tokens.
    """

    rounds: int = 100
    tolerance: float = 1e-6
    smoothing: float = 0.01
    diagonal: float = 0.0
    gold: bool = False
    silence: str = "labelled"
    kinship: bool = False
    shard_tokens: int = SHARD_TOKENS

    def __post_init__(self) -> None:
        require_shard_tokens(self.shard_tokens)
        require_silence(self.silence)
        require_rounds(self.rounds, self.tolerance)
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0 to keep rows alive")
        require(self.diagonal >= 0, f"diagonal is {self.diagonal}, it cannot be negative")

    @property
    def monotone(self) -> bool:
        return True

    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        crowd = Crowd.of(corpus, context, self, bayes=False)
        prior = self.smoothing + self.diagonal * np.eye(crowd.n_labels)
        tokens = TokenRounds.of(crowd, crowd.confusions(prior), self.smoothing)
        return settle_from_shares(tokens, rounds=self.rounds, tolerance=self.tolerance, context=context)
