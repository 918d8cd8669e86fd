"""Ballot and Annotations: who said what."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.errors import AnnotationError


@dataclass(frozen=True, eq=False)
class Ballot:
    """One sentence: `voters` (K,) are those who saw it, `tags` (K, T) what they said, -1 = not labelled."""

    voters: IntArray
    tags: IntArray


class Votes(NamedTuple):
    """Single votes in the order of their tokens, then annotators: three arrays (V,)."""

    tokens: IntArray
    annotators: IntArray
    labels: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """The ballots of N sentences, one block after the other.

    Row r is one annotator's pass over one sentence: `voters[r]`. The rows of sentence i are
    `row_offsets[i]` to `row_offsets[i + 1]`, sorted by annotator; its tags are the (K, T) block that begins
    at `block_offsets[i]` of `tags`. In this order an annotator's own previous vote is the cell before, which
    is what the sequence models read most.
    """

    annotators: tuple[str, ...]
    voters: IntArray
    row_offsets: IntArray
    tags: IntArray
    lengths: IntArray

    def __post_init__(self) -> None:
        if len(self.row_offsets) != len(self.lengths) + 1 or self.row_offsets[-1] != len(self.voters):
            raise AnnotationError("annotations have one block of rows for every sentence")
        if self.block_offsets[-1] != len(self.tags):
            raise AnnotationError(
                f"{len(self.tags)} tags were given where the annotators' sentences have "
                f"{int(self.block_offsets[-1])} tokens"
            )
        if len(self.voters) and not 0 <= self.voters.min() <= self.voters.max() < len(self.annotators):
            raise AnnotationError("a row of annotations names an annotator who is not listed")
        for array in (self.voters, self.row_offsets, self.tags, self.lengths):
            array.setflags(write=False)

    @cached_property
    def block_offsets(self) -> IntArray:
        """(N + 1,) where the block of each sentence begins in `tags`."""
        return offsets_of(np.diff(self.row_offsets) * self.lengths)

    @cached_property
    def row_sentences(self) -> IntArray:
        """(R,) the sentence of each row."""
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), np.diff(self.row_offsets))

    @cached_property
    def row_starts(self) -> IntArray:
        """(R,) where the tags of each row begin."""
        return offsets_of(self.lengths[self.row_sentences])[:-1]

    @property
    def ballots(self) -> "BallotView":
        """One ballot for every sentence."""
        return BallotView(self)

    @property
    def n_votes(self) -> int:
        """How many single tokens were labelled, counted once for each annotator."""
        return int(np.count_nonzero(self.tags >= 0))

    def votes(self) -> Votes:
        """The same as single votes sorted by token, then annotator."""
        rows = np.repeat(np.arange(len(self.voters)), self.lengths[self.row_sentences])
        first_tokens = offsets_of(self.lengths)[:-1]
        tokens = gather_ranges(first_tokens[self.row_sentences], self.lengths[self.row_sentences])
        said = self.tags >= 0
        tokens, rows, labels = tokens[said], rows[said], self.tags[said]
        order = np.argsort(tokens, kind="stable")
        return Votes(tokens[order], self.voters[rows[order]], labels[order])

    def select(self, sentences: IntArray) -> "Annotations":
        """Only the ballots of these sentences, in this order; the list of annotators stays."""
        counts = np.diff(self.row_offsets)[sentences]
        rows = gather_ranges(self.row_offsets[sentences], counts)
        lengths = self.lengths[sentences]
        cells = gather_ranges(self.block_offsets[sentences], counts * lengths)
        return Annotations(self.annotators, self.voters[rows], offsets_of(counts), self.tags[cells], lengths)

    def keep_annotators(self, kept: Sequence[int]) -> "Annotations":
        """Only these annotators, in this order of numbers."""
        numbers = np.full(len(self.annotators), -1, np.int32)
        numbers[list(kept)] = np.arange(len(kept), dtype=np.int32)
        rows = np.flatnonzero(numbers[self.voters] >= 0)
        rows = rows[np.lexsort((numbers[self.voters[rows]], self.row_sentences[rows]))]
        counts = np.bincount(self.row_sentences[rows], minlength=len(self.lengths))
        cells = gather_ranges(self.row_starts[rows], self.lengths[self.row_sentences[rows]])
        names = tuple(self.annotators[i] for i in kept)
        return Annotations(
            names, numbers[self.voters[rows]], offsets_of(counts), self.tags[cells], self.lengths
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Annotations):
            return NotImplemented
        return self.annotators == other.annotators and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("voters", "row_offsets", "tags", "lengths")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Annotations: {len(self.annotators)} annotators, {len(self.voters)} sentences labelled by one>"
        )


@dataclass(frozen=True, eq=False)
class BallotView(Sequence[Ballot]):
    """The ballots of all sentences, made when asked for."""

    annotations: Annotations

    def __len__(self) -> int:
        return len(self.annotations.lengths)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number, crowd = range(len(self))[index], self.annotations
        rows = slice(int(crowd.row_offsets[number]), int(crowd.row_offsets[number + 1]))
        block = crowd.tags[crowd.block_offsets[number] : crowd.block_offsets[number + 1]]
        return Ballot(crowd.voters[rows], block.reshape(rows.stop - rows.start, int(crowd.lengths[number])))


_ROWS_AT_A_TIME = 1 << 18


def find_slips(tags: IntArray, bounds: IntArray, scheme: LabelScheme) -> BoolArray:
    """(T,) whether a tag cannot follow the one before it, open its row or close it.

    What stands beside an unlabelled token cannot be judged and is no slip.
    """
    bad = np.zeros(len(tags), np.bool_)
    if len(tags) < 1 or scheme.is_plain:
        return bad
    filled = np.flatnonzero(np.diff(bounds))
    heads, tails = bounds[filled], bounds[filled + 1] - 1
    before, after = tags[:-1], tags[1:]
    bad[1:] = ~scheme.allowed[before, after] & (before >= 0) & (after >= 0)
    bad[heads] = ~scheme.starts[tags[heads]] & (tags[heads] >= 0)
    bad[tails] |= ~scheme.ends[tags[tails]] & (tags[tails] >= 0)
    return bad


def count_slips(crowd: Annotations, scheme: LabelScheme) -> IntArray:
    """(K,) slips of each annotator."""
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    counts = np.zeros(len(crowd.annotators), np.int64)
    for first in range(0, len(crowd.voters), _ROWS_AT_A_TIME):
        rows = bounds[first : first + _ROWS_AT_A_TIME + 1]
        bad = find_slips(crowd.tags[rows[0] : rows[-1]], rows - rows[0], scheme)
        voters = np.repeat(crowd.voters[first : first + len(rows) - 1], np.diff(rows))
        counts += np.bincount(voters[bad], minlength=len(counts))
    return counts
