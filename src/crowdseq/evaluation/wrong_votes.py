"""Votes laid out beside the truth, and how often each annotator gives which wrong label."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, portions
from crowdseq.evaluation.coefficients import sum_by

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
        """For every chosen cell the others on its token that hold a vote: places in chosen, and cells."""
        rows = self.rows[chosen]
        starts, counts, lengths = self.block_starts[rows], self.block_rows[rows], self.block_lengths[rows]
        column = starts + (chosen - starts) % lengths
        places = np.repeat(np.arange(len(chosen)), counts)
        ranks = gather_ranges(np.zeros(len(chosen), np.int64), counts)
        cells = column[places] + ranks * lengths[places]
        other = (cells != chosen[places]) & (self.labels[cells] >= 0)
        return places[other], cells[other]


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
            keys, groups = np.unique(np.append(keys, wrong), return_inverse=True)
            counts = sum_by(groups, np.append(counts, np.ones(len(wrong))), len(keys))
        confusion = sum_by(keys % n_labels**2, counts, n_labels**2).reshape(n_labels, n_labels)
        by_truth = seen.reshape(size, n_labels)
        return cls(keys, counts, by_truth, confusion / np.maximum(by_truth.sum(axis=0), 1.0)[:, None])

    def rate(self, annotators: IntArray, truth: IntArray, labels: IntArray) -> FloatArray:
        """How likely each of these annotators is to give this wrong label to this truth."""
        wanted = _keys(annotators, truth, labels, len(self.pooled))
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        counts = np.where(self.keys[places] == wanted, self.counts[places], 0.0)
        lent = _LENT_VOTES * self.pooled[truth, labels]
        rates: FloatArray = (counts + lent) / (self.seen[annotators, truth] + _LENT_VOTES)
        return rates


def _keys(annotators: IntArray, truth: IntArray, labels: IntArray, n_labels: int) -> IntArray:
    return (annotators * n_labels + truth) * n_labels + labels
