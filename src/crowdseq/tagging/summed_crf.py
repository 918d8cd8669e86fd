"""SummedCrf: one CRF over many shards; only active weights and their gradients travel."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.core.text import Text
from crowdseq.engines.engine import Placed, asks_only
from crowdseq.engines.shards import Numbering, Shard, add_up, short_numbers
from crowdseq.errors import AnnotationError
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser, Optimum
from crowdseq.tagging.entries import Inventory, active_pairs, value_rows
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.inventory import Totals, count_pieces, take_stock
from crowdseq.tagging.layout import Layout, Pairs
from crowdseq.tagging.problem import CrfProblem, Likelihood, Objective
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import check_probabilities, labelled_sentences
from crowdseq.tagging.weight_frame import ChainRules, StreamPairs, WeightFrame

_USED: FloatArray = np.zeros((0, 0))  # in place of a support that has done its part


@dataclass(frozen=True, eq=False)
class Aim:
    """What a shard's wanted labels count for each of its weights, transitions aside, for the driver to keep;
    and whether any of its sentences counts."""

    observed: FloatArray
    counts: bool


@dataclass(eq=False)
class CrfPart:
    """The text of a shard under the label rules and features of the CRF.

    support (T, M): above zero for the labels that a token may come to have. A driver (`SummedCrf`) first lets
    the parts agree on their weights, then asks for values and gradients.
    """

    text: Text
    rules: ChainRules
    features: FeatureSettings
    support: FloatArray
    _inventories: tuple[Inventory, ...] = ()
    _problem: CrfProblem | None = None
    _likelihood: Likelihood | None = field(default=None, repr=False)

    @property
    def problem(self) -> CrfProblem:
        if self._problem is None:
            raise RuntimeError("the parts of a CRF must be built before they are asked")
        return self._problem

    @property
    def _passage(self) -> Passage:
        return Passage.of_text(self.text)

    def build_alone(self) -> WeightFrame:
        """For a single shard: its own weights are all there are."""
        self._problem = CrfProblem.build(self._passage, self.rules, self.features, support=self.support)
        self.support = _USED
        return self._problem.frame

    @asks_only
    def count_pieces(self) -> Totals:
        """How many tokens show each piece: for features that must occur often enough in all shards."""
        return count_pieces(self._passage, self.features)

    def list_pairs(self, totals: Totals | None) -> tuple[StreamPairs, ...]:
        """The pairs that are active in this shard; totals: how often its pieces occur in all shards."""
        self._inventories = take_stock(self._passage, self.features, totals)
        found = []
        for inventory in self._inventories:
            pairs = active_pairs(inventory, value_rows(inventory, self._offsets), self._support)
            found.append(StreamPairs(inventory.name, inventory.offsets, inventory.pieces, *pairs))
        return tuple(found)

    def build(self, pairs: Sequence[Pairs]) -> None:
        """With those pairs of its pieces that are active in any shard."""
        layout = Layout.of_inventories(self._inventories, self._offsets, self._support, pairs)
        self._inventories, self.support = (), _USED
        learnt = np.flatnonzero(self.rules.allowed)
        self._problem = CrfProblem(layout, self.rules, self._offsets, learnt)

    @property
    def _offsets(self) -> IntArray:
        return np.asarray(self.text.offsets, dtype=np.int64)

    @property
    def _support(self) -> FloatArray:
        return np.ascontiguousarray(self.support, dtype=np.float64)

    def aim(self, unary: FloatArray, sentence_weights: FloatArray | None = None) -> Aim:
        """Towards (T, M) wanted label probabilities; sentence_weights (N,): 0 leaves a sentence out.

        Without weights all sentences count that have labels throughout.
        """
        check_probabilities("unary", unary)
        problem = self.problem
        if unary.shape != (int(problem.offsets[-1]), problem.n_labels):
            raise AnnotationError(
                f"targets of shape {unary.shape} do not fit {problem.offsets[-1]} tokens, "
                f"{problem.n_labels} labels"
            )
        if sentence_weights is None:
            sentence_weights = labelled_sentences(unary, problem.offsets).astype(np.float64)
        self._likelihood, observed = Likelihood.towards(problem, unary, sentence_weights)
        return Aim(observed, bool(sentence_weights.any()))

    @asks_only
    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The summed log-partitions under the shard's own weights, and their gradient."""
        if self._likelihood is None:
            raise RuntimeError("a part of a CRF must have an aim before it is evaluated")
        return self._likelihood(weights)

    def rest(self) -> None:
        """Forget the aim and the memory that it takes."""
        self._likelihood = None


class CrfShard:
    """A shard with nothing but a CRF, which learns from labels that it is given."""

    crf: CrfPart

    def __init__(self, rules: ChainRules, features: FeatureSettings, shard: Shard) -> None:
        self._rules, self._features, self._text = rules, features, shard.corpus.text

    def open(self, unary: FloatArray) -> None:
        """unary (T, M): wanted label probabilities."""
        self._unary = unary
        self.crf = CrfPart(self._text, self._rules, self._features, unary)

    def aim(self, sentence_weights: FloatArray) -> Aim:
        """Towards them, with (N,) how much each sentence counts."""
        return self.crf.aim(self._unary, sentence_weights)


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
            short_numbers(_one_after_the_other([*owned, transitions], [*starts, 0]), frame.n_weights)
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
        observed = self.numbering.add_up([aim.observed for aim in aims]).copy()  # a single shard's is its own
        self.frame.add_edges(observed, edges)
        return Objective(self.frame, self.partition, observed, c2)

    def partition(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The summed log-partitions of all shards, and their gradient."""
        found = self.placed.each(f"{self.part}.evaluate", own=self.numbering.split(weights))
        gradient = self.numbering.add_up([gradient for _, gradient in found])
        return add_up([value for value, _ in found]), gradient


def _one_after_the_other(parts: Sequence[IntArray], starts: Sequence[int]) -> IntArray:
    """Numbers that begin at a start of their own, whatever room they have, as long ones."""
    return np.concatenate(
        [np.add(part, start, dtype=np.int64) for part, start in zip(parts, starts, strict=True)]
    )


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
    # Shard by shard: the pairs of all of them at once would be the most that a driver ever holds.
    active = np.zeros(len(index) * len(offsets) * n_labels, np.bool_)
    for number, stream in zip(numbers, streams, strict=True):
        own_rows = _rows_of(number, len(offsets))
        active[np.repeat(own_rows, np.diff(stream.bounds)) * n_labels + stream.labels] = True
    every = np.flatnonzero(active)
    bounds = offsets_of(np.bincount(every // n_labels, minlength=len(index) * len(offsets)))
    labels = (every % n_labels).astype(np.int16)
    pairs, own = [], []
    for number in numbers:
        own_rows = _rows_of(number, len(offsets))
        counts = np.diff(bounds)[own_rows]
        mine = gather_ranges(bounds[:-1][own_rows], counts)
        own.append(short_numbers(mine, len(labels)))
        pairs.append((offsets_of(counts), labels[mine]))
    return _United(StreamPairs(streams[0].name, offsets, tuple(index), bounds, labels), pairs, own)


def _rows_of(pieces: IntArray, width: int) -> IntArray:
    """The numbers of pieces, and from which offset they are seen, as one number."""
    return (pieces[:, None] * width + np.arange(width)).ravel()
