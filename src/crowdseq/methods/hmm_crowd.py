"""HMM-Crowd: a hidden Markov chain of truths that gives words and votes."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.contract import Aggregator, method, require
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.annotations import Votes
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.annotator_models import Accuracies, AnnotatorModel
from crowdseq.numerics.confusions import Confusions
from crowdseq.numerics.crowd_chain import ChainPrior, CrowdChain
from crowdseq.numerics.crowd_tokens import CrowdTokens
from crowdseq.numerics.em import Progress, quiet

ANNOTATORS = ("cv2", "full")


@method("hmm-crowd")
@dataclass(frozen=True, kw_only=True)
class HmmCrowd(Aggregator):
    """Takes the truth as a hidden Markov chain over words, and learns how reliable each annotator is.

    (Nguyen, Wallace, Li, Nenkova and Lease 2017.)

    annotators: `cv2`, one accuracy where the truth is O and one elsewhere (in a plain scheme: one in all), or
        `full`, a confusion matrix each.
    rounds: rounds of the chain. tolerance: relative change of the bound at which to stop.
    start_rounds: rounds of Dawid-Skene that give the first guess of the truth.
    words: whether the words take part. word_prior, transition_prior: prior counts of their cells.
    smoothing: prior count of the cells of the annotators.
    gold: whether tokens with known gold are held at it.
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

    def __post_init__(self) -> None:
        require(self.annotators in ANNOTATORS, f"annotators is '{self.annotators}', choose cv2 or full")
        require(self.rounds >= 1, f"rounds is {self.rounds}, it must be at least 1")
        require(self.start_rounds >= 0, f"start_rounds is {self.start_rounds}, it cannot be negative")
        require(self.tolerance >= 0, f"tolerance is {self.tolerance}, it cannot be negative")
        for name in ("word_prior", "transition_prior", "smoothing"):
            value = getattr(self, name)
            require(value > 0, f"{name} is {value}, a prior count must be above 0")

    @property
    def monotone(self) -> bool:
        return True

    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet) -> Consensus:
        if corpus.n_tokens == 0:
            return settle(corpus, np.zeros((0, len(corpus.scheme))))
        votes = corpus.annotations.votes()
        gold = corpus.gold_tags if self.gold else np.full(corpus.n_tokens, -1)
        chain = self._chain(corpus, votes, gold)
        start = chain.start(self._first_guess(corpus, votes, gold))
        end = chain.climb(start, rounds=self.rounds, tolerance=self.tolerance, progress=progress)
        return settle(corpus, end.state.truth, history=end.history, **chain.describe(end.state))

    def _first_guess(self, corpus: Corpus, votes: Votes, gold: IntArray) -> FloatArray:
        shares = label_shares(corpus)
        if self.start_rounds == 0:
            return shares
        model = _confusions(corpus, votes, self.smoothing)
        crowd = CrowdTokens.build(model, votes.tokens, gold, share_prior=self.smoothing, bayes=False)
        return crowd.spread(crowd.climb(crowd.start(shares), rounds=self.start_rounds, tolerance=0.0).state)

    def _chain(self, corpus: Corpus, votes: Votes, gold: IntArray) -> CrowdChain:
        n_labels = len(corpus.scheme)
        prior = ChainPrior(
            np.full(n_labels, self.transition_prior),
            np.full((n_labels, n_labels), self.transition_prior),
            self.word_prior,
            np.ones(n_labels, np.bool_),
        )
        words = corpus.text.token_ids if self.words else None
        model = self._model(corpus, votes)
        return CrowdChain.build(model, votes.tokens, corpus.offsets, gold, prior, word_ids=words)

    def _model(self, corpus: Corpus, votes: Votes) -> AnnotatorModel:
        if self.annotators == "full":
            return _confusions(corpus, votes, self.smoothing)
        labels = np.arange(len(corpus.scheme))
        return Accuracies(
            annotators=votes.annotators,
            labels=votes.labels,
            n_annotators=len(corpus.annotators),
            classes=(labels != corpus.scheme.outside).astype(np.int64),
            right=self.smoothing,
            wrong=self.smoothing,
            bayes=False,
        )


def _confusions(corpus: Corpus, votes: Votes, smoothing: float) -> Confusions:
    n_labels = len(corpus.scheme)
    return Confusions(
        annotators=votes.annotators,
        labels=votes.labels,
        n_annotators=len(corpus.annotators),
        prior=np.full((n_labels, n_labels), smoothing),
        bayes=False,
    )
