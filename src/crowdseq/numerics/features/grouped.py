"""Scores and gradients of sparse features that hang on values: token -> value row -> piece -> (piece, label)
pair.

A stream gives every position one value, such as its word. A value has pieces (its suffixes, its shape), and
is seen from O offsets (by the token itself, by the token before it ...). Row v * O + o of a stream holds the
summed weights of value v seen from offset o, so a token adds a handful of rows and never touches a feature.
The gradient goes the same way back. Weights exist for active (piece, offset, label) triples only: those of
piece p and offset o are pair_bounds[p * O + o] .. pair_bounds[p * O + o + 1], their labels in pair_labels.
Where most values are rare and have few labels, as word pairs do, rows do not pay: tokens then list pairs.
"""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.chains.bundles import Entries
from crowdseq.numerics.compiling import kernel
from crowdseq.numerics.features.piece_rows import add_row


class ListedTokens(NamedTuple):
    """Entries that tell their tokens, (E,) each: so those of some pairs can be summed up by themselves."""

    tokens: IntArray
    pairs: IntArray
    labels: IntArray


class PairWindow(NamedTuple):
    """A stream whose values are pieces themselves, as sentences at offsets (N + 1,) show it.

    window: (O,), from where its values are seen; ids: (T,), the values, or -1. Pairs are as in `grouped`,
    with weights beside their labels.
    """

    window: IntArray
    ids: IntArray
    offsets: IntArray
    pair_bounds: IntArray
    pair_labels: IntArray
    weights: FloatArray


@kernel
def scatter_entries(entries: Entries, masses: FloatArray, result: FloatArray) -> None:
    """Set result to zero for all listed pairs, then add the masses (T, M) of the tokens that list them."""
    bounds, pairs, labels = entries
    for pair in pairs:
        result[pair] = 0.0
    for t in range(len(bounds) - 1):
        for entry in range(bounds[t], bounds[t + 1]):
            result[pairs[entry]] += masses[t, labels[entry]]


@kernel
def scatter_listed(listed: ListedTokens, masses: FloatArray, result: FloatArray) -> None:
    """As `scatter_entries`, for the listed pairs alone."""
    tokens, pairs, labels = listed
    for pair in pairs:
        result[pair] = 0.0
    for entry in range(len(tokens)):
        result[pairs[entry]] += masses[tokens[entry], labels[entry]]


@kernel
def add_pairs(stream: PairWindow, scores: FloatArray, block: Block) -> None:
    """Add to scores (T, M) of the block's sentences the weights of the pairs that their tokens see."""
    window, ids, offsets, pair_bounds, pair_labels, weights = stream
    n_offsets = len(window)
    for n in range(block.first, block.last):
        start, stop = offsets[n], offsets[n + 1]
        for t in range(start, stop):
            for o in range(n_offsets):
                seen = t + window[o]
                if start <= seen < stop and ids[seen] >= 0:
                    at = ids[seen] * n_offsets + o
                    for pair in range(pair_bounds[at], pair_bounds[at + 1]):
                        scores[t, pair_labels[pair]] += weights[pair]


class Window(NamedTuple):
    """One stream as sentences at offsets (N + 1,) show it; labels: as `own_labels` makes them.

    window: (O,), from where its values are seen; ids: (T,), the values; edge: the value outside the sentence,
    or -1; rows: (V * O, M).
    """

    labels: tuple[int, ...]
    window: IntArray
    ids: IntArray
    edge: int
    offsets: IntArray
    rows: FloatArray


class RowStretch(NamedTuple):
    """The rows first..last, and (E,) who shows them: tokens in order, and the row that each shows."""

    first: int
    last: int
    tokens: IntArray
    rows: IntArray


class PieceMasses(NamedTuple):
    """Piece p belongs to values[bounds[p]:bounds[p + 1]], whose rows (V, O * M) `pair_masses` sums up.

    pairs: (P + 1,), bounds of each piece's pairs; columns: as `pair_columns` makes them.
    """

    bounds: IntArray
    values: IntArray
    pairs: IntArray
    columns: IntArray
    rows: FloatArray


