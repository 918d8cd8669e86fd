"""Gold: train on the known true tags, the ceiling that crowd methods are measured against."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.contract import JointAggregator, Learned, RunContext, method
from crowdseq.aggregation.settling import best_valid_tags, settle
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.blocks import using_threads
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import Context, SequenceTagger


@method("gold")
@dataclass(frozen=True, kw_only=True)
class Gold(JointAggregator):
    """Trains the tagger on gold tags and ignores the crowd: the ceiling of a comparison.

    Gold that breaks the label scheme is made valid first. Sentences without complete gold are not trained on;
    they get the tagger's own answer. features, c1, c2, max_iterations, chunks: as in CrfTrainer.
    """

    can_use_knowledge = True

    features: str = "full"
    c1: float = 0.0
    c2: float = CrfTrainer.c2
    max_iterations: int = 300
    chunks: str = CrfTrainer.chunks

    def __post_init__(self) -> None:
        self._trainer()

    def _trainer(self) -> CrfTrainer:
        return CrfTrainer(
            features=self.features,
            c1=self.c1,
            c2=self.c2,
            max_iterations=self.max_iterations,
            chunks=self.chunks,
        )

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        known = corpus.gold_tags >= 0
        truth = np.full((corpus.n_tokens, len(corpus.scheme)), 1.0 / max(len(corpus.scheme), 1))
        truth[known] = np.eye(len(corpus.scheme))[corpus.gold_tags[known]]
        if not known.any():
            return Learned(settle(corpus, truth), None)
        context.progress("training on gold", 0, 1)
        tags = np.where(known, best_valid_tags(corpus, truth), np.int16(-1))
        with using_threads(context.engine.threads):
            trainer = self._trainer().knowing(context.knowledge)
            tagger = trainer.fit(corpus, tags, engine=context.engine)
        context.progress("training on gold", 1, 1)
        if not known.all():
            truth[~known] = _guesses(tagger, corpus)[~known]
        return Learned(settle(corpus, truth), tagger)


def _guesses(tagger: SequenceTagger, corpus: Corpus) -> FloatArray:
    """(T, M) what the tagger thinks of every token."""
    return np.concatenate(tagger.marginals_many(list(corpus.text.tokens), Context.of_text(corpus.text)))
