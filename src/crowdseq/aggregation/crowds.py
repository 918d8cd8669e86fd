"""Crowd: the votes of a corpus in the forms that the annotator models of `numerics` take."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.annotations import Votes
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.crowds.annotator_models import Accuracies, AnnotatorModel, Spamming
from crowdseq.numerics.crowds.confusions import Confusions
from crowdseq.numerics.crowds.crowd_chain import ChainPrior, CrowdChain
from crowdseq.numerics.crowds.crowd_tokens import CrowdTokens
from crowdseq.numerics.em import Progress


@dataclass(frozen=True, eq=False)
class Crowd:
    """A corpus, its votes one by one, and (T,) the labels at which tokens are held, -1 for none.

    bayes: whether models hold beliefs (variational Bayes) or points (EM).
    """

    corpus: Corpus
    votes: Votes
    gold: IntArray
    bayes: bool

    @classmethod
    def of(cls, corpus: Corpus, *, gold: bool, bayes: bool) -> "Crowd":
        """gold: whether tokens with known gold are held at it."""
        held = corpus.gold_tags if gold else np.full(corpus.n_tokens, -1)
        return cls(corpus, corpus.annotations.votes(), held, bayes)

    @property
    def n_labels(self) -> int:
        return len(self.corpus.scheme)

    def confusions(
        self, prior: FloatArray, contexts: IntArray | None = None, scale: FloatArray | None = None
    ) -> Confusions:
        """A confusion matrix each, or one for each context; see `Confusions`."""
        return Confusions(
            annotators=self.votes.annotators,
            labels=self.votes.labels,
            n_annotators=len(self.corpus.annotators),
            prior=prior,
            bayes=self.bayes,
            contexts=contexts,
            scale=scale,
        )

    def accuracies(self, classes: IntArray, *, right: float, wrong: float) -> Accuracies:
        """An accuracy each for every class of truths; see `Accuracies`."""
        return Accuracies(
            annotators=self.votes.annotators,
            labels=self.votes.labels,
            n_annotators=len(self.corpus.annotators),
            classes=classes,
            right=right,
            wrong=wrong,
            bayes=self.bayes,
        )

    def spamming(self, *, knows: float, guesses: float, habit: float) -> Spamming:
        """Knowledge and a habit each; see `Spamming`."""
        return Spamming(
            annotators=self.votes.annotators,
            labels=self.votes.labels,
            n_annotators=len(self.corpus.annotators),
            n_labels=self.n_labels,
            knows=knows,
            guesses=guesses,
            habit=habit,
            bayes=self.bayes,
        )

    def tokens(self, model: AnnotatorModel, share_prior: float | None) -> CrowdTokens:
        """Every token on its own; see `CrowdTokens`."""
        return CrowdTokens.build(
            model, self.votes.tokens, self.gold, share_prior=share_prior, bayes=self.bayes
        )

    def chain(self, model: AnnotatorModel, prior: ChainPrior, words: IntArray | None) -> CrowdChain:
        """Sentences as chains of truths, with (T,) numbers of words if they take part; see `CrowdChain`."""
        return CrowdChain.build(
            model, self.votes.tokens, self.corpus.offsets, self.gold, prior, word_ids=words
        )


def settle_from_shares(
    corpus: Corpus, tokens: CrowdTokens, *, rounds: int, tolerance: float, progress: Progress
) -> Consensus:
    """The consensus that a climb from the shares of votes ends in."""
    if corpus.n_tokens == 0:
        return settle(corpus, label_shares(corpus))
    start = tokens.start(label_shares(corpus))
    end = tokens.climb(start, rounds=rounds, tolerance=tolerance, progress=progress)
    return settle(corpus, tokens.spread(end.state), history=end.history, **tokens.describe(end.state))
