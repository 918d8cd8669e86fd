"""Where everything lies: the rows of each stream, the rows of each token, the pairs in the weight vector."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.blocks import run_blocks
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.grouped import count_pairs, list_pairs, pair_masses, scatter, scatter_part
from crowdseq.numerics.piece_rows import PieceRows, pair_columns, score_values
from crowdseq.tagging.entries import Entries
from crowdseq.tagging.inventory import Inventory

Job: TypeAlias = Callable[[], None]

_PARTS_PER_THREAD = 4  # uneven parts even out when each thread takes several


@dataclass(frozen=True, eq=False)
class Layout:
    """The map between a flat weight vector and the scores of T tokens.

    Stream s owns rows row_starts[s]..row_starts[s + 1] of a (R, M) table, and its pairs a stretch of the
    weights that begins at pair_starts[s]; pair_bounds[s] and pair_labels[s] are as in `numerics.grouped`.
    token_rows: (T, S), the rows that each token adds up, -1 for none. A stream whose values are mostly rare
    has no rows: `entries` lists its pairs.
    """

    inventories: tuple[Inventory, ...]
    n_labels: int
    row_starts: IntArray
    token_rows: IntArray
    pair_starts: IntArray
    pair_bounds: tuple[IntArray, ...]
    pair_labels: tuple[IntArray, ...]
    entries: Entries
    _parts: dict[int, list["_Part"]] = field(default_factory=dict)

    @classmethod
    def of_inventories(
        cls, inventories: tuple[Inventory, ...], offsets: IntArray, support: FloatArray
    ) -> "Layout":
        """Pairs are active where a token that shows the piece has support (T, M) above zero for the label."""
        n_labels = support.shape[1]
        bounds, labels, row_starts, slots, begins, counts = [], [], [0], [], [], []
        n_pairs = 0
        for inventory in inventories:
            seen = _value_rows(inventory, offsets)
            stream_bounds, stream_labels = _active_pairs(inventory, seen, support)
            listed = _listed_pairs(inventory, seen, stream_bounds)
            if listed is None or _rows_pay(inventory, seen, listed, n_labels):
                slots.append(np.where(seen >= 0, seen + row_starts[-1], -1))
                row_starts.append(row_starts[-1] + inventory.n_values * len(inventory.offsets))
            else:
                begins.append(stream_bounds[seen] + n_pairs)
                counts.append(listed)
                row_starts.append(row_starts[-1])
            bounds.append(stream_bounds)
            labels.append(stream_labels)
            n_pairs += len(stream_labels)
        n_tokens = int(offsets[-1])
        entries = Entries.of_pairs(_side_by_side(begins, n_tokens), _side_by_side(counts, n_tokens), labels)
        return cls(
            inventories,
            n_labels,
            np.array(row_starts, dtype=np.int64),
            np.ascontiguousarray(_side_by_side(slots, n_tokens), dtype=np.int32),
            offsets_of(np.array([len(stream) for stream in labels], dtype=np.int64)),
            tuple(bounds),
            tuple(labels),
            entries,
        )

    @property
    def n_pairs(self) -> int:
        return int(self.pair_starts[-1])

    @property
    def n_rows(self) -> int:
        return int(self.row_starts[-1])

    def fill_rows(self, weights: FloatArray, rows: FloatArray, threads: int) -> None:
        """Rows (R, M) from weights."""
        whole = {
            stream: self._pieces[stream].lay_out(self._columns[stream], self._own(stream, weights))
            for stream in self._streams_with_rows
        }
        jobs = [
            (stream, first, last)
            for stream in self._streams_with_rows
            for first, last in _stretches(self.inventories[stream].value_bounds, threads * _PARTS_PER_THREAD)
        ]

        def work(job: int) -> None:
            stream, first, last = jobs[job]
            inventory = self.inventories[stream]
            score_values(
                len(inventory.offsets),
                inventory.value_bounds,
                inventory.value_pieces,
                self._pieces[stream].pairs,
                self._pieces[stream].spans,
                self._pieces[stream].lows,
                self._columns[stream],
                self._own(stream, weights),
                whole[stream],
                first,
                last,
                rows[self.row_starts[stream] : self.row_starts[stream + 1]],
            )

        run_blocks(work, len(jobs), threads)

    def _own(self, stream: int, weights: FloatArray) -> FloatArray:
        return weights[self.pair_starts[stream] : self.pair_starts[stream + 1]]

    def collect(self, masses: FloatArray, rows: FloatArray, result: FloatArray, threads: int) -> None:
        """Masses (T, M) of tokens to masses of pairs, into result; rows (R, M) is scratch."""
        first_jobs = [
            *self._scatter_jobs(masses, rows, threads),
            *self._entry_jobs(masses, result, threads),
        ]
        run_blocks(lambda job: first_jobs[job](), len(first_jobs), threads)
        labels = own_labels(self.n_labels)
        jobs = [
            (stream, first, last)
            for stream in self._streams_with_rows
            for first, last in _stretches(self.inventories[stream].piece_bounds, threads * _PARTS_PER_THREAD)
        ]

        def work(job: int) -> None:
            stream, first, last = jobs[job]
            inventory = self.inventories[stream]
            pair_masses(
                labels,
                len(inventory.offsets),
                inventory.piece_bounds,
                inventory.piece_values,
                self.pair_bounds[stream],
                self._columns[stream],
                rows[self.row_starts[stream] : self.row_starts[stream + 1]],
                first,
                last,
                self._own(stream, result),
            )

        run_blocks(work, len(jobs), threads)

    def _scatter_jobs(self, masses: FloatArray, rows: FloatArray, threads: int) -> list[Job]:
        labels = own_labels(self.n_labels)
        if threads == 1 or not self.n_rows:
            return [lambda: scatter(labels, self.token_rows, masses, rows)]
        if threads not in self._parts:
            self._parts[threads] = self._cut_rows(threads)
        return [
            partial(scatter_part, labels, part.tokens, part.rows, part.first_row, part.last_row, masses, rows)
            for part in self._parts[threads]
        ]

    def _cut_rows(self, parts: int) -> list["_Part"]:
        """Stretches of rows that about equally many tokens show."""
        shown = np.bincount(self.token_rows[self.token_rows >= 0], minlength=self.n_rows)
        found = []
        for first, last in _stretches(offsets_of(shown), parts):
            inside = (self.token_rows >= first) & (self.token_rows < last)
            tokens = np.nonzero(inside)[0].astype(np.int32)
            found.append(_Part(first, last, tokens, self.token_rows[inside]))
        return found

    def _entry_jobs(self, masses: FloatArray, result: FloatArray, threads: int) -> list[Job]:
        if threads == 1:
            return [partial(self.entries.collect, masses, result)]
        return [
            partial(self.entries.collect_part, threads, number, masses, result)
            for number in range(self.entries.n_parts(threads))
        ]

    @cached_property
    def _streams_with_rows(self) -> list[int]:
        return np.flatnonzero(np.diff(self.row_starts)).tolist()

    @cached_property
    def _pieces(self) -> tuple[PieceRows, ...]:
        return tuple(
            PieceRows.of_pairs(len(inventory.offsets), bounds, columns, np.diff(inventory.piece_bounds) > 1)
            for inventory, bounds, columns in zip(
                self.inventories, self.pair_bounds, self._columns, strict=True
            )
        )

    @cached_property
    def _columns(self) -> tuple[IntArray, ...]:
        return tuple(
            pair_columns(len(inventory.offsets), self.n_labels, bounds, labels)
            for inventory, bounds, labels in zip(
                self.inventories, self.pair_bounds, self.pair_labels, strict=True
            )
        )


@dataclass(frozen=True, eq=False)
class _Part:
    """Rows first_row..last_row for one thread: (E,) tokens in order, and the rows they show."""

    first_row: int
    last_row: int
    tokens: IntArray
    rows: IntArray


def _stretches(bounds: IntArray, parts: int) -> list[tuple[int, int]]:
    """Cut items with running sizes `bounds` into at most `parts` stretches of about equal size."""
    marks = np.linspace(0, bounds[-1], parts + 1)[1:-1]
    inner = np.searchsorted(bounds, marks, side="left").tolist()
    return list(pairwise(sorted({0, *inner, len(bounds) - 1})))


def _side_by_side(columns: list[IntArray], n_tokens: int) -> IntArray:
    return np.concatenate(columns, axis=1) if columns else np.empty((n_tokens, 0), dtype=np.int64)


def _value_rows(inventory: Inventory, offsets: IntArray) -> IntArray:
    """(T, O) value times O plus offset's place, for what each token sees; -1 for nothing."""
    n_tokens, width = int(offsets[-1]), len(inventory.offsets)
    lengths = np.diff(offsets)
    first = np.repeat(offsets[:-1], lengths)
    last = np.repeat(offsets[1:], lengths)
    rows = np.empty((n_tokens, width), dtype=np.int32)
    for place, offset in enumerate(inventory.offsets):
        seen = np.arange(n_tokens) + offset
        inside = (seen >= first) & (seen < last)
        values = np.full(n_tokens, inventory.edge, dtype=np.int64)
        values[inside] = inventory.ids[seen[inside]]
        rows[:, place] = np.where(values >= 0, values * width + place, -1)
    return rows


