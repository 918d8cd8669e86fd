"""Gold: train on the known true tags, the ceiling that crowd methods are measured against."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crowdseq.aggregation.contract import (
    JointAggregator,
    Learned,
    RunContext,
    check_memory,
    crf_megabytes,
    method,
    store_learned,
)
from crowdseq.aggregation.settling import best_valid_tags, settle
from crowdseq.aggregation.stored import StoredLearned, judge_stored, write_settled
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import asks_only
from crowdseq.engines.shard_files import StoredCorpus, StoredShard
from crowdseq.engines.shards import CorpusFacts
from crowdseq.numerics.blocks import using_threads
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import Context, SequenceTagger
from crowdseq.tagging.tagger import Tagger


@method("gold")
@dataclass(frozen=True, kw_only=True)
class Gold(JointAggregator):
    """Trains the tagger on gold tags and ignores the crowd: the ceiling of a comparison.

    Gold that breaks the label scheme is made valid first. Sentences without complete gold are not trained on;
    they get the tagger's own answer. features, c1, c2, max_iterations, chunks: as in CrfTrainer.
    """

    can_use_knowledge = True
    can_bound_memory = True
    can_shard = True

    features: str = "full"
    c1: float = 0.0
    c2: float = CrfTrainer.c2
    max_iterations: int = 300
    chunks: str = CrfTrainer.chunks

    def __post_init__(self) -> None:
        self.trainer()

    def trainer(self) -> CrfTrainer:
        """What learns from the gold."""
        return CrfTrainer(
            features=self.features,
            c1=self.c1,
            c2=self.c2,
            max_iterations=self.max_iterations,
            chunks=self.chunks,
        )

    def megabytes(self, facts: CorpusFacts) -> float:
        return super().megabytes(facts) + crf_megabytes(facts)

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        check_memory(self, CorpusFacts.of(corpus), context)
        truth, known = _truth(corpus)
        if not known.any():
            return Learned(settle(corpus, truth), None)
        context.progress("training on gold", 0, 1)
        tags = np.where(known, best_valid_tags(corpus, truth), np.int16(-1))
        with using_threads(context.engine.threads):
            trainer = self.trainer().knowing(context.knowledge)
            tagger = trainer.fit(corpus, tags, engine=context.engine)
        context.progress("training on gold", 1, 1)
        if not known.all():
            truth[~known] = _guesses(tagger, corpus)[~known]
        return Learned(settle(corpus, truth), tagger)

    def learn_stored(self, stored: StoredCorpus, context: RunContext) -> StoredLearned:
        if len(stored.shards) == 1:
            return store_learned(self.learn(stored.open_shard(0), context), stored, context)
        facts, folder, tagger = stored.facts, context.folder, None
        check_memory(self, facts, context, len(stored.shards))
        placed = context.engine.place(GoldShard, stored.shards)
        n_known = sum(placed.each("n_known"))
        if n_known:
            context.progress("training on gold", 0, 1)
            trainer = self.trainer().knowing(context.knowledge)
            with using_threads(context.engine.threads):
                tagger = trainer.fit_stored(
                    stored.shards, wanted_gold, facts.scheme, context.engine, context.max_memory
                )
            context.progress("training on gold", 1, 1)
        placed.each("write", folder, tagger if n_known < facts.n_tokens else None)
        return StoredLearned(judge_stored(stored, folder, context.engine), tagger)


class GoldShard:
    """The gold of one shard on disk."""

    def __init__(self, shard: StoredShard) -> None:
        self._shard = shard

    @asks_only
    def n_known(self) -> int:
        """How many tokens have gold."""
        return int((self._shard.corpus.gold_tags >= 0).sum())

    @asks_only
    def write(self, folder: Path, tagger: Tagger | None) -> None:
        """Write the gold, and what the tagger says where there is none."""
        corpus = self._shard.corpus
        truth, known = _truth(corpus)
        if tagger is not None and not known.all():
            truth[~known] = _guesses(tagger, corpus)[~known]
        write_settled(folder, self._shard.number, best_valid_tags(corpus, truth), truth)


def wanted_gold(shard: StoredShard) -> tuple[Corpus, IntArray]:
    """A shard and its gold tags, made valid; -1 where there are none."""
    corpus = shard.corpus
    truth, known = _truth(corpus)
    return corpus, np.where(known, best_valid_tags(corpus, truth), np.int16(-1))


def _truth(corpus: Corpus) -> tuple[FloatArray, BoolArray]:
    """(T, M) gold as probabilities, even where there is none, and (T,) where there is."""
    known = corpus.gold_tags >= 0
    truth = np.full((corpus.n_tokens, len(corpus.scheme)), 1.0 / max(len(corpus.scheme), 1))
    truth[known] = np.eye(len(corpus.scheme))[corpus.gold_tags[known]]
    return truth, known


def _guesses(tagger: SequenceTagger, corpus: Corpus) -> FloatArray:
    """(T, M) what the tagger thinks of every token."""
    return np.concatenate(tagger.marginals_many(list(corpus.text.tokens), Context.of_text(corpus.text)))
