"""What two annotators said of the same tokens, counted for every pair in every document."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.core.spans import SpanTable, find_spans

# Beyond these bounds only some pairs are compared; corpora that people make stay far below.
_PAIRS_AT_LEAST, _PAIRS_PER_VOTE = 200_000, 6
_NUMBERS_AT_LEAST, _NUMBERS_PER_VOTE = 30_000_000, 200
_TOKENS_AT_LEAST, _TOKENS_PER_VOTE = 5_000_000, 40
_CELLS_AT_A_TIME = 1 << 20  # bounds the index arrays, which are wider than the tags themselves


@dataclass(frozen=True, eq=False)
class PairCounts:
    """G pairs in their documents: documents, first, second (G,), the first before the second.

    left, right, both (G, M): tokens that both labelled, by the label of the first, of the second, and where
    the two are the same. left_spans, right_spans, common (G, types): spans of the first, of the second, and
    of both, where the other labelled all of their tokens.
    """

    documents: IntArray
    first: IntArray
    second: IntArray
    left: FloatArray
    right: FloatArray
    both: FloatArray
    left_spans: FloatArray
    right_spans: FloatArray
    common: FloatArray


@dataclass(frozen=True, eq=False)
class CrowdSpans:
    """The spans of every row of a crowd: row r has those at offsets[r] to offsets[r + 1]."""

    table: SpanTable
    offsets: IntArray
    gaps: IntArray | None  # (cells + 1,) unlabelled cells before each; None when there are none

    @classmethod
    def of(cls, corpus: Corpus, *, lenient: bool) -> "CrowdSpans":
        crowd = corpus.annotations
        bounds = np.append(crowd.row_starts, len(crowd.tags))
        table = find_spans(crowd.tags, bounds, corpus.scheme, lenient=lenient)
        unlabelled = crowd.tags < 0
        gaps = np.concatenate([[0], np.cumsum(unlabelled)]) if unlabelled.any() else None
        return cls(table, np.searchsorted(table.starts, bounds), gaps)


@dataclass(frozen=True, eq=False)
class _RowPairs:
    """Pairs of rows on the same sentence, and the number of the group that each pair counts for."""

    left: IntArray
    right: IntArray
    lengths: IntArray
    groups: IntArray

    def portions(self) -> "Iterator[_RowPairs]":
        """The same pairs, a bounded number of tokens at a time."""
        for part in portions(offsets_of(self.lengths), _CELLS_AT_A_TIME):
            yield _RowPairs(self.left[part], self.right[part], self.lengths[part], self.groups[part])


def most_partners(corpus: Corpus) -> int:
    """With how many of the others on a sentence everybody is compared: all, unless that would take for ever.

    Pairs grow with the square of a crowd, and a table of a megabyte can name fifty thousand annotators.
    """
    crowd = corpus.annotations
    n_rows = np.diff(crowd.row_offsets)
    n_votes = len(crowd.tags)
    by_work = (_NUMBERS_AT_LEAST + _NUMBERS_PER_VOTE * n_votes) // max(len(corpus.scheme), 1)
    most_pairs = min(_PAIRS_AT_LEAST + _PAIRS_PER_VOTE * n_votes, by_work)
    most_tokens = _TOKENS_AT_LEAST + _TOKENS_PER_VOTE * n_votes
    low, high = 1, int(n_rows.max(initial=1))
    while low < high:  # the largest number of partners that keeps to the bounds
        middle = (low + high + 1) // 2
        partners = np.minimum(middle, np.maximum(n_rows - 1, 0))
        n_pairs = partners * (n_rows - partners) + partners * (partners - 1) // 2
        is_fine = n_pairs.sum() <= most_pairs and (n_pairs * crowd.lengths).sum() <= most_tokens
        low, high = (middle, high) if is_fine else (low, middle - 1)
    return low


def count_pairs(
    corpus: Corpus, spans: CrowdSpans, sentences: IntArray, documents: IntArray, partners: int
) -> PairCounts:
    """Counts over these sentences; documents (S,) says which document each of them belongs to.

    partners: with how many of those behind them annotators of a sentence are compared, as `most_partners`.
    """
    crowd, size = corpus.annotations, max(len(corpus.annotators), 1)
    left, right, indices = _rows_of_pairs(corpus, sentences, partners)
    codes = (documents[indices].astype(np.int64) * size + crowd.voters[left]) * size + crowd.voters[right]
    kept, groups = np.unique(codes, return_inverse=True)
    pairs = _RowPairs(left, right, crowd.lengths[sentences][indices], groups)
    counted = _count_labels(corpus, pairs, len(kept)) + _count_spans(corpus, spans, pairs, len(kept))
    return PairCounts(kept // size**2, kept // size % size, kept % size, *counted)


def _rows_of_pairs(corpus: Corpus, sentences: IntArray, most: int) -> tuple[IntArray, IntArray, IntArray]:
    """The two rows of every pair on a sentence, and which of the sentences it is."""
    crowd = corpus.annotations
    n_rows = np.diff(crowd.row_offsets)[sentences]
    rows = gather_ranges(crowd.row_offsets[sentences], n_rows)
    ends = np.repeat(crowd.row_offsets[sentences + 1], n_rows)
    partners = np.minimum(ends - rows - 1, most)
    indices = np.repeat(np.repeat(np.arange(len(sentences)), n_rows), partners)
    return np.repeat(rows, partners), gather_ranges(rows + 1, partners), indices


def _count_labels(corpus: Corpus, pairs: _RowPairs, n_groups: int) -> list[FloatArray]:
    crowd, n_labels = corpus.annotations, len(corpus.scheme)
    left, right, both = (np.zeros(n_groups * n_labels) for _ in range(3))
    for part in pairs.portions():
        mine = crowd.tags[gather_ranges(crowd.row_starts[part.left], part.lengths)]
        other = crowd.tags[gather_ranges(crowd.row_starts[part.right], part.lengths)]
        groups = np.repeat(part.groups, part.lengths) * n_labels
        shared = (mine >= 0) & (other >= 0)
        same = shared & (mine == other)
        for total, tags, chosen in ((left, mine, shared), (right, other, shared), (both, mine, same)):
            total += np.bincount(groups[chosen] + tags[chosen], minlength=len(total))
    return [total.reshape(n_groups, n_labels) for total in (left, right, both)]


def _count_spans(corpus: Corpus, spans: CrowdSpans, pairs: _RowPairs, n_groups: int) -> list[FloatArray]:
    n_types = len(corpus.scheme.types)
    left, right, common = (np.zeros(n_groups * n_types) for _ in range(3))
    starts = corpus.annotations.row_starts
    for part in pairs.portions():
        for total, mine, other in ((left, part.left, part.right), (right, part.right, part.left)):
            n_spans = spans.offsets[mine + 1] - spans.offsets[mine]
            indices = gather_ranges(spans.offsets[mine], n_spans)
            shifts = np.repeat(starts[other] - starts[mine], n_spans)
            keys = np.repeat(part.groups, n_spans) * n_types + spans.table.types[indices]
            total += np.bincount(keys[_is_seen(spans, indices, shifts)], minlength=len(total))
            if total is left:
                common += np.bincount(keys[_is_common(spans, indices, shifts)], minlength=len(common))
    return [total.reshape(n_groups, n_types) for total in (left, right, common)]


def _is_seen(spans: CrowdSpans, indices: IntArray, shifts: IntArray) -> BoolArray:
    """Whether the other annotator, whose cells lie so far away, labelled all tokens of these spans."""
    if spans.gaps is None:
        return np.ones(len(indices), np.bool_)
    before = spans.gaps[spans.table.starts[indices] + shifts]
    seen: BoolArray = spans.gaps[spans.table.ends[indices] + shifts] == before
    return seen


def _is_common(spans: CrowdSpans, indices: IntArray, shifts: IntArray) -> BoolArray:
    """Whether the other annotator has the very same spans."""
    table = spans.table
    wanted = table.starts[indices] + shifts
    nearest = np.minimum(np.searchsorted(table.starts, wanted), max(len(table) - 1, 0))
    same: BoolArray = (
        (table.starts[nearest] == wanted)
        & (table.ends[nearest] == table.ends[indices] + shifts)
        & (table.types[nearest] == table.types[indices])
    )
    return same