def _active_pairs(inventory: Inventory, seen: IntArray, support: FloatArray) -> tuple[IntArray, IntArray]:
    n_offsets, n_labels = len(inventory.offsets), support.shape[1]
    masses = np.empty((inventory.n_values * n_offsets, n_labels))
    scatter(own_labels(n_labels), seen, support, masses)
    counts = np.zeros(len(inventory.pieces) * n_offsets, dtype=np.int64)
    reach: BoolArray = inventory.reach
    count_pairs(
        n_offsets, reach.astype(np.int8), inventory.piece_bounds, inventory.piece_values, masses, counts
    )
    bounds = offsets_of(counts)
    labels = np.empty(int(bounds[-1]), dtype=np.int16)
    list_pairs(n_offsets, inventory.piece_bounds, inventory.piece_values, masses, bounds, labels)
    return bounds, labels


def _listed_pairs(inventory: Inventory, seen: IntArray, pair_bounds: IntArray) -> IntArray | None:
    """(T, O) how many pairs tokens would list; None where values have several pieces or share them."""
    if not np.array_equal(inventory.value_pieces, np.arange(inventory.n_values)):
        return None
    return np.append(np.diff(pair_bounds), 0)[seen]  # the last entry serves the missing row -1


def _rows_pay(inventory: Inventory, seen: IntArray, listed: IntArray, n_labels: int) -> bool:
    """Whether rows cost less than lists: a row is made once for all its tokens, but has all labels."""
    n_rows = inventory.n_values * len(inventory.offsets)
    return int(listed.sum()) > n_rows * n_labels / 3 + int((seen >= 0).sum())
