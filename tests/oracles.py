"""Slow and obvious answers: list out every label path and add up, count vote by vote."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.chains.chain import Lattice
from crowdseq.numerics.crowds.dependency import Smoothing


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


@dataclass(frozen=True)
class GivenVote:
    """A vote: by whom, in which context (its most telling part first), which label, and what the truth is
    believed to be."""

    who: int
    context: tuple[int, ...]
    label: int
    truth: Sequence[float]


@dataclass(frozen=True)
class CountedVotes:
    """Votes, counted anew for every question."""

    votes: Sequence[GivenVote]
    smoothing: Smoothing

    def mixed(self, vote: GivenVote, truth: int, known: int, further: float) -> float:
        """log p(label | truth, context, who): that of the first `known` parts of the context, and `further`
        times what the rest adds to it."""
        fully, less = (
            float(np.log(max(self.own(vote, truth, parts), 1e-12))) for parts in (len(vote.context), known)
        )
        return less + further * (fully - less)

    def own(self, vote: GivenVote, truth: int, parts: int) -> float:
        """What the annotator's own votes in these parts of the context say, beside what is believed."""
        mine = [
            one for one in self.votes if one.who == vote.who and one.context[:parts] == vote.context[:parts]
        ]
        if parts == 0:
            return _share(mine, vote, truth, self.crowd(vote, truth, 0), self.smoothing.annotator)
        mean = self.smoothing.share * self.own(vote, truth, parts - 1)
        mean += (1 - self.smoothing.share) * self.crowd(vote, truth, parts)
        return _share(mine, vote, truth, mean, self.smoothing.own)

    def crowd(self, vote: GivenVote, truth: int, parts: int) -> float:
        """The same of everybody's votes."""
        ours = [one for one in self.votes if one.context[:parts] == vote.context[:parts]]
        if parts:
            return _share(ours, vote, truth, self.crowd(vote, truth, parts - 1), self.smoothing.crowd)
        n_labels, right = len(vote.truth), self.smoothing.diagonal
        others = (1 - right) / max(n_labels - 1, 1)
        prior = 1.0 if n_labels == 1 else right if vote.label == truth else others
        return _share(ours, vote, truth, prior, self.smoothing.prior)


def _share(votes: Sequence[GivenVote], vote: GivenVote, truth: int, belief: float, strength: float) -> float:
    """The share of this vote's label among votes, and `strength` more of which the belief says the share."""
    every = sum(one.truth[truth] for one in votes) + strength
    same = sum(one.truth[truth] for one in votes if one.label == vote.label) + strength * belief
    return same / every if every > 0 else belief
