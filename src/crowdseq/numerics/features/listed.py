"""Streams without rows: tokens list the pairs they show, and each pair adds its weight by itself."""

from typing import NamedTuple

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.chains.bundles import Entries
from crowdseq.numerics.compiling import kernel


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
