"""Pairs of annotators whose errors are the same far more often than chance would have it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, portions
from crowdseq.evaluation.coefficients import divide, sum_by

_CELLS_AT_A_TIME = 1 << 20
_LENT_VOTES = 5.0  # of the whole crowd, lent to every annotator on every truth: few votes make no rate


@dataclass(frozen=True, eq=False)
class JudgedCells:
    """The (K, T) blocks of some sentences, cell after cell: who, what they said, what is true; -1 is nothing.

    rows: the row of the crowd that each cell is part of, counted from the first.
    """

    annotators: IntArray
    labels: IntArray
    truth: IntArray
    rows: IntArray
    block_starts: IntArray  # of the sentence of each row
    block_rows: IntArray
    block_lengths: IntArray
    wrong: BoolArray

    @classmethod
    def of(cls, corpus: Corpus, tag_ids: IntArray, sentences: slice) -> "JudgedCells":
        crowd = corpus.annotations
        n_rows = np.diff(crowd.row_offsets[sentences.start : sentences.stop + 1])
        lengths = np.repeat(crowd.lengths[sentences], n_rows)
        first_row, last_row = crowd.row_offsets[sentences.start], crowd.row_offsets[sentences.stop]
        blocks = crowd.block_offsets[sentences.start : sentences.stop + 1]
        labels = crowd.tags[blocks[0] : blocks[-1]].astype(np.int64)
        tokens = gather_ranges(np.repeat(corpus.offsets[sentences], n_rows), lengths)
        truth = tag_ids[tokens].astype(np.int64)
        return cls(
            annotators=np.repeat(crowd.voters[first_row:last_row], lengths).astype(np.int64),
            labels=labels,
            truth=truth,
            rows=np.repeat(np.arange(len(lengths)), lengths),
            block_starts=np.repeat(blocks[:-1] - blocks[0], n_rows),
            block_rows=np.repeat(n_rows, n_rows),
            block_lengths=lengths,
            # To leave an entity out is not counted: all who skip a page are silent in the same way.
            wrong=(labels >= 0) & (truth >= 0) & (labels != truth) & (labels != corpus.scheme.outside),
        )

    def partners(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """For every chosen cell the others on its token that hold a vote: indices into chosen, and cells."""
        rows = self.rows[chosen]
        starts, counts, lengths = self.block_starts[rows], self.block_rows[rows], self.block_lengths[rows]
        column = starts + (chosen - starts) % lengths
        indices = np.repeat(np.arange(len(chosen)), counts)
        ranks = gather_ranges(np.zeros(len(chosen), np.int64), counts)
        cells = column[indices] + ranks * lengths[indices]
        other = (cells != chosen[indices]) & (self.labels[cells] >= 0)
        return indices[other], cells[other]


def judged_portions(corpus: Corpus, tag_ids: IntArray) -> Iterator[JudgedCells]:
    """All cells of a corpus, some sentences at a time."""
    for part in portions(corpus.annotations.block_offsets, _CELLS_AT_A_TIME):
        yield JudgedCells.of(corpus, tag_ids, part)


@dataclass(frozen=True, eq=False)
class WrongVoteRates:
    """keys and counts: how often which annotator gave which wrong label to which truth, sorted, where it ever
    happened. seen (K, M): votes of each annotator on each truth. pooled (M, M): the rates of all together."""

    keys: IntArray
    counts: FloatArray
    seen: FloatArray
    pooled: FloatArray

    @classmethod
    def of(cls, corpus: Corpus, tag_ids: IntArray) -> "WrongVoteRates":
        size, n_labels = len(corpus.annotators), len(corpus.scheme)
        seen = np.zeros(size * n_labels)
        keys, counts = np.zeros(0, np.int64), np.zeros(0)
        for cells in judged_portions(corpus, tag_ids):
            known = (cells.labels >= 0) & (cells.truth >= 0)
            seen += np.bincount((cells.annotators * n_labels + cells.truth)[known], minlength=len(seen))
            wrong = _keys(cells.annotators, cells.truth, cells.labels, n_labels)[cells.wrong]
            keys, counts = _merged(keys, counts, wrong, np.ones(len(wrong)))
        return cls._of_counts(keys, counts, seen.reshape(size, n_labels))

    @classmethod
    def _of_counts(cls, keys: IntArray, counts: FloatArray, seen: FloatArray) -> "WrongVoteRates":
        n_labels = seen.shape[1]
        confusion = sum_by(keys % n_labels**2, counts, n_labels**2).reshape(n_labels, n_labels)
        return cls(keys, counts, seen, confusion / np.maximum(seen.sum(axis=0), 1.0)[:, None])

    def __add__(self, other: "WrongVoteRates") -> "WrongVoteRates":
        """The rates of both parts of a corpus together."""
        keys, counts = _merged(self.keys, self.counts, other.keys, other.counts)
        return self._of_counts(keys, counts, self.seen + other.seen)

    def rate(self, annotators: IntArray, truth: IntArray, labels: IntArray) -> FloatArray:
        """How likely each of these annotators is to give this wrong label to this truth."""
        wanted = _keys(annotators, truth, labels, len(self.pooled))
        indices = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        counts = np.where(self.keys[indices] == wanted, self.counts[indices], 0.0)
        lent = _LENT_VOTES * self.pooled[truth, labels]
        rates: FloatArray = (counts + lent) / (self.seen[annotators, truth] + _LENT_VOTES)
        return rates


def _merged(
    keys: IntArray, counts: FloatArray, more_keys: IntArray, more: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Sorted keys and their counts with others, which may be in any order, added."""
    found, groups = np.unique(np.append(keys, more_keys), return_inverse=True)
    return found, sum_by(groups, np.append(counts, more), len(found))


