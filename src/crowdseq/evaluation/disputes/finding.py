"""find_disputes: from votes and consensus to the places where they differ, by arrays over all spans."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.disputes.regions import (
    BOUNDARY,
    CONSENSUS,
    MISSED,
    TYPE,
    DisputeColumns,
    Disputes,
    distinct,
)

_CELLS_AT_A_TIME = 1 << 21


def find_disputes(corpus: Corpus, consensus: Consensus) -> Disputes:
    """Every place that people do not all read as the consensus does, in the order of the text.

    A place is made of spans that hang together by sharing tokens, those of the annotators and those of the
    consensus; of plain tags it is a token. An annotator saw it who labelled all of its tokens, or marked
    something in it. What nobody saw is no dispute. Tags that break the scheme are read as spans too: a slip
    in spelling is no difference.
    """
    crowd = corpus.annotations
    parts = [
        (_disputed_tokens if corpus.scheme.is_plain else _disputed_regions)(_Part(corpus, consensus, some))
        for some in portions(crowd.block_offsets, _CELLS_AT_A_TIME)
    ]
    return Disputes.of(consensus, DisputeColumns.joined(parts))


@dataclass(frozen=True, eq=False)
class _Part:
    """Some sentences that follow each other, with their rows and cells."""

    corpus: Corpus
    consensus: Consensus
    sentences: slice

    @cached_property
    def rows(self) -> slice:
        offsets = self.corpus.annotations.row_offsets
        return slice(int(offsets[self.sentences.start]), int(offsets[self.sentences.stop]))

    @cached_property
    def tokens(self) -> slice:
        offsets = self.corpus.offsets
        return slice(int(offsets[self.sentences.start]), int(offsets[self.sentences.stop]))

    @cached_property
    def tags(self) -> IntArray:
        """The cells."""
        offsets = self.corpus.annotations.block_offsets
        return self.corpus.annotations.tags[offsets[self.sentences.start] : offsets[self.sentences.stop]]

    @cached_property
    def voters(self) -> IntArray:
        return self.corpus.annotations.voters[self.rows]

    @cached_property
    def row_sentences(self) -> IntArray:
        return self.corpus.annotations.row_sentences[self.rows]

    @cached_property
    def bounds(self) -> IntArray:
        """(R + 1,) where each row begins among the cells."""
        return offsets_of(self.corpus.annotations.lengths[self.row_sentences])

    @cached_property
    def shifts(self) -> IntArray:
        """(R,) what leads from a cell of each row to its token in the corpus."""
        return self.corpus.offsets[self.row_sentences] - self.bounds[:-1]

    @cached_property
    def gaps(self) -> IntArray | None:
        """(cells + 1,) cells without a label before each; None when there are none."""
        open_cells = self.tags < 0
        return np.concatenate([[0], np.cumsum(open_cells)]) if open_cells.any() else None


def _disputed_tokens(part: _Part) -> DisputeColumns:
    """Plain tags: the tokens to which somebody gave another tag than the consensus."""
    rows = np.repeat(np.arange(len(part.voters)), np.diff(part.bounds))
    tokens = np.arange(len(part.tags)) + part.shifts[rows]
    settled = part.consensus.tag_ids
    differs = (part.tags >= 0) & (part.tags != settled[tokens])
    is_disputed = np.zeros(part.tokens.stop - part.tokens.start, np.bool_)
    is_disputed[tokens[differs] - part.tokens.start] = True
    chosen = np.flatnonzero(is_disputed) + part.tokens.start
    cells = np.flatnonzero((part.tags >= 0) & is_disputed[tokens - part.tokens.start])
    marks = _Marks(
        np.concatenate([chosen, tokens[cells]]),
        np.concatenate([chosen, tokens[cells]]) + 1,
        part.corpus.scheme.type_ids[np.concatenate([settled[chosen], part.tags[cells]])],
        np.concatenate([np.full(len(chosen), CONSENSUS), part.voters[rows[cells]]]),
    )
    owners = np.searchsorted(chosen, marks.begins)
    readers = np.bincount(owners, minlength=len(chosen)) - 1
    return _columns(part, _Regions(chosen, chosen + 1), np.full(len(chosen), TYPE), readers, owners, marks)


@dataclass(frozen=True, eq=False)
class _Marks:
    """Arrays (S,); begins and ends are tokens of the corpus, annotators numbers of them or CONSENSUS."""

    begins: IntArray
    ends: IntArray
    types: IntArray
    annotators: IntArray

    def chosen(self, which: IntArray | BoolArray) -> "_Marks":
        return _Marks(self.begins[which], self.ends[which], self.types[which], self.annotators[which])


@dataclass(frozen=True, eq=False)
class _Regions:
    """Arrays (G,) of tokens of the corpus, in the order of the text."""

    begins: IntArray
    ends: IntArray


def _disputed_regions(part: _Part) -> DisputeColumns:
    marks, rows = _all_marks(part)
    order = np.lexsort((marks.types, marks.ends, marks.begins))
    marks, rows = marks.chosen(order), rows[order]
    heads = np.flatnonzero(_is_head(marks))
    regions = _Regions(marks.begins[heads], np.maximum.reduceat(marks.ends, heads) if len(heads) else heads)
    owners = np.repeat(np.arange(len(heads)), np.diff(np.append(heads, len(rows))))
    pairs = distinct(
        owners * (len(part.voters) + 1) + rows + 1
    )  # who marked anything where, row 0: consensus
    readers = _count_readers(part, regions, pairs)
    kinds = _kinds_of(marks, heads, np.bincount(pairs // (len(part.voters) + 1)) <= readers)
    disputed = (readers > 0) & (_least_often(marks, owners, len(heads)) <= readers)
    kept = disputed[owners]
    numbers = np.cumsum(disputed) - 1
    return _columns(
        part,
        _Regions(regions.begins[disputed], regions.ends[disputed]),
        kinds[disputed],
        readers[disputed],
        numbers[owners[kept]],
        marks.chosen(kept),
    )


def _all_marks(part: _Part) -> tuple[_Marks, IntArray]:
    """The spans of everybody and of the consensus, and (S,) the row of each, CONSENSUS for the latter."""
    scheme, tokens = part.corpus.scheme, part.tokens
    given = find_spans(part.tags, part.bounds, scheme, lenient=True)
    offsets = part.corpus.offsets[part.sentences.start : part.sentences.stop + 1] - tokens.start
    settled = find_spans(part.consensus.tag_ids[tokens], offsets, scheme)
    rows = np.searchsorted(part.bounds, given.starts, side="right") - 1
    shifts = part.shifts[rows]
    marks = _Marks(
        np.concatenate([given.starts + shifts, settled.starts + tokens.start]),
        np.concatenate([given.ends + shifts, settled.ends + tokens.start]),
        np.concatenate([given.types, settled.types]),
        np.concatenate([part.voters[rows], np.full(len(settled), CONSENSUS)]),
    )
    return marks, np.concatenate([rows, np.full(len(settled), CONSENSUS)])


def _is_head(marks: _Marks) -> BoolArray:
    """(S,) which of the marks, sorted by their begin, share no token with any before."""
    reach = np.maximum.accumulate(marks.ends)
    heads = np.ones(len(reach), np.bool_)
    heads[1:] = marks.begins[1:] >= reach[:-1]
    return heads


def _count_readers(part: _Part, regions: _Regions, pairs: IntArray) -> IntArray:
    """(G,) how many annotators saw each region; pairs: numbers of region and row that marked something."""
    crowd = part.corpus.annotations
    sentences = part.corpus.text.sentence_of[regions.begins]
    n_rows = np.diff(crowd.row_offsets)[sentences]
    if part.gaps is None:
        return n_rows
    owners = np.repeat(np.arange(len(sentences)), n_rows)
    rows = gather_ranges(crowd.row_offsets[sentences] - part.rows.start, n_rows)
    full = _is_full(part, part.gaps, regions, owners, rows)
    marked, size = pairs[pairs % (len(part.voters) + 1) > 0], len(part.voters) + 1
    open_too = ~_is_full(part, part.gaps, regions, marked // size, marked % size - 1)
    counts = np.bincount(owners[full], minlength=len(sentences))
    return counts + np.bincount(marked[open_too] // size, minlength=len(sentences))


def _is_full(part: _Part, gaps: IntArray, regions: _Regions, owners: IntArray, rows: IntArray) -> BoolArray:
    """Whether these rows labelled all tokens of these regions."""
    full: BoolArray = (
        gaps[regions.begins[owners] - part.shifts[rows]] == gaps[regions.ends[owners] - part.shifts[rows]]
    )
    return full


def _kinds_of(marks: _Marks, heads: IntArray, missed: BoolArray) -> IntArray:
    """(G,) bits. The marks of a region hang together, so two that differ in a way have some that overlap."""
    if not len(heads):
        return np.zeros(0, np.int64)
    spread = [
        np.maximum.reduceat(column, heads) != np.minimum.reduceat(column, heads)
        for column in (marks.begins, marks.ends, marks.types)
    ]
    bits: IntArray = BOUNDARY * (spread[0] | spread[1]) + TYPE * spread[2] + MISSED * missed
    return bits


def _least_often(marks: _Marks, owners: IntArray, size: int) -> IntArray:
    """(G,) how often the rarest mark of each region was made; the same marks stand together."""
    if not size:
        return np.zeros(0, np.int64)
    changed = np.ones(len(owners), np.bool_)
    columns = (marks.begins, marks.ends, marks.types)
    changed[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    first = np.flatnonzero(changed)
    times = np.diff(np.append(first, len(owners)))
    return np.minimum.reduceat(times, np.flatnonzero(np.diff(owners[first], prepend=-1)))


def _columns(
    part: _Part, regions: _Regions, kinds: IntArray, readers: IntArray, owners: IntArray, marks: _Marks
) -> DisputeColumns:
    """owners (S,): the region of each mark."""
    order = np.lexsort((marks.begins, marks.annotators, owners))
    marks, owners = marks.chosen(order), owners[order]
    sentences = part.corpus.text.sentence_of[regions.begins]
    first = part.corpus.offsets[sentences]
    return DisputeColumns(
        sentences=sentences,
        begins=regions.begins - first,
        ends=regions.ends - first,
        kinds=kinds,
        readers=readers,
        offsets=offsets_of(np.bincount(owners, minlength=len(sentences))),
        annotators=marks.annotators,
        mark_begins=marks.begins - first[owners],
        mark_ends=marks.ends - first[owners],
        mark_types=marks.types,
    )
