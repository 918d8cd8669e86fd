"""WeightFrame: what each weight of a CRF stands for; and the rules of its label chains."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import offsets_of
from crowdseq.tagging.targets import check_pairs


@dataclass(frozen=True, eq=False)
class ChainRules:
    """Which labels may start, follow and end: (M,), (M, M), (M,). LabelScheme has the same three fields."""

    allowed: BoolArray
    starts: BoolArray
    ends: BoolArray

    @classmethod
    def free(cls, n_labels: int) -> "ChainRules":
        """Everything may follow everything."""
        anywhere = np.ones(n_labels, dtype=np.bool_)
        return cls(np.ones((n_labels, n_labels), dtype=np.bool_), anywhere, anywhere)

    @classmethod
    def of_scheme(cls, scheme: LabelScheme) -> "ChainRules":
        return cls(scheme.allowed, scheme.starts, scheme.ends)

    @cached_property
    def edges(self) -> FloatArray:
        """(2, M) scores of starting and ending: zero or minus infinity."""
        return np.where(np.stack([self.starts, self.ends]), 0.0, -np.inf)


@dataclass(frozen=True, eq=False)
class StreamPairs:
    """The active (piece, offset, label) pairs of one stream, as in `numerics.features.grouped`."""

    name: str
    offsets: tuple[int, ...]
    pieces: tuple[str, ...]
    bounds: IntArray
    labels: IntArray


@dataclass(frozen=True, eq=False)
class WeightFrame:
    """A flat weight vector: the pairs of every stream, then the transitions that are learnt."""

    streams: tuple[StreamPairs, ...]
    rules: ChainRules
    learnt_transitions: IntArray

    @cached_property
    def pair_starts(self) -> IntArray:
        """(S + 1,) where the pairs of each stream begin."""
        return offsets_of(np.array([len(stream.labels) for stream in self.streams], dtype=np.int64))

    @property
    def n_pairs(self) -> int:
        return int(self.pair_starts[-1])

    @property
    def n_weights(self) -> int:
        return self.n_pairs + len(self.learnt_transitions)

    @property
    def n_labels(self) -> int:
        return len(self.rules.starts)

    def transitions(self, weights: FloatArray) -> FloatArray:
        """(M, M) transition scores; minus infinity where the rules forbid."""
        scores = np.where(self.rules.allowed, 0.0, -np.inf)
        scores.flat[self.learnt_transitions] = weights[self.n_pairs :]
        return scores

    def add_edges(self, observed: FloatArray, edges: FloatArray) -> None:
        """Complete what targets count for every weight with (M, M) wanted label pairs for the transitions."""
        check_pairs(edges, self.rules.allowed)
        observed[self.n_pairs :] = edges.ravel()[self.learnt_transitions]
