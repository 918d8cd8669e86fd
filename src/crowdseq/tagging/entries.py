"""What tokens show, laid out for the kernels: inventories, listed entries, parts of rows, and the pairs that
occur."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.numerics.chains.bundles import Entries
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.features.grouped import ListedTokens, RowStretch, scatter


@dataclass(frozen=True, eq=False)
class Inventory:
    """One stream of a text, ready for training.

    offsets: (O,), from where its values are seen. ids: (T,), the value of each token or -1; edge: the value
    of positions outside the sentence or -1. Value v has value_pieces[value_bounds[v]:value_bounds[v + 1]].
    reach: (P, O), which offsets a piece is seen from.
    """

    name: str
    offsets: tuple[int, ...]
    ids: IntArray
    edge: int
    value_bounds: IntArray
    value_pieces: IntArray
    pieces: tuple[str, ...]
    reach: BoolArray

    @property
    def n_values(self) -> int:
        return len(self.value_bounds) - 1

    @cached_property
    def piece_bounds(self) -> IntArray:
        """(P + 1,) bounds in piece_values, which tells the other way round whose each piece is."""
        return offsets_of(np.bincount(self.value_pieces, minlength=len(self.pieces)))

    @cached_property
    def piece_values(self) -> IntArray:
        owners = np.repeat(np.arange(self.n_values, dtype=np.int32), np.diff(self.value_bounds))
        return owners[np.argsort(self.value_pieces, kind="stable")]

    @property
    def shown(self) -> dict[str, int]:
        """How many tokens show each piece at their own position."""
        shown = count_shown(self.ids, self.value_bounds, self.value_pieces, len(self.pieces))
        return dict(zip(self.pieces, shown.astype(np.int64).tolist(), strict=True))


def count_shown(ids: IntArray, bounds: IntArray, value_pieces: IntArray, n_pieces: int) -> FloatArray:
    """(P,) how many tokens show the piece at their own position."""
    counts = np.bincount(ids[ids >= 0], minlength=len(bounds) - 1)
    entries = np.repeat(counts, np.diff(bounds)).astype(np.float64)
    return np.asarray(np.bincount(value_pieces, weights=entries, minlength=n_pieces), np.float64)


@dataclass(frozen=True, eq=False)
class TokenEntries:
    """The pairs of the weights that each token shows, and the same cut into parts for threads."""

    listed: Entries
    _parts: dict[int, list[ListedTokens]] = field(default_factory=dict)

    @classmethod
    def of_pairs(cls, begins: IntArray, counts: IntArray, pair_labels: Sequence[IntArray]) -> "TokenEntries":
        """begins, counts: (T, S), where in the weight vector pairs of a token begin, and how many they are.

        pair_labels: of every stream, one after the other.
        """
        every_label = np.concatenate(pair_labels) if pair_labels else np.empty(0, dtype=np.int16)
        pairs = gather_ranges(begins.ravel(), counts.ravel()).astype(np.int32)
        return cls(Entries(offsets_of(counts.sum(axis=1)), pairs, every_label[pairs]))

    def parts(self, count: int) -> list[ListedTokens]:
        """Different pairs in each of so many parts, about equally many entries; tokens in order."""
        if count not in self._parts:
            self._parts[count] = self._cut(count)
        return self._parts[count]

    def _cut(self, count: int) -> list[ListedTokens]:
        bounds, pairs, labels = self.listed
        if not len(pairs):
            return []
        running = offsets_of(np.bincount(pairs))
        cuts = np.searchsorted(running, np.linspace(0, len(pairs), count + 1)[1:-1])
        part_of = np.searchsorted(cuts, pairs, side="right")
        tokens = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
        chosen = [part_of == part for part in range(count)]
        return [ListedTokens(tokens[mine], pairs[mine], labels[mine]) for mine in chosen]


_ROWS_AT_ONCE = 1 << 16  # of values, which bounds the memory that they take
_ROW_COST = 6  # in additions to a row: what it takes to fetch one that few tokens show


def cut_rows(token_rows: IntArray, n_rows: int, parts: int) -> list[RowStretch]:
    """Stretches of rows that take about equally long; token_rows is (T, S) with -1 for none."""
    costs = np.bincount(token_rows[token_rows >= 0], minlength=n_rows) + _ROW_COST
    found = []
    for first, last in stretches(offsets_of(costs), parts):
        inside = (token_rows >= first) & (token_rows < last)
        tokens = np.nonzero(inside)[0].astype(np.int32)
        found.append(RowStretch(first, last, tokens, token_rows[inside]))
    return found


def stretches(bounds: IntArray, parts: int) -> list[tuple[int, int]]:
    """Cut items with running sizes `bounds` into at most `parts` stretches of about equal size."""
    marks = np.linspace(0, bounds[-1], parts + 1)[1:-1]
    inner = np.searchsorted(bounds, marks, side="left").tolist()
    return list(pairwise(sorted({0, *inner, len(bounds) - 1})))


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
    scatter(own_labels(n_labels, len(seen)), seen, support, masses)
    shown = masses.reshape(inventory.n_values, n_offsets * n_labels) > 0.0
    active = _any_of_values(inventory, shown)
    reached = active.reshape(len(active), n_offsets, n_labels) & inventory.reach[:, :, None]
    bounds = offsets_of(np.count_nonzero(reached, axis=2).ravel())
    return bounds, (np.flatnonzero(reached) % n_labels).astype(np.int16)


def _any_of_values(inventory: Inventory, shown: BoolArray) -> BoolArray:
    """(P, C) what any value of a piece shows, of (V, C). Masses are never below zero, so a piece has a label
    if any of its values has."""
    bounds, values = inventory.piece_bounds, inventory.piece_values
    sizes = np.diff(bounds)
    found = np.zeros((len(sizes), shown.shape[1]), np.bool_)
    lone = np.flatnonzero(sizes == 1)  # most of them
    found[lone] = shown[values[bounds[lone]]]
    several = np.flatnonzero(sizes > 1)
    for part in portions(offsets_of(sizes[several]), _ROWS_AT_ONCE):
        here = several[part]
        starts = offsets_of(sizes[here])[:-1]
        owners = values[gather_ranges(bounds[here], sizes[here])]
        found[here] = np.logical_or.reduceat(shown[owners], starts, axis=0)
    return found


def listed_pairs(inventory: Inventory, seen: IntArray, pair_bounds: IntArray) -> IntArray | None:
    """(T, O) how many pairs tokens would list; None where values have several pieces or share them."""
    if not np.array_equal(inventory.value_pieces, np.arange(inventory.n_values)):
        return None
    return np.append(np.diff(pair_bounds), 0)[seen]  # the last entry serves the missing row -1


def rows_pay(inventory: Inventory, seen: IntArray, listed: IntArray, n_labels: int) -> bool:
    """Whether rows cost less than lists: a row is made once for all its tokens, but has all labels."""
    n_rows = inventory.n_values * len(inventory.offsets)
    return int(listed.sum()) > n_rows * n_labels / 3 + int((seen >= 0).sum())
