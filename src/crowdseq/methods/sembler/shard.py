"""SemblerShard: the votes and the text of one shard, as Sembler sees them."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.aggregation.canonical import open_ordered
from crowdseq.aggregation.crowd_shard import Coding, CrowdShard
from crowdseq.aggregation.settling import best_valid_tags, scheme_scores
from crowdseq.aggregation.stored import write_settled
from crowdseq.aggregation.voting import label_counts
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import asks_only
from crowdseq.engines.shards import (
    AnyShard,
    Kept,
)
from crowdseq.evaluation.kinship import Kin
from crowdseq.numerics.chains.candidates import with_paths
from crowdseq.numerics.chains.chain import Lattice, log_partition, marginals
from crowdseq.tagging.summed_crf import Aim, CrfPart
from crowdseq.tagging.weight_frame import ChainRules

if TYPE_CHECKING:
    from crowdseq.methods.sembler import Sembler

# What a label without votes gets in the first guess, beside shares of votes that sum to one.
_FIRST_DOUBT = 1e-3


class SemblerShard:
    """The votes and the text of one shard, and what is believed of its tokens.

    barred (T, M): minus infinity where a label is no candidate.
    """

    crf: CrfPart

    def __init__(self, recipe: "Sembler", order: IntArray | None, shard: AnyShard) -> None:
        self.crowd = CrowdShard(recipe.gold, open_ordered(shard, order))
        self.look, self._recipe = self.crowd.look, recipe
        self._states: Kept[FloatArray] = Kept()

    def hear(self, silent: BoolArray | None, kin: tuple[Kin, ...]) -> None:
        """See `CrowdShard`."""
        self.crowd.hear(silent, kin)

    @property
    def _corpus(self) -> Corpus:
        return self.crowd.corpus

    def open(self, coding: Coding) -> None:
        """Everything that stays the same from round to round."""
        corpus, counts = self._corpus, label_counts(self._corpus)
        open_to = _candidates(self._recipe, corpus, counts)
        support = np.where(open_to, 1.0, 0.0) if self._recipe.candidates == "voted" else counts
        features = self._recipe.trainer.feature_settings
        self.crf = CrfPart(corpus.text, ChainRules.of_scheme(corpus.scheme), features, support)
        self._votes = self.crowd.vote_table(coding)
        self.barred = np.where(open_to, 0.0, -np.inf)

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these versions of the truth alone."""
        self._states.forget_others(alive)

    def start(self, version: int, totals: FloatArray) -> FloatArray:
        """Shares of votes, made to keep the rules of the scheme; (M, M) their label pairs."""
        scores = np.log(self.crowd.first_shares(totals) + _FIRST_DOUBT) + self.barred
        first = marginals(Lattice(scores, self._corpus.offsets, *scheme_scores(self._corpus.scheme)))
        self._states[version] = first.unary
        return first.pairwise

    def aim(self, version: int) -> tuple[FloatArray, Aim]:
        """Expected counts (C, M) of the kinds of votes; and the CRF learns from the same truth."""
        truth = self._states[version]
        return self._votes.gather(truth), self.crf.aim(truth, np.ones(len(self._corpus)))

    def expect(self, version: int, told: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, float, float]:
        """A new truth under weights and (C, M) scores of kinds: label pairs (M, M), and the summed
        log-partitions with and without the votes."""
        weights, scores = told
        free = self.crf.problem.lattice(weights)
        clamped = self.crf.problem.lattice(weights, self._votes.fold(scores) + self.barred)
        found = marginals(clamped)
        self._states[version] = found.unary
        return found.pairwise, float(found.log_partition.sum()), float(log_partition(free).sum())

    @asks_only
    def truth(self, version: int) -> FloatArray:
        """(T, M)."""
        return self._states[version]

    @asks_only
    def write(self, folder: Path, version: int) -> None:
        """Settle it, and write that."""
        truth = self._states[version]
        write_settled(folder, self.crowd.number, best_valid_tags(self._corpus, truth), truth)


def _candidates(recipe: "Sembler", corpus: Corpus, counts: FloatArray) -> BoolArray:
    """(T, M) which labels a token may have; opened where no valid sequence would be left."""
    mask = np.ones(counts.shape, np.bool_)
    if recipe.candidates == "voted":
        mask = (counts > 0) | (counts.sum(axis=1, keepdims=True) == 0)
        if recipe.silence != "labelled":  # where silence is no vote, a mark alone rules nothing out
            mask[:, corpus.scheme.outside] |= corpus.scheme.outside >= 0
    if recipe.gold:
        known = np.flatnonzero(corpus.gold_tags >= 0)
        mask[known] = False
        mask[known, corpus.gold_tags[known]] = True
    scheme = corpus.scheme
    return with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends).mask
