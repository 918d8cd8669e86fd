"""Log-partition, marginals and best paths of label chains: many sentences, one set of transitions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.errors import SettingsError
from crowdseq.numerics.blocks import run_blocks, sentence_blocks
from crowdseq.numerics.chains.best_paths import PathInput, Paths, best_path_block, k_best_sentence
from crowdseq.numerics.chains.bundles import PLAIN, Chains, Moves, Sentences, Sums, TokenScores
from crowdseq.numerics.chains.chain_blocks import edge_block, sum_block
from crowdseq.numerics.compiling import own_labels


@dataclass(frozen=True, eq=False)
class Lattice:
    """Log scores of every label path of N sentences laid end to end; minus infinity forbids.

    unary: (T, M), a token's score for each label; offsets: (N + 1,), where each sentence begins.
    transitions: (M, M), from row to column; starts, ends: (M,), for the first and the last label.
    A path's score is the sum of what it touches. Scores are finite or minus infinity.
    """

    unary: FloatArray
    offsets: IntArray
    transitions: FloatArray
    starts: FloatArray
    ends: FloatArray

    def __post_init__(self) -> None:
        n_labels = self.unary.shape[1]
        shapes = (self.transitions.shape, self.starts.shape, self.ends.shape)
        if shapes != ((n_labels, n_labels), (n_labels,), (n_labels,)):
            raise SettingsError(
                f"{n_labels} labels in unary scores, but shapes {shapes} in the rest of the lattice"
            )
        if len(self.offsets) < 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.unary):
            raise SettingsError("sentence offsets must run from 0 to the number of tokens")
        # Kernels are compiled for one memory layout, one integer width, and arrays that can be written.
        for name, kind in (("unary", np.float64), ("offsets", np.int64), ("transitions", np.float64)):
            object.__setattr__(self, name, np.require(getattr(self, name), kind, ["C", "W"]))

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_labels(self) -> int:
        return int(self.unary.shape[1])

    @cached_property
    def moves(self) -> Moves:
        """Transitions, starts and ends as the kernels take them."""
        return Moves(self.transitions, np.stack([self.starts, self.ends]).astype(np.float64))


@dataclass(frozen=True, eq=False)
class Marginals:
    """log_partition (N,), unary (T, M) with rows summing to one, pairwise (M, M) summed over edges.

    A sentence without any path has minus infinity as log-partition, and rows and edges of zeros.
    """

    log_partition: FloatArray
    unary: FloatArray
    pairwise: FloatArray


def log_partition(lattice: Lattice) -> FloatArray:
    """(N,) log of the summed exponentials of all path scores; minus infinity where there is no path."""
    return _sums(lattice, np.ones(lattice.n_sentences), np.empty((0, lattice.n_labels))).log_partition


def marginals(lattice: Lattice, sentence_weights: FloatArray | None = None) -> Marginals:
    """Probabilities of labels and of label pairs; `sentence_weights` (N,) count in the pairwise sum.

    A sentence of weight zero is not computed: log-partition 0 and rows of zeros.
    """
    weights = np.ones(lattice.n_sentences) if sentence_weights is None else sentence_weights
    found = _sums(lattice, weights, np.empty_like(lattice.unary))
    return Marginals(found.log_partition, found.expected, found.pairwise.sum(axis=0))


def _sums(lattice: Lattice, weights: FloatArray, expected: FloatArray) -> Sums:
    bounds = sentence_blocks(lattice.offsets)
    chains = Chains.of_scores(
        own_labels(lattice.n_labels, len(lattice.unary)),
        TokenScores.given(lattice.unary),
        lattice.moves,
        Sentences(lattice.offsets, np.require(weights, np.float64, ["C", "W"])),
    )
    sums = Sums.for_sentences(lattice.n_sentences, expected, len(bounds) - 1, PLAIN)
    run_blocks(sum_block, chains, sums, bounds)
    return sums


def edge_marginals(lattice: Lattice) -> FloatArray:
    """(T, M, M): row t holds P(label of t - 1, label of t); zeros for the first token of a sentence."""
    result = np.empty((len(lattice.unary), lattice.n_labels, lattice.n_labels))
    given = (lattice.unary, lattice.offsets, lattice.moves)
    run_blocks(edge_block, given, result, sentence_blocks(lattice.offsets))
    return result


def best_paths(lattice: Lattice) -> tuple[IntArray, FloatArray]:
    """(T,) labels of the best path and (N,) its score; -1 and minus infinity in a sentence without a path."""
    labels = own_labels(lattice.n_labels, len(lattice.unary))
    given = PathInput(labels, lattice.unary, lattice.offsets, lattice.moves)
    found = Paths(np.empty(len(lattice.unary), dtype=np.int64), np.empty(lattice.n_sentences))
    run_blocks(best_path_block, given, found, sentence_blocks(lattice.offsets))
    return found.labels, found.scores


def k_best_paths(lattice: Lattice, k: int) -> list[tuple[IntArray, FloatArray]]:
    """Per sentence (found, T) different paths and (found,) scores, best first; found < k if fewer exist."""
    if k < 1:
        raise SettingsError(f"k must be at least 1, not {k}")
    results: list[tuple[IntArray, FloatArray]] = []
    for start, stop in zip(lattice.offsets[:-1], lattice.offsets[1:], strict=True):
        if start == stop:
            results.append((np.empty((1, 0), dtype=np.int64), np.zeros(1)))
        else:
            results.append(k_best_sentence(lattice.unary[start:stop], lattice.moves, k))
    return results
