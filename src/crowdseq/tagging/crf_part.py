"""CrfPart: what one shard holds of a CRF over many: a problem of its own, whose weights are some of all."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.text import Text
from crowdseq.engines.shards import Shard
from crowdseq.errors import AnnotationError
from crowdseq.tagging.entries import Inventory, active_pairs, value_rows
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.inventory import Totals, count_pieces, take_stock
from crowdseq.tagging.layout import Layout, Pairs
from crowdseq.tagging.problem import CrfProblem, Likelihood
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import check_probabilities, labelled_sentences
from crowdseq.tagging.weight_frame import ChainRules, StreamPairs, WeightFrame


@dataclass(frozen=True, eq=False)
class Aim:
    """What a shard's wanted labels count for each of its pairs, and whether any of its sentences counts."""

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
        return self._problem.frame

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
        self._inventories = ()
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
        self._likelihood = Likelihood.towards(problem, unary, sentence_weights)
        return Aim(self._likelihood.observed, bool(sentence_weights.any()))

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
