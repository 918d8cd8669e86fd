"""IBCC: Dawid-Skene with beliefs instead of points, by variational Bayes."""

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


@method("ibcc")
@dataclass(frozen=True, kw_only=True)
class Ibcc(Aggregator):
    """Weighs votes by beliefs about every annotator's confusions, so that little evidence weighs little.

    (Kim and Ghahramani 2012; variational form of Simpson et al. 2013.)

    rounds: variational rounds at most. tolerance: relative change of the bound at which to stop.
    off_diagonal: prior count of all wrong votes of a truth together, spread evenly.
    diagonal: prior count of a right vote.
    share_prior: prior count of every label among the truths.
    gold: whether tokens with known gold are held at it and so teach the confusions.
    """

    rounds: int = 100
    tolerance: float = 1e-6
    off_diagonal: float = 0.1
    diagonal: float = 0.9
    share_prior: float = 1.0
    gold: bool = False

    def __post_init__(self) -> None:
        require(self.rounds >= 1, f"rounds is {self.rounds}, it must be at least 1")
        require(self.tolerance >= 0, f"tolerance is {self.tolerance}, it cannot be negative")
        for name in ("off_diagonal", "diagonal", "share_prior"):
            value = getattr(self, name)
            require(value > 0, f"{name} is {value}, a prior count must be above 0")

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
        wrong = self.off_diagonal / max(n_labels - 1, 1)
        model = Confusions(
            annotators=votes.annotators,
            labels=votes.labels,
            n_annotators=len(corpus.annotators),
            prior=np.full((n_labels, n_labels), wrong) + (self.diagonal - wrong) * np.eye(n_labels),
            bayes=True,
        )
        gold = corpus.gold_tags if self.gold else np.full(corpus.n_tokens, -1)
        return CrowdTokens.build(model, votes.tokens, gold, share_prior=self.share_prior, bayes=True)
