"""Scores and gradients of sparse features that hang on values: token -> value row -> piece -> (piece, label)
pair.

A stream gives every position one value, such as its word. A value has pieces (its suffixes, its shape), and
is seen from O offsets (by the token itself, by the token before it ...). Row v * O + o of a stream holds the
summed weights of value v seen from offset o, so a token adds a handful of rows and never touches a feature.
The gradient goes the same way back. Weights exist for active (piece, offset, label) triples only: those of
piece p and offset o are pair_bounds[p * O + o] .. pair_bounds[p * O + o + 1], their labels in pair_labels.
Where most values are rare and have few labels, as word pairs do, rows do not pay: tokens then list pairs.
"""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.chains.scaled_passes import label_count
from crowdseq.numerics.compiling import inlined, kernel
from crowdseq.numerics.features.piece_rows import add_row
from crowdseq.numerics.lanes import N_LANES, add, load, spread, store


@kernel
def emit(
    labels: tuple[int, ...],
    token_rows: IntArray,
    rows: FloatArray,
    first: int,
    last: int,
    stride: int,
    scores: FloatArray,
) -> None:
    """Fill flat scores, `stride` for each of the tokens first..last, with the sum of their rows; -1 is none.

    Beyond the labels a token's scores are minus infinity.
    """
    n_labels = label_count(labels, rows.shape[1])
    n_slots = token_rows.shape[1]
    whole = n_labels // N_LANES * N_LANES
    flat = rows.reshape(-1)
    for t in range(first, last):
        place = (t - first) * stride
        for j in range(0, whole, N_LANES):
            four = spread(0.0)
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    four = add(four, load(flat, row * n_labels + j))
            store(scores, place + j, four)
        for j in range(whole, n_labels):
            one = 0.0
            for slot in range(n_slots):
                row = token_rows[t, slot]
                if row >= 0:
                    one += flat[row * n_labels + j]
            scores[place + j] = one
        for j in range(n_labels, stride):
            scores[place + j] = -np.inf


@kernel
def add_windows(
    labels: tuple[int, ...],
    window: IntArray,
    ids: IntArray,
    edge: int,
    offsets: IntArray,
    first: int,
    last: int,
    rows: FloatArray,
    scores: FloatArray,
) -> None:
    """Add to scores (T, M) of the sentences first..last what their tokens see of one stream.

    window: (O,), the offsets of the stream; ids: (T,), its values; edge: the value outside the sentence, or
    -1.
    """
    n_labels = label_count(labels, rows.shape[1])
    n_offsets = len(window)
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        for t in range(start, stop):
            for o in range(n_offsets):
                seen = t + window[o]
                value = ids[seen] if start <= seen < stop else edge
                if value >= 0:
                    row = value * n_offsets + o
                    for j in range(n_labels):
                        scores[t, j] += rows[row, j]


@kernel
def scatter(labels: tuple[int, ...], token_rows: IntArray, masses: FloatArray, rows: FloatArray) -> None:
    """Fill rows with the summed masses (T, M) of the tokens that show them."""
    n_labels = label_count(labels, rows.shape[1])
    n_tokens, n_slots = token_rows.shape
    source, target = masses.reshape(-1), rows.reshape(-1)
    target[:] = 0.0
    for t in range(n_tokens):
        for slot in range(n_slots):
            row = token_rows[t, slot]
            if row >= 0:
                add_row(n_labels, source, t * n_labels, target, row * n_labels)


@kernel
def scatter_part(
    labels: tuple[int, ...],
    tokens: IntArray,
    tokens_rows: IntArray,
    first_row: int,
    last_row: int,
    masses: FloatArray,
    rows: FloatArray,
) -> None:
    """As `scatter`, for the rows first_row..last_row alone: tokens (E,) show tokens_rows (E,) of them.

    Each row is summed in the order of the tokens as there, so parts may run on different threads.
    """
    n_labels = label_count(labels, rows.shape[1])
    source, target = masses.reshape(-1), rows.reshape(-1)
    target[first_row * n_labels : last_row * n_labels] = 0.0
    for entry in range(len(tokens)):
        add_row(n_labels, source, tokens[entry] * n_labels, target, tokens_rows[entry] * n_labels)


