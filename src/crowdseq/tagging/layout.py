"""Where everything lies: the rows of each stream, the rows of each token, the pairs in the weight vector."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.blocks import Block, Job, run_jobs, threads_in_use, using_threads
from crowdseq.numerics.chains.bundles import TokenScores
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.features.grouped import (
    PieceMasses,
    RowStretch,
    pair_masses,
    scatter,
    scatter_entries,
    scatter_listed,
    scatter_part,
)
from crowdseq.numerics.features.piece_rows import (
    PieceRows,
    ValueWeights,
    WholePlaces,
    pair_columns,
    score_values,
)
from crowdseq.tagging.entries import (
    Inventory,
    TokenEntries,
    active_pairs,
    cut_rows,
    listed_pairs,
    rows_pay,
    stretches,
    value_rows,
)

Pairs: TypeAlias = tuple[IntArray, IntArray]  # bounds and labels, as in `numerics.features.grouped`

_WORTH_THREADS = 4096  # tokens: as many as one block of sentences has
_PARTS_PER_THREAD = 16  # uneven parts even out when each thread takes several


@dataclass(frozen=True, eq=False)
class Layout:
    """The map between a flat weight vector and the scores of T tokens.

    Stream s owns rows row_starts[s]..row_starts[s + 1] of a (R, M) table, and its pairs a stretch of the
    weights that begins at pair_starts[s]; pair_bounds[s] and pair_labels[s] are as in
    `numerics.features.grouped`. token_rows: (T, S), the rows that each token adds up, -1 for none. A stream
    whose values are mostly rare has no rows: `entries` lists its pairs.
    """

    inventories: tuple[Inventory, ...]
    n_labels: int
    row_starts: IntArray
    token_rows: IntArray
    pair_starts: IntArray
    pair_bounds: tuple[IntArray, ...]
    pair_labels: tuple[IntArray, ...]
    entries: TokenEntries
    _parts: dict[int, list[RowStretch]] = field(default_factory=dict)
    _cut: dict[tuple[int, str, int], list[Block]] = field(default_factory=dict)

    @classmethod
    def of_inventories(
        cls,
        inventories: tuple[Inventory, ...],
        offsets: IntArray,
        support: FloatArray,
        pairs: Sequence[Pairs] | None = None,
    ) -> "Layout":
        """Pairs are active where a token that shows the piece has support (T, M) above zero for the label.

        pairs: those of each stream, where the text is part of a longer one that has more of them.
        """
        n_labels = support.shape[1]
        bounds, labels, row_starts, slots, begins, counts = [], [], [0], [], [], []
        n_pairs = 0
        for number, inventory in enumerate(inventories):
            seen = value_rows(inventory, offsets)
            stream_bounds, stream_labels = (
                active_pairs(inventory, seen, support) if pairs is None else pairs[number]
            )
            listed = listed_pairs(inventory, seen, stream_bounds)
            if listed is None or rows_pay(inventory, seen, listed, n_labels):
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
        entries = TokenEntries.of_pairs(
            _side_by_side(begins, n_tokens), _side_by_side(counts, n_tokens), labels
        )
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

    def token_scores(self, weights: FloatArray, rows: FloatArray) -> TokenScores:
        """What the scores of the tokens are summed up from, once rows (R, M) are filled."""
        return TokenScores(self.token_rows, rows.reshape(-1), self.entries.listed, weights)

    def fill_rows(self, weights: FloatArray, rows: FloatArray) -> None:
        """Rows (R, M) from weights."""
        jobs: list[Job] = []
        for stream in self._streams_with_rows:
            inventory, pieces = self.inventories[stream], self._pieces[stream]
            own, columns = self._own(stream, weights), self._columns[stream]
            whole = self._places[stream].lay_out(own)
            values = ValueWeights(inventory.value_bounds, inventory.value_pieces, pieces, columns, own, whole)
            target = self._own_rows(stream, rows)
            jobs.extend(
                partial(score_values, values, target, block) for block in self._blocks(stream, "value_bounds")
            )
        self._run(jobs)

    def collect(self, masses: FloatArray, rows: FloatArray, result: FloatArray) -> None:
        """Masses (T, M) of tokens to masses of pairs, into result; rows (R, M) is scratch."""
        self._run([*self._scatter_jobs(masses, rows), *self._entry_jobs(masses, result)])
        jobs: list[Job] = []
        for stream in self._streams_with_rows:
            inventory = self.inventories[stream]
            pieces = PieceMasses(
                inventory.piece_bounds,
                inventory.piece_values,
                self._pieces[stream].pairs,
                self._columns[stream],
                self._own_rows(stream, rows),
            )
            target = self._own(stream, result)
            jobs.extend(
                partial(pair_masses, pieces, target, block) for block in self._blocks(stream, "piece_bounds")
            )
        self._run(jobs)

    def _run(self, jobs: list[Job]) -> None:
        with using_threads(self._threads):
            run_jobs(jobs)

    def _scatter_jobs(self, masses: FloatArray, rows: FloatArray) -> list[Job]:
        labels, threads = own_labels(self.n_labels, len(self.token_rows)), self._threads
        if threads == 1 or not self.n_rows:
            return [partial(scatter, labels, self.token_rows, masses, rows)]
        if threads not in self._parts:
            self._parts[threads] = cut_rows(self.token_rows, self.n_rows, threads)
        return [partial(scatter_part, labels, part, masses, rows) for part in self._parts[threads]]

    def _entry_jobs(self, masses: FloatArray, result: FloatArray) -> list[Job]:
        threads = self._threads
        if threads == 1:
            return [partial(scatter_entries, self.entries.listed, masses, result)]
        return [partial(scatter_listed, part, masses, result) for part in self.entries.parts(threads)]

    def _blocks(self, stream: int, bounds: str) -> list[Block]:
        """Stretches of a stream's values or pieces, by the name of their bounds, for the threads in use."""
        threads = self._threads
        key = (stream, bounds, threads)
        if key not in self._cut:
            parts = threads * _PARTS_PER_THREAD if threads > 1 else 1
            ends = stretches(getattr(self.inventories[stream], bounds), parts)
            self._cut[key] = [Block(number, first, last) for number, (first, last) in enumerate(ends)]
        return self._cut[key]

    def _own(self, stream: int, weights: FloatArray) -> FloatArray:
        """The weights of a stream's pairs, of all weights or masses."""
        return weights[self.pair_starts[stream] : self.pair_starts[stream + 1]]

    def _own_rows(self, stream: int, rows: FloatArray) -> FloatArray:
        """(V, O * M) the rows of a stream, those of a value side by side."""
        own = rows[self.row_starts[stream] : self.row_starts[stream + 1]]
        return own.reshape(self.inventories[stream].n_values, -1)

    @property
    def _threads(self) -> int:
        """Those in use; one for a short text, where cutting the work up takes longer than doing it."""
        return threads_in_use() if len(self.token_rows) >= _WORTH_THREADS else 1

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
    def _places(self) -> tuple[WholePlaces, ...]:
        return tuple(
            pieces.places(columns) for pieces, columns in zip(self._pieces, self._columns, strict=True)
        )

    @cached_property
    def _columns(self) -> tuple[IntArray, ...]:
        return tuple(
            pair_columns(len(inventory.offsets), self.n_labels, bounds, labels)
            for inventory, bounds, labels in zip(
                self.inventories, self.pair_bounds, self.pair_labels, strict=True
            )
        )


def _side_by_side(columns: list[IntArray], n_tokens: int) -> IntArray:
    return np.concatenate(columns, axis=1) if columns else np.empty((n_tokens, 0), dtype=np.int64)
