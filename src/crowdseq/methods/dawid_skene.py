"""Dawid-Skene: one confusion matrix per annotator, tokens taken one by one."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.contract import Aggregator, method, require
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.categorical import normalise, softmax
from crowdseq.numerics.em import Progress, climb, quiet
from crowdseq.numerics.votes import VoteTable


@method("dawid-skene")
@dataclass(frozen=True, kw_only=True)
class DawidSkene(Aggregator):
    """Learns who confuses what with what, and believes annotators accordingly (Dawid and Skene 1979).

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    smoothing: added to every count of the class shares and of the confusion rows.
    gold: whether tokens with known gold are held at it and so teach the confusions.
    """

    rounds: int = 100
    tolerance: float = 1e-6
    smoothing: float = 0.01
    gold: bool = False

    def __post_init__(self) -> None:
        require(self.rounds >= 1, f"rounds is {self.rounds}, it must be at least 1")
        require(self.tolerance >= 0, f"tolerance is {self.tolerance}, it cannot be negative")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0 to keep rows alive")

    @property
    def monotone(self) -> bool:
        return True

    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet) -> Consensus:
        if corpus.n_tokens == 0:
            return settle(corpus, np.zeros((0, len(corpus.scheme))))
        crowd = _Crowd.of(corpus, clamp=self.gold)

        def step(truth: FloatArray) -> tuple[FloatArray, float]:
            return crowd.expect(*crowd.maximise(truth, self.smoothing), self.smoothing)

        start = crowd.clamp_gold(label_shares(corpus))
        end = climb(step, start, rounds=self.rounds, tolerance=self.tolerance, progress=progress)
        shares, confusions = crowd.maximise(end.state, self.smoothing)
        return settle(corpus, end.state, history=end.history, class_shares=shares, confusions=confusions)


@dataclass(frozen=True, eq=False)
class _Crowd:
    """Votes as kinds (annotator, label), number k * M + label, with the tokens held at gold."""

    table: VoteTable
    n_annotators: int
    n_labels: int
    held: IntArray
    held_tags: IntArray

    @classmethod
    def of(cls, corpus: Corpus, *, clamp: bool) -> "_Crowd":
        votes, n_labels = corpus.annotations.votes(), len(corpus.scheme)
        kinds = votes.annotators.astype(np.int64) * n_labels + votes.labels
        n_annotators = len(corpus.annotators)
        table = VoteTable.build(votes.tokens, kinds, corpus.n_tokens, n_annotators * n_labels)
        held = np.flatnonzero(corpus.gold_tags >= 0) if clamp else np.zeros(0, np.int64)
        return cls(table, n_annotators, n_labels, held, corpus.gold_tags[held])

    def clamp_gold(self, truth: FloatArray) -> FloatArray:
        truth[self.held] = 0.0
        truth[self.held, self.held_tags] = 1.0
        return truth

    def maximise(self, truth: FloatArray, smoothing: float) -> tuple[FloatArray, FloatArray]:
        """(M,) class shares and (K, M, M) confusions, truth by given label."""
        shares = normalise(truth.sum(axis=0) + smoothing)
        counts = self.table.gather(truth).reshape(self.n_annotators, self.n_labels, self.n_labels)
        return shares, normalise(counts.transpose(0, 2, 1) + smoothing)

    def expect(
        self, shares: FloatArray, confusions: FloatArray, smoothing: float
    ) -> tuple[FloatArray, float]:
        """(T, M) truth, and the penalised log-likelihood that EM never lowers."""
        rows = np.log(confusions).transpose(0, 2, 1).reshape(-1, self.n_labels)
        scores = self.table.fold(rows) + np.log(shares)
        truth, evidence = softmax(scores)
        evidence[self.held] = scores[self.held, self.held_tags]
        prior = smoothing * (np.log(shares).sum() + np.log(confusions).sum())
        return self.clamp_gold(truth), float(evidence.sum() + prior)
