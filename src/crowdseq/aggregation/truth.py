"""TruthModel: what the text says of the truth, votes aside; and the parts of it that shards hold.

Belief and scores have a row for each token, so they stay in the shards: a part is told there what is believed
and has there what the text says. The driver has the parameters alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.chains.chain import Lattice, log_partition
from crowdseq.tagging.sequence_tagger import SequenceTagger

P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class Potentials:
    """Log scores of all label paths of the N sentences of a shard, from the text alone.

    unary (T, M); transitions (F, M, M), one table for each fold; starts, ends (M,); folds (N,): the fold of
    each sentence, whose scores come from a model that has not seen it. Minus infinity forbids.
    """

    unary: FloatArray
    transitions: FloatArray
    starts: FloatArray
    ends: FloatArray
    folds: IntArray

    def log_partition(self, offsets: IntArray) -> float:
        """Summed over all sentences at offsets (N + 1,), and over all paths that the scheme allows."""
        total = 0.0
        for fold, table in enumerate(self.transitions):
            lattice = Lattice(self.unary, offsets, table, self.starts, self.ends)
            total += float(log_partition(lattice)[self.folds == fold].sum())
        return total


class TruthPart(Protocol):
    """What one shard holds of a truth model."""

    @property
    def potentials(self) -> Potentials:
        """What the text says under the parameters that were last scored."""

    def aim(self, believed: FloatArray) -> None:
        """The next training learns from (T, M) what is believed."""

    def aim_at_tags(self, tags: IntArray, chosen: BoolArray) -> None:
        """The next training learns from hard tags (T,) of some sentences (N,)."""


class TruthModel(Protocol[P]):
    """The driver of the parts; P: its parameters, one set for each fold."""

    @property
    def n_folds(self) -> int: ...
    @property
    def n_parameters(self) -> int:
        """Numbers in the parameters of one fold, for an estimate of memory."""

    def start(self) -> P:
        """Parameters before anything is learned."""

    def train(self, pairs: FloatArray, params: P, effort: int) -> P:
        """From what the parts aim at: for each fold from the other folds, going on from earlier parameters.

        pairs (F, M, M): believed label pairs by fold. effort: about how many passes over the text.
        """

    def train_on_tags(self, effort: int) -> P:
        """From the tags that the parts aim at, the same for every fold."""

    @property
    def trainings(self) -> int:
        """How often `deepen` is called once the rounds are over; 0 for a model that learns all in a round."""

    def deepen(self, params: P, number: int) -> P:
        """Learn what takes too long for every round, from what the parts aim at; number: counted from 0."""

    def score(self, params: P) -> None:
        """Every part then has its potentials under these parameters."""

    def penalty(self, params: P) -> float:
        """What the objective loses for the parameters themselves."""

    def tagger(self, params: P) -> SequenceTagger:
        """One tagger out of all folds."""

    def arrays(self, params: P) -> dict[str, FloatArray]:
        """The parameters by name, for checkpoints."""

    def of_arrays(self, arrays: Mapping[str, FloatArray]) -> P:
        """What `arrays` gave, again."""


def are_finite(arrays: Mapping[str, FloatArray]) -> bool:
    """Whether every number is finite."""
    return all(bool(np.isfinite(values).all()) for values in arrays.values())
