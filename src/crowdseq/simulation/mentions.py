"""Mentions: the gold spans, the room around each, the errors each allows, and which ones repeat."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.core.text import Text

_MERGE_REACH = 3  # neighbours further apart are not taken for one mention


@dataclass(frozen=True, eq=False)
class Repeats:
    """(I,) items sorted by what they are, then by where they stand; is_first opens each group there."""

    order: IntArray
    is_first: BoolArray

    @classmethod
    def of(cls, groups: IntArray) -> "Repeats":
        """Items in the order of the text, by the number of what each of them is."""
        order = np.argsort(groups, kind="stable")
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = groups[order[1:]] != groups[order[:-1]]
        return cls(order, is_first)

    def sources(self, draws: FloatArray, consistency: float) -> IntArray:
        """(I,) the item whose lot each one shares: the occurrence before with the chance `consistency`,
        itself otherwise. Right or wrong, a lot is handed on whole, so no rate changes along a document."""
        fresh = self.is_first | (draws >= consistency)
        heads = np.maximum.accumulate(np.where(fresh, np.arange(len(self.order)), 0))
        sources = np.empty(len(self.order), np.int64)
        sources[self.order] = self.order[heads]
        return sources


def number_pairs(first: IntArray, second: IntArray) -> IntArray:
    """(I,) one number for each distinct pair of numbers."""
    width = int(second.max()) + 1 if len(second) else 1
    numbers: IntArray = np.unique(first.astype(np.int64) * width + second, return_inverse=True)[1]
    return numbers


@dataclass(frozen=True, eq=False)
class Mentions:
    """G gold spans in the order of the text.

    before, after (G,): tokens on either side that an error may take in. The tokens between two neighbours are
    shared out, so no two marks that grow out of mentions can ever overlap.
    nearest (G,): how many tokens lie before the next mention of the sentence, -1 when there is none.
    """

    table: SpanTable
    sentences: IntArray
    before: IntArray
    after: IntArray
    nearest: IntArray
    repeats: Repeats
    n_types: int
    must_part: bool

    @classmethod
    def of(cls, corpus: Corpus) -> "Mentions":
        text, scheme = corpus.text, corpus.scheme
        table = find_spans(corpus.gold_tags, corpus.offsets, scheme, lenient=True)
        sentences = text.sentence_of[table.starts]
        must_part = cannot_touch(scheme)
        before, after, nearest = _rooms(table, sentences, text, int(must_part))
        repeats = Repeats.of(_groups(table, sentences, text))
        return cls(table, sentences, before, after, nearest, repeats, len(scheme.types), must_part)

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def lengths(self) -> IntArray:
        return self.table.ends - self.table.starts

    @cached_property
    def type_counts(self) -> IntArray:
        return np.bincount(self.table.types, minlength=self.n_types)

    @cached_property
    def allows(self) -> BoolArray:
        """(6, G) whether a mention can suffer each kind of damage, in the order of `weights`."""
        long_enough = self.lengths >= 2
        has_room = (self.before > 0) | (self.after > 0)
        retype = np.full(len(self), self.n_types >= 2) & ~(self.must_part & self._touches)
        split = self.lengths >= (3 if self.must_part else 2)
        return np.stack(
            [long_enough, has_room, long_enough & has_room, retype, split, self._joins_next]
        ).astype(np.bool_)

    @cached_property
    def _touches(self) -> BoolArray:
        """(G,) whether another mention stands right beside it."""
        touches: BoolArray = self.nearest == 0
        touches[1:] |= self.nearest[:-1] == 0
        return touches

    @cached_property
    def _joins_next(self) -> BoolArray:
        joins = (self.nearest >= 0) & (self.nearest <= _MERGE_REACH)
        if self.must_part:
            joins[:-1] &= self.nearest[1:] != 0
        return joins


def cannot_touch(scheme: LabelScheme) -> bool:
    """Whether two marks of one type that touch would be read as one."""
    return scheme.kind == "IO"


def _rooms(
    table: SpanTable, sentences: IntArray, text: Text, gap: int
) -> tuple[IntArray, IntArray, IntArray]:
    """(G,) tokens before and after that a mention may take in, and (G,) tokens to the next mention."""
    nearest = np.full(len(table), -1, np.int64)
    paired = sentences[1:] == sentences[:-1]
    nearest[:-1][paired] = (table.starts[1:] - table.ends[:-1])[paired]
    before = (table.starts - text.offsets[sentences]).astype(np.int64)
    after = (text.offsets[sentences + 1] - table.ends).astype(np.int64)
    shared = np.maximum(nearest - gap, 0)
    has_next = nearest >= 0
    after[has_next] = (shared[has_next] + 1) // 2
    before[1:][has_next[:-1]] = shared[:-1][has_next[:-1]] // 2
    return before, after, nearest


def _groups(table: SpanTable, sentences: IntArray, text: Text) -> IntArray:
    """(G,) one number for each document, type and wording."""
    words, numbers = text.token_ids.tolist(), dict[tuple[int, ...], int]()
    columns = (table.starts, table.ends, table.types, text.document_of[sentences])
    keys = (
        (doc, kind, *words[start:end])
        for start, end, kind, doc in zip(*(column.tolist() for column in columns), strict=True)
    )
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
