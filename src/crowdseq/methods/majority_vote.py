"""Majority vote: count."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from crowdseq.aggregation.contract import (
    Aggregator,
    RunContext,
    check_memory,
    method,
    require,
    require_silence,
)
from crowdseq.aggregation.crowd_shard import CrowdShard
from crowdseq.aggregation.settling import best_valid_tags, entities_first, settle
from crowdseq.aggregation.stored import StoredConsensus, judge_stored, store_consensus, write_settled
from crowdseq.aggregation.surveys import hear_crowd
from crowdseq.aggregation.voting import shares_of_counts, span_shares
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.engine import asks_only
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.engines.shards import CorpusFacts, add_up
from crowdseq.evaluation.crowd_profile import hear
from crowdseq.evaluation.kinship import find_kin, vote_weights
from crowdseq.numerics.crowds.votes import count_votes

TIES = ("entity-first", "o-first", "random")
UNITS = ("token", "span")


@method("majority-vote")
@dataclass(frozen=True, kw_only=True)
class MajorityVote(Aggregator):
    """Every annotator has one vote; the tag with the most votes wins.

    ties: who wins when counts are equal: `entity-first` (an entity before O, then label order), `o-first`, or
        `random` (drawn with `seed`).
    unit: count votes for each `token`, or for whole `span`s that more than half of the annotators gave.
    seed: for `ties="random"`.
    silence: whether to leave a token outside is a vote for O (`labelled`), none where somebody marked it
        (`abstains`, for labelling functions), or `auto`, which tells from the crowd.
    kinship: whether annotators who agree more than independent ones would count once between them.
    """

    can_bound_memory = True
    can_shard = True

    ties: str = "entity-first"
    unit: str = "token"
    seed: int = 0
    silence: str = "labelled"
    kinship: bool = False

    def __post_init__(self) -> None:
        require(self.ties in TIES, f"ties is '{self.ties}', choose one of {', '.join(TIES)}")
        require(self.unit in UNITS, f"unit is '{self.unit}', choose one of {', '.join(UNITS)}")
        require_silence(self.silence)
        alike = self.unit == "token" or (self.silence == "labelled" and not self.kinship)
        require(alike, "silence and kinship weigh the votes for tokens, choose unit token for them")

    @property
    def draws(self) -> bool:
        return self.ties == "random"

    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        check_memory(self, CorpusFacts.of(corpus), context)
        shares = self._shares(corpus) if self.unit == "token" else span_shares(corpus)
        context.progress("counting votes", 1, 1)
        if self.ties == "random":
            shares = _shuffle_ties(shares, self.seed)
        order = _tie_order(corpus.scheme, self.ties)
        return settle(corpus, shares, tie_order=order, raw_tag_ids=_winners(shares, order))

    def aggregate_stored(self, stored: StoredCorpus, context: RunContext) -> StoredConsensus:
        if len(stored.shards) == 1:
            return store_consensus(self.aggregate(stored.open_shard(0), context), stored, context.folder)
        self.write_shards(stored, context, range(len(stored.shards)))
        return judge_stored(stored, context.folder, context.engine)

    def write_shards(self, stored: StoredCorpus, context: RunContext, numbers: Iterable[int]) -> None:
        """Settle some shards of a corpus on disk and write that; all of them are counted."""
        check_memory(self, stored.facts, context, len(stored.shards))
        placed = context.engine.place(partial(MajorityShard, False), stored.shards)
        hear_crowd(placed, stored.facts, silence=self.silence, kinship=self.kinship)
        totals = add_up(placed.each("label_totals"))
        placed.each("write_votes", context.folder, self, totals, frozenset(numbers))
        context.progress("counting votes", 1, 1)

    def tags(self, corpus: Corpus, shares: FloatArray) -> tuple[IntArray, IntArray]:
        """(T,) the settled tags, and those with the most votes."""
        order = _tie_order(corpus.scheme, self.ties)
        return best_valid_tags(corpus, shares, order), _winners(shares, order)

    def _shares(self, corpus: Corpus) -> FloatArray:
        """(T, M) shares of the votes that count."""
        heard, kin = hear(corpus, self.silence), find_kin(corpus) if self.kinship else ()
        votes, shape = heard.annotations.votes(), (corpus.n_tokens, len(corpus.scheme))
        counts = count_votes(votes.tokens, votes.labels, *shape, vote_weights(heard, kin))
        return shares_of_counts(counts, counts.sum(axis=0), corpus.scheme)


class MajorityShard(CrowdShard):
    """The votes of a shard on disk."""

    @asks_only
    def write_votes(
        self, folder: Path, recipe: MajorityVote, totals: FloatArray, numbers: frozenset[int]
    ) -> None:
        """Settle the shard if it is one of these; totals (M,): votes of all shards."""
        if self.number not in numbers:
            return
        shares = self.first_shares(totals) if recipe.unit == "token" else span_shares(self.corpus)
        if recipe.ties == "random":
            shares = _shuffle_ties(shares, (recipe.seed, self.number))
        settled, raw = recipe.tags(self.corpus, shares)
        write_settled(folder, self.number, settled, shares, raw_tag_ids=raw)


def _tie_order(scheme: LabelScheme, ties: str) -> list[int]:
    return entities_first(scheme) if ties == "entity-first" else list(range(len(scheme)))


def _winners(shares: FloatArray, order: list[int]) -> IntArray:
    """(T,) the tag with the largest share, whether or not the sequence is valid."""
    if not order:
        return np.zeros(len(shares), np.int16)
    return np.asarray(np.asarray(order, np.int16)[np.argmax(shares[:, order], axis=1)])


def _shuffle_ties(shares: FloatArray, seed: int | tuple[int, int]) -> FloatArray:
    """A nudge of chance on the leading labels, far below the smallest difference that one vote makes."""
    noise = np.random.default_rng(seed).random(shares.shape)
    nudged = shares + np.where(shares == shares.max(axis=1, keepdims=True), 1e-6 * noise, 0.0)
    return np.asarray(nudged / nudged.sum(axis=1, keepdims=True))