@kernel
def add_windows(stream: Window, scores: FloatArray, block: Block) -> None:
    """Add to scores (T, M) of the block's sentences what their tokens see of one stream."""
    labels, window, ids, edge, offsets, rows = stream
    n_labels = len(labels) if len(labels) > 0 else rows.shape[1]
    n_offsets = len(window)
    for n in range(block.first, block.last):
        start, stop = offsets[n], offsets[n + 1]
        for t in range(start, stop):
            for o in range(n_offsets):
                seen = t + window[o]
                value = ids[seen] if start <= seen < stop else edge
                if value >= 0:
                    row = value * n_offsets + o
                    for j in range(n_labels):
                        scores[t, j] += rows[row, j]


def scatter(labels: tuple[int, ...], token_rows: IntArray, masses: FloatArray, rows: FloatArray) -> None:
    """Fill rows with the summed masses (T, M) of the tokens that show them."""
    rows.fill(0.0)
    _scatter(labels, rows.shape[1], token_rows, masses.reshape(-1), rows.reshape(-1))


@kernel
def _scatter(
    labels: tuple[int, ...], count: int, token_rows: IntArray, masses: FloatArray, rows: FloatArray
) -> None:
    n_labels = len(labels) if len(labels) > 0 else count
    n_tokens, n_slots = token_rows.shape
    for t in range(n_tokens):
        for slot in range(n_slots):
            row = token_rows[t, slot]
            if row >= 0:
                add_row(n_labels, masses, t * n_labels, rows, row * n_labels)


def scatter_part(labels: tuple[int, ...], stretch: RowStretch, masses: FloatArray, rows: FloatArray) -> None:
    """As `scatter`, for one stretch of rows alone.

    Each row is summed in the order of the tokens as there, so stretches may run on different threads.
    """
    rows[stretch.first : stretch.last] = 0.0
    chosen = (stretch.tokens, stretch.rows)
    _scatter_part(labels, rows.shape[1], chosen, masses.reshape(-1), rows.reshape(-1))


@kernel
def _scatter_part(
    labels: tuple[int, ...],
    count: int,
    chosen: tuple[IntArray, IntArray],
    masses: FloatArray,
    rows: FloatArray,
) -> None:
    n_labels = len(labels) if len(labels) > 0 else count
    tokens, shown = chosen
    for entry in range(len(tokens)):
        add_row(n_labels, masses, tokens[entry] * n_labels, rows, shown[entry] * n_labels)


def pair_masses(pieces: PieceMasses, masses: FloatArray, block: Block) -> None:
    """Fill masses of the pairs of the block's pieces with the rows of all values that have the piece."""
    size = pieces.rows.shape[1]
    _pair_masses(pieces._replace(rows=pieces.rows.reshape(-1)), np.empty(size), masses, block)


@kernel
def _pair_masses(pieces: PieceMasses, mass: FloatArray, masses: FloatArray, block: Block) -> None:
    """Rows are flat; mass is room for those of one value."""
    bounds, values, pairs, columns, rows = pieces
    size = len(mass)
    for piece in range(block.first, block.last):
        begin, end = pairs[piece], pairs[piece + 1]
        if begin == end:
            continue
        if bounds[piece + 1] == bounds[piece] + 1:
            # Most pieces belong to one value only: its row is the sum.
            base = values[bounds[piece]] * size
            for pair in range(begin, end):
                masses[pair] = rows[base + columns[pair]]
        else:
            # Columns rise from pair to pair, and many pieces are seen from one offset of several.
            low, high = columns[begin], columns[end - 1] + 1
            for place in range(low, high):
                mass[place] = 0.0
            for entry in range(bounds[piece], bounds[piece + 1]):
                add_row(high - low, rows, values[entry] * size + low, mass, low)
            for pair in range(begin, end):
                masses[pair] = mass[columns[pair]]
