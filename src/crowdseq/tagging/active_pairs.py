"""Which rows tokens see of a stream, and which (piece, offset, label) pairs are active."""

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.features.grouped import count_pairs, list_pairs, scatter
from crowdseq.tagging.inventory import Inventory


def value_rows(inventory: Inventory, offsets: IntArray) -> IntArray:
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


def active_pairs(inventory: Inventory, seen: IntArray, support: FloatArray) -> tuple[IntArray, IntArray]:
    """Bounds and labels of the pairs, as in `numerics.features.grouped`; support is (T, M)."""
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


def listed_pairs(inventory: Inventory, seen: IntArray, pair_bounds: IntArray) -> IntArray | None:
    """(T, O) how many pairs tokens would list; None where values have several pieces or share them."""
    if not np.array_equal(inventory.value_pieces, np.arange(inventory.n_values)):
        return None
    return np.append(np.diff(pair_bounds), 0)[seen]  # the last entry serves the missing row -1


def rows_pay(inventory: Inventory, seen: IntArray, listed: IntArray, n_labels: int) -> bool:
    """Whether rows cost less than lists: a row is made once for all its tokens, but has all labels."""
    n_rows = inventory.n_values * len(inventory.offsets)
    return int(listed.sum()) > n_rows * n_labels / 3 + int((seen >= 0).sum())
