"""K-means: rows to their nearest of K centres, the same to the bit for any number of threads."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.numerics.blocks import Block, run_blocks
from crowdseq.numerics.compiling import kernel

Rows: TypeAlias = NDArray[np.float32]

_ROWS_PER_BLOCK = 512
_STRIDE = 8  # numbers of a row that are taken at once
_TILE = 128  # centres that are looked at together: their numbers stay in the first-level cache


class Centres(NamedTuple):
    """Rows (N, S, 8); centres by tiles (C, S, 8, W), those of a tile side by side, with half their squared
    lengths (C, W), infinite where a tile has fewer; scratch (B, W) for B blocks."""

    rows: Rows
    tiles: Rows
    half_squares: Rows
    scratch: Rows


class Nearest(NamedTuple):
    """(N,) the nearest centre of every row, and how near: the row times the centre less half its square."""

    numbers: IntArray
    nearness: Rows


@kernel
def find_nearest(given: Centres, result: Nearest, block: Block) -> None:
    """The nearest centre of the rows of a block; of equally near ones the first."""
    rows, tiles, half, scores = given.rows, given.tiles, given.half_squares, given.scratch[block.number]
    numbers, nearness = result.numbers, result.nearness
    for i in range(block.first, block.last):
        numbers[i] = 0
        nearness[i] = -np.inf
    for tile in range(tiles.shape[0]):
        for i in range(block.first, block.last):
            for k in range(tiles.shape[3]):
                scores[k] = -half[tile, k]
            for j in range(tiles.shape[1]):
                a, b, c, d = rows[i, j, 0], rows[i, j, 1], rows[i, j, 2], rows[i, j, 3]
                e, f, g, h = rows[i, j, 4], rows[i, j, 5], rows[i, j, 6], rows[i, j, 7]
                for k in range(tiles.shape[3]):
                    scores[k] += (
                        a * tiles[tile, j, 0, k]
                        + b * tiles[tile, j, 1, k]
                        + c * tiles[tile, j, 2, k]
                        + d * tiles[tile, j, 3, k]
                        + e * tiles[tile, j, 4, k]
                        + f * tiles[tile, j, 5, k]
                        + g * tiles[tile, j, 6, k]
                        + h * tiles[tile, j, 7, k]
                    )
            best, number = nearness[i], numbers[i]
            for k in range(tiles.shape[3]):
                if scores[k] > best:
                    best, number = scores[k], tile * tiles.shape[3] + k
            nearness[i] = best
            numbers[i] = number


@kernel
def add_rows(rows: Rows, numbers: IntArray, sums: NDArray[np.float64], counts: IntArray) -> None:
    """Rows (N, D) added up by number into (K, D), in their order."""
    for i in range(len(rows)):
        counts[numbers[i]] += 1
        for j in range(rows.shape[1]):
            sums[numbers[i], j] += rows[i, j]


def assign(rows: Rows, centres: Rows) -> IntArray:
    """(N,) the nearest of the centres (K, D) for every row (N, D), on the threads in use."""
    bounds = np.append(np.arange(0, len(rows), _ROWS_PER_BLOCK), len(rows)).astype(np.int64)
    found = Nearest(np.zeros(len(rows), np.int64), np.empty(len(rows), np.float32))
    if len(rows):
        scratch = np.empty((len(bounds), _TILE), np.float32)
        given = Centres(_in_strides(rows), *_in_tiles(centres), scratch)
        run_blocks(find_nearest, given, found, bounds)
    return found.numbers


def _in_strides(rows: Rows) -> Rows:
    """(N, S, 8), filled up with zeros."""
    more = -rows.shape[1] % _STRIDE
    return np.pad(rows, ((0, 0), (0, more))).reshape(len(rows), -1, _STRIDE)


def _in_tiles(centres: Rows) -> tuple[Rows, Rows]:
    more = -len(centres) % _TILE
    half = 0.5 * np.square(centres, dtype=np.float64).sum(axis=1)
    half = np.pad(half, (0, more), constant_values=np.inf).astype(np.float32).reshape(-1, _TILE)
    strides = _in_strides(np.pad(centres, ((0, more), (0, 0))))
    tiles = strides.reshape(-1, _TILE, *strides.shape[1:]).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(tiles), half


def find_centres(rows: Rows, n_centres: int, passes: int, seed: int) -> Rows:
    """(K, D) centres of rows (N, D), from K of them drawn at random; a centre without rows stays."""
    random = np.random.default_rng([n_centres, seed])
    centres = np.ascontiguousarray(rows[np.sort(random.permutation(len(rows))[:n_centres])])
    before = np.full(len(rows), -1)
    for _ in range(passes):
        numbers = assign(rows, centres)
        if np.array_equal(numbers, before):
            break
        before = numbers
        sums, counts = np.zeros(centres.shape), np.zeros(n_centres, np.int64)
        add_rows(rows, numbers, sums, counts)
        met = counts > 0
        centres[met] = sums[met] / counts[met, None]
    return centres


def normalised(rows: Rows) -> Rows:
    """Every row of length one; a row of zeros stays."""
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0.0, lengths, 1.0), dtype=np.float32)
