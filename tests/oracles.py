"""Slow and obvious answers: list out every label path and add up."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.chains.chain import Lattice


@dataclass(frozen=True)
class ListedSentence:
    """What listing every path of one sentence gives: paths with their scores, best first, and the sums."""

    paths: list[tuple[tuple[int, ...], float]]
    log_partition: float
    unary: FloatArray
    pairwise: FloatArray


def path_score(lattice: Lattice, start: int, path: tuple[int, ...]) -> float:
    """The sum of all that one path touches."""
    score = float(lattice.starts[path[0]] + lattice.ends[path[-1]])
    score += sum(float(lattice.unary[start + t, label]) for t, label in enumerate(path))
    return score + sum(float(lattice.transitions[a, b]) for a, b in pairwise(path))


def list_sentence(lattice: Lattice, sentence: int) -> ListedSentence:
    """All paths of one sentence, their log-sum, and the probabilities that follow from it."""
    start, stop = int(lattice.offsets[sentence]), int(lattice.offsets[sentence + 1])
    length, n_labels = stop - start, lattice.n_labels
    scored = [(path, path_score(lattice, start, path)) for path in product(range(n_labels), repeat=length)]
    paths = sorted(((p, s) for p, s in scored if s > -np.inf), key=lambda item: -item[1])
    unary, pairwise = np.zeros((length, n_labels)), np.zeros((length, n_labels, n_labels))
    if not paths:
        return ListedSentence([], -np.inf, unary, pairwise)
    top = paths[0][1]
    log_partition = top + float(np.log(sum(np.exp(score - top) for _, score in paths)))
    for path, score in paths:
        share = np.exp(score - log_partition)
        for t, label in enumerate(path):
            unary[t, label] += share
            if t:
                pairwise[t, path[t - 1], label] += share
    return ListedSentence(paths, log_partition, unary, pairwise)


def list_sentences(lattice: Lattice) -> Iterator[ListedSentence]:
    """`list_sentence` for each sentence that has a token."""
    for sentence in range(lattice.n_sentences):
        yield list_sentence(lattice, sentence)
