"""Who draws spans wider or narrower than others, time after time: no error by chance, but a habit."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.crowd_profile import tokens_of_cells
from crowdseq.evaluation.kinship import MOST_ANNOTATORS

# Of overlapping spans, the share whose bounds differ one way more often than chance allows, over all pairs of
# annotators: real crowds and made-up ones without such habits have up to .05, with them .08 to .5.
_MANY = 0.06
_CHANCE = 2.0  # standard deviations
_CLEAR = 0.2  # of somebody's overlapping spans: by so much they are wider than others', or narrower


@dataclass(frozen=True, eq=False)
class BoundCounts:
    """(3, K, K) of a corpus or a part of it: how often a span of the row's annotator overlaps one of the
    column's, then begins before it, then ends after it."""

    tables: IntArray

    @classmethod
    def of(cls, corpus: Corpus) -> "BoundCounts":
        crowd, size = corpus.annotations, len(corpus.annotators)
        spans = find_spans(crowd.tags, np.append(crowd.row_starts, len(crowd.tags)), corpus.scheme)
        if not len(spans.starts) or corpus.scheme.is_plain:
            return cls.none(size)
        tokens = tokens_of_cells(corpus)
        starts, lengths = tokens[spans.starts], spans.ends - spans.starts
        owners = np.repeat(crowd.voters, crowd.lengths[crowd.row_sentences])[spans.starts].astype(np.int64)
        covers = sparse.csr_matrix(
            (
                np.ones(int(lengths.sum()), np.int32),
                np.repeat(starts, lengths) + _counted(lengths),
                np.concatenate([[0], np.cumsum(lengths)]),
            ),
            shape=(len(starts), corpus.n_tokens),
        )
        one, other = (covers @ covers.T).nonzero()
        apart = owners[one] != owners[other]
        one, other = one[apart], other[apart]
        pairs, ends = owners[one] * size + owners[other], starts + lengths
        chosen = (np.ones(len(one), np.bool_), starts[one] < starts[other], ends[one] > ends[other])
        counts = [np.bincount(pairs[which], minlength=size * size) for which in chosen]
        return cls(np.stack(counts).reshape(3, size, size))

    @classmethod
    def none(cls, size: int = 0) -> "BoundCounts":
        """Of nothing that could be compared."""
        return cls(np.zeros((3, size, size), np.int64))

    def __add__(self, other: "BoundCounts") -> "BoundCounts":
        return BoundCounts(self.tables + other.tables)


def _counted(lengths: IntArray) -> IntArray:
    """0, 1, 2, … anew for each of the lengths."""
    firsts = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) - np.repeat(firsts, lengths))


@dataclass(frozen=True, eq=False)
class BoundHabits:
    """What the bounds of overlapping spans tell of annotators."""

    counts: BoundCounts

    @classmethod
    def of(cls, corpus: Corpus) -> "BoundHabits":
        if not can_have_habits(len(corpus.annotators)):
            return cls(BoundCounts.none())
        return cls(BoundCounts.of(corpus))

    @cached_property
    def share(self) -> float:
        """Of overlapping spans of two annotators, how many more differ one way than chance would have it."""
        overlaps, *wider = self.counts.tables
        total = float(overlaps.sum())
        excess = 0.0
        for table in wider:
            lead = np.abs(table - table.T) - _CHANCE * np.sqrt(table + table.T)
            excess += float(np.maximum(lead, 0.0).sum())
        return excess / total if total else 0.0

    @property
    def are_many(self) -> bool:
        """Whether some draw spans wider than others as a rule."""
        return self.share > _MANY

    @property
    def widths(self) -> FloatArray:
        """(K,) by how many bounds a span of each is wider than those that overlap it, on average."""
        overlaps, *wider = self.counts.tables
        net = sum((table - table.T).sum(axis=1) for table in wider)
        return np.asarray(net / np.maximum(overlaps.sum(axis=1), 1))

    def clear(self) -> tuple[IntArray, IntArray]:
        """Those who clearly draw wider than others, and narrower, the clearest first."""
        widths = self.widths
        order = np.argsort(-widths, kind="stable")
        return order[widths[order] >= _CLEAR], order[::-1][widths[order[::-1]] <= -_CLEAR]


def can_have_habits(n_annotators: int) -> bool:
    """Whether so many annotators can be compared."""
    return 2 < n_annotators <= MOST_ANNOTATORS
