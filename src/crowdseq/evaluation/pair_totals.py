"""Counts of pairs summed over documents, kept sparse: many annotators never meet, most labels are rare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.evaluation.coefficients import cohen, divide, span_f1, sum_by
from crowdseq.evaluation.measures import plain
from crowdseq.evaluation.pair_counts import PairCounts

_TABLES = ("left", "right", "both", "left_spans", "right_spans", "common")


class PairCollector:
    """Takes the counts of some documents after the other and holds only those that are not nought."""

    def __init__(self, n_annotators: int, n_labels: int, n_types: int) -> None:
        self._size = max(n_annotators, 1)
        self._widths = dict.fromkeys(_TABLES[:3], n_labels) | dict.fromkeys(_TABLES[3:], n_types)
        self._held = {name: (np.zeros(0, np.int64), np.zeros(0)) for name in _TABLES}

    def add(self, counts: PairCounts) -> None:
        pairs = counts.first * self._size + counts.second
        for name, width in self._widths.items():
            table, (keys, values) = getattr(counts, name), self._held[name]
            rows, columns = np.nonzero(table)
            keys = np.append(keys, pairs[rows] * width + columns)
            kept, groups = np.unique(keys, return_inverse=True)
            self._held[name] = kept, sum_by(groups, np.append(values, table[rows, columns]), len(kept))

    def totals(self) -> "PairTotals":
        """Everything that was added; a pair that shares no token leaves no trace."""
        pairs = np.unique(self._held["left"][0] // max(self._widths["left"], 1))
        matrices = (self._matrix(name, width, pairs) for name, width in self._widths.items())
        return PairTotals(pairs // self._size, pairs % self._size, *matrices)

    def _matrix(self, name: str, width: int, pairs: IntArray) -> sparse.csr_matrix:
        keys, values = self._held[name]
        rows = np.searchsorted(pairs, keys // max(width, 1))
        return sparse.csr_matrix((values, (rows, keys % max(width, 1))), shape=(len(pairs), width))


@dataclass(frozen=True, eq=False)
class PairTotals:
    """P pairs who share tokens: first and second (P,), and the counts of `PairCounts` as sparse matrices."""

    first: IntArray
    second: IntArray
    left: sparse.csr_matrix
    right: sparse.csr_matrix
    both: sparse.csr_matrix
    left_spans: sparse.csr_matrix
    right_spans: sparse.csr_matrix
    common: sparse.csr_matrix

    def shared(self) -> FloatArray:
        """(P,) tokens that both labelled."""
        return _row_sums(self.left)

    def observed(self) -> FloatArray:
        """(P,) the share of them that has one label."""
        return divide(_row_sums(self.both), self.shared())

    def cohen(self) -> FloatArray:
        """(P,) Cohen's kappa."""
        return cohen(_row_sums(self.both), self.shared(), _row_sums(self.left.multiply(self.right)))

    def span_f1(self) -> FloatArray:
        """(P,) F1 of exact spans."""
        return span_f1(*map(_row_sums, (self.common, self.left_spans, self.right_spans)))

    def label_cohen(self) -> "SparseFigures":
        """Cohen's kappa of every label against the rest, for the labels that a pair used."""
        rows, labels = (self.left + self.right).nonzero()
        left, right, both = (_cells(table, rows, labels) for table in (self.left, self.right, self.both))
        shared = self.shared()[rows]
        agreed = shared - left - right + 2.0 * both
        chance = left * right + (shared - left) * (shared - right)
        return SparseFigures.of(rows, labels, cohen(agreed, shared, chance), len(self.first))

    def type_f1(self) -> "SparseFigures":
        """F1 of the spans of every type that a pair used."""
        rows, types = (self.left_spans + self.right_spans).nonzero()
        tables = (self.common, self.left_spans, self.right_spans)
        values = span_f1(*(_cells(table, rows, types) for table in tables))
        return SparseFigures.of(rows, types, values, len(self.first))

    def pooled_type_f1(self) -> FloatArray:
        """(types,) F1 of the spans of each type, all pairs together."""
        return span_f1(*(_column_sums(table) for table in (self.common, self.left_spans, self.right_spans)))

    def pooled_span_f1(self) -> float | None:
        """F1 of all spans of all pairs together."""
        sums = (_column_sums(table).sum() for table in (self.common, self.left_spans, self.right_spans))
        return plain(span_f1(*sums))

    def components(self, annotators: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Annotators who are linked by pairs, the largest group first."""
        size = len(annotators)
        links = sparse.csr_matrix((np.ones(len(self.first)), (self.first, self.second)), shape=(size, size))
        from scipy.sparse import csgraph  # takes long to load, and few runs need it

        _, group_of = csgraph.connected_components(links, directed=False)
        groups: dict[int, list[str]] = {}
        for name, group in zip(annotators, group_of.tolist(), strict=True):
            groups.setdefault(group, []).append(name)
        return tuple(sorted(map(tuple, groups.values()), key=lambda group: (-len(group), group)))


@dataclass(frozen=True, eq=False)
class SparseFigures:
    """Figures by pair and column: those of pair p are at offsets[p] to offsets[p + 1]."""

    offsets: IntArray
    columns: IntArray
    values: FloatArray

    @classmethod
    def of(cls, rows: IntArray, columns: IntArray, values: FloatArray, n_rows: int) -> "SparseFigures":
        order = np.lexsort((columns, rows))
        return cls(offsets_of(np.bincount(rows, minlength=n_rows)), columns[order], values[order])

    def row(self, index: int, names: Sequence[str]) -> dict[str, float | None]:
        """The figures of one pair by name."""
        part = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        pairs = zip(self.columns[part].tolist(), self.values[part], strict=True)
        return {names[column]: plain(value) for column, value in pairs}

    def column_means(self, size: int) -> FloatArray:
        """(size,) the mean of each column over the pairs for which it is known."""
        known = ~np.isnan(self.values)
        sums = sum_by(self.columns[known], self.values[known], size)
        return divide(sums, sum_by(self.columns[known], np.ones(known.sum()), size))


def _row_sums(table: Any) -> FloatArray:
    return np.asarray(table.sum(axis=1), np.float64).ravel()


def _column_sums(table: Any) -> FloatArray:
    return np.asarray(table.sum(axis=0), np.float64).ravel()


def _cells(table: sparse.csr_matrix, rows: IntArray, columns: IntArray) -> FloatArray:
    if not len(rows):  # scipy gives a matrix, not an array, for no place at all
        return np.zeros(0)
    return np.asarray(table[rows, columns], np.float64).ravel()