def _keys(annotators: IntArray, truth: IntArray, labels: IntArray, n_labels: int) -> IntArray:
    return (annotators * n_labels + truth) * n_labels + labels


# A pair is suspected when all three hold. Set on real crowds, where honest pairs stay below two thirds of
# common errors, and annotators planted as copies have all of their errors in common.
_LEAST_SENTENCES = 5.0  # with an error in common
_LEAST_OVERLAP = 0.75  # of the errors of either
_LEAST_SURPRISE = 5.0  # standard deviations above what is expected

_PRIOR_EASE = 1.0  # how much it takes to call a token hard: one error more than expected doubles its rate


class SuspectedCopy(NamedTuple):
    """Two annotators by number, how many wrong votes they share, and how many they would share by chance."""

    first: int
    second: int
    shared: int
    expected: float


def find_copies(corpus: Corpus, tag_ids: IntArray) -> list[SuspectedCopy]:
    """Pairs of annotators who give the same wrong labels to the same tokens; tag_ids (T,) say what is right.

    Chance knows how often an annotator gives this wrong label to this truth, and that hard tokens mislead
    many: the rate is raised by what the others gave to the token. Only wrong votes for something count, never
    to have left something out. A sentence counts once, however many errors are in it.
    """
    return copies_of(error_pairs(corpus, tag_ids, WrongVoteRates.of(corpus, tag_ids)), len(corpus.annotators))


ErrorPairs: TypeAlias = list[tuple[IntArray, FloatArray]]


def error_pairs(corpus: Corpus, tag_ids: IntArray, rates: WrongVoteRates) -> ErrorPairs:
    """What `copies_of` takes, of a corpus or a part of it; rates: of the whole."""
    size = len(corpus.annotators)
    return [_pair_sums(cells, rates, size) for cells in judged_portions(corpus, tag_ids) if cells.wrong.any()]


def copies_of(sums: ErrorPairs, size: int) -> list[SuspectedCopy]:
    """The suspected pairs among so many annotators."""
    if not sums:
        return []
    pairs, groups = np.unique(np.concatenate([codes for codes, _ in sums]), return_inverse=True)
    rows = np.concatenate([values for _, values in sums], axis=1)
    totals = np.array([sum_by(groups, row, len(pairs)) for row in rows])
    return [
        SuspectedCopy(int(pairs[index] // size), int(pairs[index] % size), round(shared), float(expected))
        for index in np.flatnonzero(_is_suspect(totals)).tolist()
        for shared, expected in [totals[:2, index]]
    ]


def _is_suspect(totals: FloatArray) -> BoolArray:
    _, _, common, expected, variance, of_first, of_second = totals
    overlap = divide(common, of_first + of_second - common)
    surprise = (common - expected) / np.sqrt(variance + 0.25)  # a quarter: sentences are whole numbers
    suspect: BoolArray = (
        (common >= _LEAST_SENTENCES) & (overlap >= _LEAST_OVERLAP) & (surprise >= _LEAST_SURPRISE)
    )
    return suspect


def _pair_sums(cells: JudgedCells, rates: WrongVoteRates, size: int) -> tuple[IntArray, FloatArray]:
    """Codes of pairs, and (7, pairs): shared and expected wrong votes, the same with a sentence counted once,
    its variance, and the errors of the first and of the second where the other has a vote."""
    wrong = np.flatnonzero(cells.wrong)
    indices, others = cells.partners(wrong)
    errors = wrong[indices]
    same = cells.labels[others] == cells.labels[errors]
    chance = _chance(cells, rates, wrong, indices, others)
    weights = (1.0 / np.bincount(cells.rows[wrong])[cells.rows[wrong]])[indices]
    mine, theirs = cells.annotators[errors], cells.annotators[others]
    first = mine < theirs
    pairs, groups = np.unique(
        np.where(first, mine * size + theirs, theirs * size + mine), return_inverse=True
    )
    # An error in common is met twice, once from either side: hence the halves.
    values: list[FloatArray] = [
        same / 2,
        chance / 2,
        weights * same / 2,
        weights * chance / 2,
        weights**2 * chance * (1.0 - chance) / 2,
        weights * first,
        weights * ~first,
    ]
    return pairs, np.array([sum_by(groups, value, len(pairs)) for value in values])


def _chance(
    cells: JudgedCells, rates: WrongVoteRates, wrong: IntArray, indices: IntArray, others: IntArray
) -> FloatArray:
    """How likely each other annotator is to make the same error, given all votes on the token but their own.

    The token multiplies everybody's rate by a factor with a gamma prior of mean one; the votes of the rest
    tell it: (prior + errors seen) / (prior + errors expected).
    """
    labels = cells.labels[wrong]
    own = rates.rate(cells.annotators[wrong], cells.truth[wrong], labels)
    rate = rates.rate(cells.annotators[others], cells.truth[others], labels[indices])
    same = cells.labels[others] == labels[indices]
    seen = 1.0 + sum_by(indices, same.astype(np.float64), len(wrong))
    expected = own + sum_by(indices, rate, len(wrong))
    hardness = (_PRIOR_EASE + seen[indices] - same) / (_PRIOR_EASE + expected[indices] - rate)
    chance: FloatArray = np.minimum(rate * hardness, 1.0)
    return chance
