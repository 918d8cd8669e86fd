"""Skill: how far an annotator agrees with the truth beyond chance, and how sure we are of it."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.annotations import Votes
from crowdseq.core.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Skills:
    """(K,) chance-corrected agreement with the truth, its standard error, and who can be judged."""

    mean: FloatArray
    error: FloatArray
    known: BoolArray

    def of(self, number: int) -> tuple[float | None, tuple[float, float] | None]:
        if not self.known[number]:
            return None, None
        mean, reach = float(self.mean[number]), 1.96 * float(self.error[number])
        return mean, (max(-1.0, mean - reach), min(1.0, mean + reach))


def measure_skills(corpus: Corpus, votes: Votes, posteriors: FloatArray) -> Skills:
    """Kappa against the posteriors, sentences as the unit of chance, drawn towards the crowd's mean.

    kappa = (observed - chance) / (1 - chance), chance from the annotator's own label shares and the truth's
    shares on the tokens they saw. Its error is that of a ratio over sentences, and two average sentences are
    added to everybody's evidence, so that one lucky sentence never looks certain.
    """
    n_annotators, n_labels = len(corpus.annotators), len(corpus.scheme)
    totals = np.bincount(votes.annotators, minlength=n_annotators)
    chance = _chance(votes, posteriors, n_annotators, n_labels, totals)
    agreed = posteriors[votes.tokens, votes.labels] - chance[votes.annotators]
    room = 1.0 - chance[votes.annotators]
    ballots = _ballot_of(corpus, votes)
    gains = np.bincount(ballots, agreed, minlength=len(corpus.annotations.voters))
    rooms = np.bincount(ballots, room, minlength=len(corpus.annotations.voters))
    who = corpus.annotations.voters
    gain = np.bincount(who, gains, minlength=n_annotators)
    available: FloatArray = np.bincount(who, rooms, minlength=n_annotators).astype(np.float64)
    known = (available > 1e-9) & (_shared_votes(votes, corpus.n_tokens, n_annotators) > 0)
    raw = np.divide(gain, available, out=np.zeros(n_annotators), where=available > 1e-9)
    residual = np.square(gains - raw[who] * rooms)
    squares = np.bincount(who, residual, minlength=n_annotators) + 2.0 * float(
        residual.mean() if len(residual) else 0
    )
    variance = np.divide(squares, available**2, out=np.ones(n_annotators), where=available > 1e-9)
    return _shrink(raw, variance + 1e-6, available, known)


def _shrink(raw: FloatArray, variance: FloatArray, weight: FloatArray, known: BoolArray) -> Skills:
    """Each skill and the crowd's mean, averaged by how sure either is."""
    if not known.any():
        return Skills(raw, np.sqrt(variance), known)
    centre = float(np.average(raw[known], weights=weight[known]))
    spread = float(np.average((raw[known] - centre) ** 2, weights=weight[known]))
    spread = max(spread, 0.01)
    pull = variance / (variance + spread)
    return Skills(raw + pull * (centre - raw), np.sqrt(variance * spread / (variance + spread)), known)


def _chance(
    votes: Votes, posteriors: FloatArray, n_annotators: int, n_labels: int, totals: IntArray
) -> FloatArray:
    """(K,) agreement that an annotator would reach by drawing labels from their own shares."""
    shape = (n_annotators, len(posteriors))
    seen = sparse.csr_matrix((np.ones(len(votes.tokens)), (votes.annotators, votes.tokens)), shape=shape)
    truth = np.asarray(seen @ posteriors)
    cells = votes.annotators.astype(np.int64) * n_labels + votes.labels
    given = np.bincount(cells, minlength=n_annotators * n_labels).reshape(n_annotators, n_labels)
    return np.asarray((truth * given).sum(axis=1) / np.maximum(totals, 1).astype(np.float64) ** 2)


def _shared_votes(votes: Votes, n_tokens: int, n_annotators: int) -> IntArray:
    """(K,) votes on tokens that somebody else labelled too."""
    crowded = np.bincount(votes.tokens, minlength=n_tokens)[votes.tokens] > 1
    return np.bincount(votes.annotators[crowded], minlength=n_annotators)


def _ballot_of(corpus: Corpus, votes: Votes) -> IntArray:
    """(V,) the row of annotations that each vote comes from."""
    crowd = corpus.annotations
    width = max(len(crowd.annotators), 1)
    keys = crowd.row_sentences.astype(np.int64) * width + crowd.voters
    wanted = corpus.text.sentence_of[votes.tokens].astype(np.int64) * width + votes.annotators
    return np.searchsorted(keys, wanted)
