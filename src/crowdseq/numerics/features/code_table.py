"""A hash table from whole numbers to their places in an array."""

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.numerics.compiling import inlined, kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours fall far apart


def code_table(codes: IntArray) -> IntArray:
    """The table that `find_codes` takes, of different (P,) codes."""
    table = np.full(1 << max(2 * len(codes), 2).bit_length(), -1, dtype=np.int32)
    _fill(codes, table)
    return table


def find_codes(table: IntArray, codes: IntArray, wanted: IntArray) -> IntArray:
    """(T,) the place of each wanted code among the codes; -1 where there is none."""
    found = np.empty(len(wanted), dtype=np.int64)
    _find(table, codes, wanted, found)
    return found


@inlined
def _slot(code: int, mask: np.uint64) -> np.uint64:
    product = np.uint64(code) * _MULTIPLIER
    return (product >> np.uint64(32)) & mask


@kernel
def _fill(codes: IntArray, table: IntArray) -> None:
    mask = np.uint64(len(table) - 1)
    for place in range(len(codes)):
        slot = _slot(codes[place], mask)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = place


@kernel
def _find(table: IntArray, codes: IntArray, wanted: IntArray, found: IntArray) -> None:
    mask = np.uint64(len(table) - 1)
    for t in range(len(wanted)):
        slot = _slot(wanted[t], mask)
        while table[slot] >= 0 and codes[table[slot]] != wanted[t]:
            slot = (slot + np.uint64(1)) & mask
        found[t] = table[slot]
