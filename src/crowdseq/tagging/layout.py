"""Where everything lies: the rows of each stream, the rows of each token, the pairs in the weight vector."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.blocks import run_blocks
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.grouped import (
    count_pairs,
    list_pairs,
    pair_columns,
    pair_masses,
    scatter,
    score_values,
)
from crowdseq.tagging.inventory import Inventory

_PARTS_PER_THREAD = 4  # uneven parts even out when each thread takes several


@dataclass(frozen=True, eq=False)
class Layout:
    """The map between a flat weight vector and the scores of T tokens.

    Stream s owns rows row_starts[s]..row_starts[s + 1] of a (R, M) table, and its pairs a stretch of the
    weights that begins at pair_starts[s]; pair_bounds[s] and pair_labels[s] are as in `numerics.grouped`.
    token_rows: (T, S), the rows that each token adds up, -1 for none.
    """

    inventories: tuple[Inventory, ...]
    n_labels: int
    row_starts: IntArray
    token_rows: IntArray
    pair_starts: IntArray
    pair_bounds: tuple[IntArray, ...]
    pair_labels: tuple[IntArray, ...]

    @classmethod
    def of_inventories(
        cls, inventories: tuple[Inventory, ...], offsets: IntArray, support: FloatArray
    ) -> "Layout":
        """Pairs are active where a token that shows the piece has support (T, M) above zero for the label."""
        n_labels = support.shape[1]
        sizes = [inventory.n_values * len(inventory.offsets) for inventory in inventories]
        row_starts = offsets_of(np.array(sizes, dtype=np.int64))
        token_rows = _token_rows(inventories, row_starts, offsets)
        masses = np.empty((int(row_starts[-1]), n_labels))
        scatter(own_labels(n_labels), token_rows, 0, len(masses), support, masses)
        bounds, labels = [], []
        for inventory, start, stop in zip(inventories, row_starts[:-1], row_starts[1:], strict=True):
            stream_bounds, stream_labels = _active_pairs(inventory, masses[start:stop])
            bounds.append(stream_bounds)
            labels.append(stream_labels)
        pair_starts = offsets_of(np.array([len(stream) for stream in labels], dtype=np.int64))
        return cls(inventories, n_labels, row_starts, token_rows, pair_starts, tuple(bounds), tuple(labels))

    @property
    def n_pairs(self) -> int:
        return int(self.pair_starts[-1])

    def fill_rows(self, weights: FloatArray, rows: FloatArray, threads: int) -> None:
        """Rows (R, M) from weights."""
        parts = threads * _PARTS_PER_THREAD
        jobs = [
            (stream, cuts[part], cuts[part + 1])
            for stream, inventory in enumerate(self.inventories)
            for cuts in [_even_cuts(inventory.value_bounds, parts)]
            for part in range(len(cuts) - 1)
        ]

        def work(job: int) -> None:
            stream, first, last = jobs[job]
            inventory = self.inventories[stream]
            score_values(
                len(inventory.offsets),
                inventory.value_bounds,
                inventory.value_pieces,
                self.pair_bounds[stream],
                self._columns[stream],
                weights[self.pair_starts[stream] : self.pair_starts[stream + 1]],
                first,
                last,
                rows[self.row_starts[stream] : self.row_starts[stream + 1]],
            )

        run_blocks(work, len(jobs), threads)

    def collect(self, masses: FloatArray, rows: FloatArray, result: FloatArray, threads: int) -> None:
        """Masses (T, M) of tokens to masses of pairs, into result; rows (R, M) is scratch."""
        labels, n_rows = own_labels(self.n_labels), len(rows)
        cuts = _even_cuts(self._row_load, threads)
        run_blocks(
            lambda part: scatter(labels, self.token_rows, cuts[part], cuts[part + 1], masses, rows),
            len(cuts) - 1 if n_rows else 0,
            threads,
        )
        parts = threads * _PARTS_PER_THREAD
        jobs = [
            (stream, pieces[part], pieces[part + 1])
            for stream, inventory in enumerate(self.inventories)
            for pieces in [_even_cuts(inventory.piece_bounds, parts)]
            for part in range(len(pieces) - 1)
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
                result[self.pair_starts[stream] : self.pair_starts[stream + 1]],
            )

        run_blocks(work, len(jobs), threads)

    @cached_property
    def _columns(self) -> tuple[IntArray, ...]:
        return tuple(
            pair_columns(len(inventory.offsets), self.n_labels, bounds, labels)
            for inventory, bounds, labels in zip(
                self.inventories, self.pair_bounds, self.pair_labels, strict=True
            )
        )

    @cached_property
    def _row_load(self) -> IntArray:
        """(R + 1,) how many token entries stand in the rows before each row."""
        flat = self.token_rows[self.token_rows >= 0]
        return offsets_of(np.bincount(flat, minlength=int(self.row_starts[-1])))


def _even_cuts(bounds: IntArray, parts: int) -> list[int]:
    """Cut items with running sizes `bounds` into at most `parts` stretches of about equal size."""
    marks = np.linspace(0, bounds[-1], parts + 1)[1:-1]
    inner = np.searchsorted(bounds, marks, side="left").tolist()
    return sorted({0, *inner, len(bounds) - 1})


def _token_rows(inventories: tuple[Inventory, ...], row_starts: IntArray, offsets: IntArray) -> IntArray:
    n_tokens = int(offsets[-1])
    lengths = np.diff(offsets)
    first = np.repeat(offsets[:-1], lengths)
    last = np.repeat(offsets[1:], lengths)
    columns = []
    for inventory, start in zip(inventories, row_starts[:-1], strict=True):
        for place, offset in enumerate(inventory.offsets):
            seen = np.arange(n_tokens) + offset
            inside = (seen >= first) & (seen < last)
            values = np.full(n_tokens, inventory.edge, dtype=np.int64)
            values[inside] = inventory.ids[seen[inside]]
            rows = start + values * len(inventory.offsets) + place
            columns.append(np.where(values >= 0, rows, -1).astype(np.int32))
    return np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.empty((n_tokens, 0), np.int32)


def _active_pairs(inventory: Inventory, masses: FloatArray) -> tuple[IntArray, IntArray]:
    n_offsets = len(inventory.offsets)
    counts = np.zeros(len(inventory.pieces) * n_offsets, dtype=np.int64)
    reach: BoolArray = inventory.reach
    count_pairs(
        n_offsets, reach.astype(np.int8), inventory.piece_bounds, inventory.piece_values, masses, counts
    )
    bounds = offsets_of(counts)
    labels = np.empty(int(bounds[-1]), dtype=np.int16)
    list_pairs(n_offsets, inventory.piece_bounds, inventory.piece_values, masses, bounds, labels)
    return bounds, labels
