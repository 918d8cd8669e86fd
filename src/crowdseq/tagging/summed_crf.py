"""SummedCrf: one CRF over many shards; only active weights and their gradients travel."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import Numbering, add_up
from crowdseq.errors import AnnotationError
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser, Optimum
from crowdseq.tagging.crf_part import Aim
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.inventory import Totals
from crowdseq.tagging.layout import Pairs
from crowdseq.tagging.problem import Objective
from crowdseq.tagging.weight_frame import ChainRules, StreamPairs, WeightFrame


@dataclass(frozen=True, eq=False)
class SummedCrf:
    """The driver of the `CrfPart`s that placed workers have under the name `part`.

    frame: what the weights stand for. numbering: which of them each shard has.
    """

    placed: Placed[Any]
    part: str
    frame: WeightFrame
    numbering: Numbering

    @classmethod
    def build(
        cls, placed: Placed[Any], part: str, n_shards: int, rules: ChainRules, features: FeatureSettings
    ) -> "SummedCrf":
        """Lets the parts agree on their weights."""
        if n_shards == 1:
            frame = placed.each(f"{part}.build_alone")[0]
            return cls(placed, part, frame, Numbering.same(frame.n_weights, 1))
        totals: Sequence[Totals | None] = [None] * n_shards
        if max(features.min_count, features.pair_min_count) > 1:
            totals = _totals(placed.each(f"{part}.count_pieces"))
        listed = placed.each(f"{part}.list_pairs", own=totals)
        united = [_unite(streams, len(rules.starts)) for streams in zip(*listed, strict=True)]
        placed.each(f"{part}.build", own=list(zip(*(stream.pairs for stream in united), strict=True)))
        frame = WeightFrame(tuple(stream.whole for stream in united), rules, np.flatnonzero(rules.allowed))
        transitions = np.arange(frame.n_pairs, frame.n_weights)
        starts = frame.pair_starts[:-1].tolist()
        own = [
            np.concatenate([*map(np.add, owned, starts), transitions])
            for owned in zip(*(stream.own for stream in united), strict=True)
        ]
        return cls(placed, part, frame, Numbering(frame.n_weights, tuple(own)))

    def train(
        self,
        aims: Sequence[Aim],
        edges: FloatArray,
        c2: float,
        search: Minimiser,
        start: FloatArray | None = None,
        memory: Memory | None = None,
    ) -> Optimum:
        """Weights that maximise the expected log-likelihood minus c2 times their squared length.

        aims: what the parts answered when they were told theirs; they rest afterwards. edges (M, M): wanted
        label pairs of all shards. start, memory: go on from an earlier Optimum.
        """
        if not any(aim.counts for aim in aims):
            raise AnnotationError("there is nothing to train on: no sentence has labels")
        begin = np.zeros(self.frame.n_weights) if start is None else start
        optimum = search.minimise(self.objective(aims, edges, c2), begin, memory)
        self.placed.each(f"{self.part}.rest")
        return optimum

    def objective(self, aims: Sequence[Aim], edges: FloatArray, c2: float) -> Objective:
        """What `train` minimises: weights to value and gradient."""
        pairs = Numbering(self.frame.n_pairs, self._own_pairs)
        observed = pairs.add_up([aim.observed for aim in aims])
        return Objective(self.frame, self.partition, self.frame.observed(observed, edges), c2)

    @property
    def _own_pairs(self) -> tuple[IntArray | None, ...]:
        n_learnt = len(self.frame.learnt_transitions)
        return tuple(None if own is None else own[: len(own) - n_learnt] for own in self.numbering.own)

    def partition(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The summed log-partitions of all shards, and their gradient."""
        found = self.placed.each(f"{self.part}.evaluate", own=self.numbering.split(weights))
        gradient = self.numbering.add_up([gradient for _, gradient in found])
        return add_up([value for value, _ in found]), gradient


def _totals(parts: Sequence[Totals]) -> list[Totals]:
    """For each shard how often its pieces occur in all of them."""
    sums: dict[str, Counter[str]] = {name: Counter() for name in parts[0]}
    for part in parts:
        for name, counts in part.items():
            sums[name].update(counts)
    return [
        {name: {piece: sums[name][piece] for piece in counts} for name, counts in part.items()}
        for part in parts
    ]


@dataclass(frozen=True, eq=False)
class _United:
    """One stream over all shards; for each shard the pairs of its pieces, and their numbers among all."""

    whole: StreamPairs
    pairs: list[Pairs]
    own: list[IntArray]


def _unite(streams: Sequence[StreamPairs], n_labels: int) -> _United:
    """Pieces are numbered as shards show them one after the other; a pair is active if it is in any shard."""
    index: dict[str, int] = {}
    numbers = [
        np.array([index.setdefault(piece, len(index)) for piece in stream.pieces], np.int64)
        for stream in streams
    ]
    offsets = streams[0].offsets
    rows = [(number[:, None] * len(offsets) + np.arange(len(offsets))).ravel() for number in numbers]
    codes = [
        np.repeat(own_rows, np.diff(stream.bounds)) * n_labels + stream.labels
        for own_rows, stream in zip(rows, streams, strict=True)
    ]
    every = np.unique(np.concatenate(codes))
    bounds = offsets_of(np.bincount(every // n_labels, minlength=len(index) * len(offsets)))
    labels = (every % n_labels).astype(np.int16)
    pairs, own = [], []
    for own_rows in rows:
        counts = np.diff(bounds)[own_rows]
        own.append(gather_ranges(bounds[:-1][own_rows], counts))
        pairs.append((offsets_of(counts), labels[own[-1]]))
    return _United(StreamPairs(streams[0].name, offsets, tuple(index), bounds, labels), pairs, own)
