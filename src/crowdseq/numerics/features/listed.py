"""Streams without rows: tokens list the pairs they show, and each pair adds its weight by itself."""

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.compiling import kernel


@kernel
def add_entries(
    bounds: IntArray,
    pairs: IntArray,
    pair_labels: IntArray,
    weights: FloatArray,
    first: int,
    last: int,
    stride: int,
    scores: FloatArray,
) -> None:
    """Add to flat scores, `stride` for each of the tokens first..last, the weights of pairs they list.

    Token t lists pairs[bounds[t]:bounds[t + 1]], and pair_labels beside them.
    """
    for t in range(first, last):
        place = (t - first) * stride
        for entry in range(bounds[t], bounds[t + 1]):
            scores[place + pair_labels[entry]] += weights[pairs[entry]]


@kernel
def scatter_entries(
    bounds: IntArray, pairs: IntArray, pair_labels: IntArray, masses: FloatArray, result: FloatArray
) -> None:
    """Set result to zero for all listed pairs, then add the masses (T, M) of the tokens that list them."""
    for pair in pairs:
        result[pair] = 0.0
    for t in range(len(bounds) - 1):
        for entry in range(bounds[t], bounds[t + 1]):
            result[pairs[entry]] += masses[t, pair_labels[entry]]


@kernel
def scatter_listed(
    tokens: IntArray, pairs: IntArray, pair_labels: IntArray, masses: FloatArray, result: FloatArray
) -> None:
    """As `scatter_entries`, for entries that tell their tokens: those of some pairs can run on one thread."""
    for pair in pairs:
        result[pair] = 0.0
    for entry in range(len(tokens)):
        result[pairs[entry]] += masses[tokens[entry], pair_labels[entry]]


@kernel
def add_pairs(
    window: IntArray,
    ids: IntArray,
    pair_bounds: IntArray,
    pair_labels: IntArray,
    weights: FloatArray,
    offsets: IntArray,
    first: int,
    last: int,
    scores: FloatArray,
) -> None:
    """As `add_windows` for a stream whose values are pieces themselves, with weights in place of rows."""
    n_offsets = len(window)
    for n in range(first, last):
        start, stop = offsets[n], offsets[n + 1]
        for t in range(start, stop):
            for o in range(n_offsets):
                seen = t + window[o]
                if start <= seen < stop and ids[seen] >= 0:
                    at = ids[seen] * n_offsets + o
                    for pair in range(pair_bounds[at], pair_bounds[at + 1]):
                        scores[t, pair_labels[pair]] += weights[pair]
