"""Rows of values out of the weights of their pieces; see `grouped` for what values and pieces are."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.compiling import inlined, kernel
from crowdseq.numerics.lanes import N_LANES, add, load, store


def pair_columns(n_offsets: int, n_labels: int, pair_bounds: IntArray, pair_labels: IntArray) -> IntArray:
    """For each pair where its weight goes in the O * M numbers of a value: offset times M plus label.

    With it the pairs of a piece are one loop, whatever the number of offsets.
    """
    places = np.repeat(np.arange(len(pair_bounds) - 1) % n_offsets, np.diff(pair_bounds))
    return np.asarray((places * n_labels + pair_labels).astype(np.int32))


class PieceRows(NamedTuple):
    """How `score_values` adds up pieces: those with most columns as a whole, others pair by pair.

    pairs: (P + 1,) bounds of each piece's pairs. spans: (P + 1,) bounds of its stretch of whole rows, empty
    for a piece that has none; lows: (P,) the column at which the stretch begins.
    """

    pairs: IntArray
    spans: IntArray
    lows: IntArray

    @classmethod
    def of_pairs(
        cls, n_offsets: int, pair_bounds: IntArray, columns: IntArray, shared: BoolArray
    ) -> "PieceRows":
        """shared: (P,) whether a piece is added often enough for a stretch of its own to pay."""
        ends = pair_bounds[::n_offsets]
        n_pairs = np.diff(ends)
        some = n_pairs > 0
        lows, highs = np.zeros(len(n_pairs), dtype=np.int64), np.zeros(len(n_pairs), dtype=np.int64)
        lows[some], highs[some] = columns[ends[:-1][some]], columns[ends[1:][some] - 1] + 1
        spans = np.where(shared & (n_pairs >= N_LANES) & (2 * n_pairs >= highs - lows), highs - lows, 0)
        running = np.concatenate([[0], np.cumsum(spans)])
        # Narrow numbers: what is looked up for each piece of each value should stay in the cache.
        return cls(ends.astype(np.int32), running.astype(np.int32), lows.astype(np.int32))

    def places(self, columns: IntArray) -> "WholePlaces":
        """Which pairs stand in the stretches, and where."""
        inside = np.diff(self.spans) > 0
        n_pairs = np.diff(self.pairs)
        chosen = np.flatnonzero(np.repeat(inside, n_pairs))
        shifts = np.repeat((self.spans[:-1] - self.lows)[inside], n_pairs[inside])
        return WholePlaces(chosen, shifts + columns[chosen], int(self.spans[-1]))


class WholePlaces(NamedTuple):
    """The pairs (C,) that stand in stretches of whole rows, their places (C,) there, and the size of all."""

    pairs: IntArray
    places: IntArray
    size: int

    def lay_out(self, weights: FloatArray) -> FloatArray:
        """The stretches: weights in their columns, zeros between them."""
        whole = np.zeros(self.size)
        whole[self.places] = weights[self.pairs]
        return whole


class ValueWeights(NamedTuple):
    """Value v has pieces[bounds[v]:bounds[v + 1]], whose weights `score_values` adds up.

    piece_rows, columns, weights: as `PieceRows` and `pair_columns` make them, and the weights of the pairs;
    whole: the stretches that `WholePlaces.lay_out` makes of them.
    """

    bounds: IntArray
    pieces: IntArray
    piece_rows: PieceRows
    columns: IntArray
    weights: FloatArray
    whole: FloatArray


def score_values(values: ValueWeights, rows: FloatArray, block: Block) -> None:
    """Fill rows of the block's values, (V, O * M), with the summed weights of their pieces."""
    _score_values(values, rows.shape[1], rows.reshape(-1), block)


@kernel
def _score_values(values: ValueWeights, size: int, flat: FloatArray, block: Block) -> None:
    value_bounds, value_pieces, piece_rows, columns, weights, whole = values
    pairs, spans, lows = piece_rows
    for value in range(block.first, block.last):
        base = value * size
        for place in range(base, base + size):
            flat[place] = 0.0
        for entry in range(value_bounds[value], value_bounds[value + 1]):
            piece = value_pieces[entry]
            span = spans[piece + 1] - spans[piece]
            if span > 0:
                add_row(span, whole, spans[piece], flat, base + lows[piece])
            else:
                for pair in range(pairs[piece], pairs[piece + 1]):
                    flat[base + columns[pair]] += weights[pair]


@inlined
def add_row(size: int, source: FloatArray, at: int, target: FloatArray, to: int) -> None:
    """target[to : to + size] += source[at : at + size]."""
    whole = size // N_LANES * N_LANES
    for j in range(0, whole, N_LANES):
        store(target, to + j, add(load(target, to + j), load(source, at + j)))
    for j in range(whole, size):
        target[to + j] += source[at + j]
