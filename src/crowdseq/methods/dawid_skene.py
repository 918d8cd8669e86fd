"""Dawid-Skene: one confusion matrix per annotator, tokens taken one by one."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.contract import Aggregator, method, require
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.confusions import Confusions
from crowdseq.numerics.crowd_tokens import CrowdTokens
from crowdseq.numerics.em import Progress, quiet


@method("dawid-skene")
@dataclass(frozen=True, kw_only=True)
class DawidSkene(Aggregator):
    """Learns who confuses what with what, and believes annotators accordingly (Dawid and Skene 1979).

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    smoothing: prior count of every cell of a confusion matrix and of every class share.
    diagonal: further prior count of a right vote: how far annotators are trusted before they are known.
    gold: whether tokens with known gold are held at it and so teach the confusions.
    """

    rounds: int = 100
    tolerance: float = 1e-6
    smoothing: float = 0.01
    diagonal: float = 0.0
    gold: bool = False

    def __post_init__(self) -> None:
        require(self.rounds >= 1, f"rounds is {self.rounds}, it must be at least 1")
        require(self.tolerance >= 0, f"tolerance is {self.tolerance}, it cannot be negative")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0 to keep rows alive")
        require(self.diagonal >= 0, f"diagonal is {self.diagonal}, it cannot be negative")

    @property
    def monotone(self) -> bool:
        return True

    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet) -> Consensus:
        if corpus.n_tokens == 0:
            return settle(corpus, np.zeros((0, len(corpus.scheme))))
        crowd = self._crowd(corpus)
        start = crowd.start(label_shares(corpus))
        end = crowd.climb(start, rounds=self.rounds, tolerance=self.tolerance, progress=progress)
        return settle(corpus, crowd.spread(end.state), history=end.history, **crowd.describe(end.state))

    def _crowd(self, corpus: Corpus) -> CrowdTokens:
        votes, n_labels = corpus.annotations.votes(), len(corpus.scheme)
        model = Confusions(
            annotators=votes.annotators,
            labels=votes.labels,
            n_annotators=len(corpus.annotators),
            prior=self.smoothing + self.diagonal * np.eye(n_labels),
            bayes=False,
        )
        gold = corpus.gold_tags if self.gold else np.full(corpus.n_tokens, -1)
        return CrowdTokens.build(model, votes.tokens, gold, share_prior=self.smoothing, bayes=False)