@inlined
def sum_values(
    low: int,
    high: int,
    size: int,
    piece_values: IntArray,
    first: int,
    last: int,
    rows: FloatArray,
    mass: FloatArray,
) -> None:
    """Fill mass[low:high] with that stretch of the summed rows, flat and `size` for each value, of
    piece_values[first:last]."""
    whole = low + (high - low) // N_LANES * N_LANES
    for place in range(low, high):
        mass[place] = 0.0
    for entry in range(first, last):
        base = piece_values[entry] * size
        for place in range(low, whole, N_LANES):
            store(mass, place, add(load(mass, place), load(rows, base + place)))
        for place in range(whole, high):
            mass[place] += rows[base + place]


@kernel
def pair_masses(
    labels: tuple[int, ...],
    n_offsets: int,
    piece_bounds: IntArray,
    piece_values: IntArray,
    pair_bounds: IntArray,
    columns: IntArray,
    rows: FloatArray,
    first: int,
    last: int,
    masses: FloatArray,
) -> None:
    """Fill masses of the pairs of pieces first..last with the rows of all values that have the piece."""
    size = n_offsets * label_count(labels, rows.shape[1])
    flat = rows.reshape(-1)
    mass = np.empty(size)
    for piece in range(first, last):
        begin, end = pair_bounds[piece * n_offsets], pair_bounds[piece * n_offsets + n_offsets]
        if begin == end:
            continue
        if piece_bounds[piece + 1] == piece_bounds[piece] + 1:
            # Most pieces belong to one value only: its row is the sum.
            base = piece_values[piece_bounds[piece]] * size
            for pair in range(begin, end):
                masses[pair] = flat[base + columns[pair]]
        else:
            # Columns rise from pair to pair, and many pieces are seen from one offset of several.
            low, high = columns[begin], columns[end - 1] + 1
            sum_values(
                low, high, size, piece_values, piece_bounds[piece], piece_bounds[piece + 1], flat, mass
            )
            for pair in range(begin, end):
                masses[pair] = mass[columns[pair]]


@kernel
def count_pairs(
    n_offsets: int,
    reach: IntArray,
    piece_bounds: IntArray,
    piece_values: IntArray,
    rows: FloatArray,
    counts: IntArray,
) -> None:
    """Fill counts (P * O,) with the labels that have mass in a piece's rows; reach (P, O) may be 0."""
    n_labels = rows.shape[1]
    size = n_offsets * n_labels
    flat = rows.reshape(-1)
    mass = np.empty(size)
    for piece in range(len(piece_bounds) - 1):
        sum_values(0, size, size, piece_values, piece_bounds[piece], piece_bounds[piece + 1], flat, mass)
        for o in range(n_offsets):
            counts[piece * n_offsets + o] = 0
            if reach[piece, o] != 0:
                for j in range(n_labels):
                    counts[piece * n_offsets + o] += mass[o * n_labels + j] > 0.0


@kernel
def list_pairs(
    n_offsets: int,
    piece_bounds: IntArray,
    piece_values: IntArray,
    rows: FloatArray,
    pair_bounds: IntArray,
    pair_labels: IntArray,
) -> None:
    """Fill pair_labels with the labels that `count_pairs` counted."""
    n_labels = rows.shape[1]
    size = n_offsets * n_labels
    flat = rows.reshape(-1)
    mass = np.empty(size)
    for piece in range(len(piece_bounds) - 1):
        sum_values(0, size, size, piece_values, piece_bounds[piece], piece_bounds[piece + 1], flat, mass)
        for o in range(n_offsets):
            pair = pair_bounds[piece * n_offsets + o]
            if pair == pair_bounds[piece * n_offsets + o + 1]:
                continue
            for j in range(n_labels):
                if mass[o * n_labels + j] > 0.0:
                    pair_labels[pair] = j
                    pair += 1
