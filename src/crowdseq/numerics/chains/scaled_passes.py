"""Forward and backward passes over one sentence in scaled space: the hot loops of every chain model.

Each token's scores are shifted by their maximum before exp, and each forward row is divided by its sum.
Nothing may underflow unseen: a sentence whose numbers come near the floor is handed to `log_passes`.
"""

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.chains.bundles import Space, Steps
from crowdseq.numerics.compiling import borrowing_kernel, inlined
from crowdseq.numerics.lanes import (
    N_LANES,
    Four,
    add,
    exponential,
    higher,
    highest_lane,
    lane,
    load,
    lower,
    lowest_lane,
    spread,
    spread_at,
    store,
    subtract,
    sum_of_lanes,
    times,
    times_add,
    where_above,
)

# 1e-100 (a forward weight) times e^-200 (a transition: LOWEST_TRANSITION) times e^-250 (a token) is 1e-296:
# still normal.
LOWEST_UNARY = -250.0
LOWEST_FORWARD = 1e-100

ORDINARY, EXTREME, NO_PATH = 0, 1, 2


# Kernels learn the label count from a tuple of that length, and from a number where the tuple is empty: the
# former makes it a constant.


@borrowing_kernel
def exponentiate_tokens(
    labels: tuple[int, ...], edges: FloatArray, length: int, weights: FloatArray
) -> tuple[float, int]:
    """Padded rows of scores to weights in place, each row with maximum one; the sum of shifts; a verdict.

    edges: (2, M) scores of starting and of ending with a label, not yet in the rows.
    """
    n_labels = len(labels) if len(labels) > 0 else edges.shape[1]
    width = (n_labels + 3) // 4 * 4
    for j in range(n_labels):
        weights[j] += edges[0, j]
        weights[(length - 1) * width + j] += edges[1, j]
    shift = 0.0
    lowest = spread(0.0)
    for t in range(length):
        row = t * width
        top = spread(-np.inf)
        for j in range(row, row + width, N_LANES):
            top = higher(load(weights, j), top)
        highest = highest_lane(top)
        if highest == -np.inf:
            return -np.inf, NO_PATH
        shift += highest
        for j in range(row, row + width, N_LANES):
            below = subtract(load(weights, j), spread(highest))
            lowest = lower(where_above(below, spread(-np.inf), below, spread(0.0)), lowest)
            store(weights, j, exponential(below))
    return shift, EXTREME if lowest_lane(lowest) < LOWEST_UNARY else ORDINARY


@inlined
def _four_sums(n_labels: int, width: int, vector: FloatArray, at: int, matrix: FloatArray, j: int) -> Four:
    """Entries j..j + 3 of vector[at:] times matrix.

    Two rows at a time: the sums stay in registers, and no sum waits long for the one before.
    """
    even, odd = spread(0.0), spread(0.0)
    for i in range(0, n_labels - 1, 2):
        even = times_add(spread_at(vector, at + i), load(matrix, i * width + j), even)
        odd = times_add(spread_at(vector, at + i + 1), load(matrix, i * width + width + j), odd)
    if n_labels % 2 == 1:
        i = n_labels - 1
        even = times_add(spread_at(vector, at + i), load(matrix, i * width + j), even)
    return add(even, odd)


@borrowing_kernel
def forward(
    labels: tuple[int, ...], count: int, steps: Steps, space: Space, length: int
) -> tuple[float, float, int]:
    """Fill alpha and scales; the log of the sum over all paths, the sum of the last row of alpha, a verdict.

    Row t is scaled by one over the sum of row t - 1, not of its own: that sum is then never waited for.
    """
    n_labels = len(labels) if len(labels) > 0 else count
    width = (n_labels + 3) // 4 * 4
    weights, transitions, alpha, scales = space.weights, steps.weights, space.alpha, space.scales
    log_total = 0.0
    product = 1.0
    scale = 1.0
    total = 1.0
    lowest = spread(np.inf)
    for t in range(length):
        row = t * width
        scales[t] = scale
        sums, least = spread(0.0), spread(np.inf)
        for j in range(0, width, N_LANES):
            arriving = spread(scale)
            if t > 0:
                arriving = times(_four_sums(n_labels, width, alpha, row - width, transitions, j), arriving)
            here = times(arriving, load(weights, row + j))
            store(alpha, row + j, here)
            sums = add(sums, here)
            least = lower(where_above(here, spread(0.0), here, spread(np.inf)), least)
        total = sum_of_lanes(sums)
        scale = 1.0 / total
        lowest = lower(times(least, spread(scale)), lowest)
        if total == 0.0:
            # Nothing is left: because no path leads here, or because too small a row came before.
            return -np.inf, 0.0, EXTREME if lowest_lane(lowest) < LOWEST_FORWARD else NO_PATH
        if t < length - 1:
            # One log for many tokens: the product is brought back long before it leaves the range of a
            # double.
            product *= total
            if product < 1e-150 or product > 1e150:
                log_total += np.log(product)
                product = 1.0
    if lowest_lane(lowest) < LOWEST_FORWARD:
        return 0.0, 0.0, EXTREME
    return log_total + np.log(product * total), total, ORDINARY


@borrowing_kernel
def backward(
    labels: tuple[int, ...],
    count: int,
    steps: Steps,
    space: Space,
    length: int,
    last_total: float,
    marginals: FloatArray,
    begin: int,
) -> None:
    """Fill flat marginals with those of the sentence, from `begin` on; turn weights into what leaves each
    token backwards, for `add_edges`."""
    n_labels = len(labels) if len(labels) > 0 else count
    width = (n_labels + 3) // 4 * 4
    weights, transposed, alpha, scales = space.weights, steps.transposed, space.alpha, space.scales
    whole = n_labels // N_LANES * N_LANES
    for t in range(length - 1, -1, -1):
        row, place = t * width, begin + t * n_labels
        share = spread(0.0)
        for j in range(0, width, N_LANES):
            before = load(alpha, row + j)
            after = spread(1.0 / last_total)
            if t < length - 1:
                after = _four_sums(n_labels, width, weights, row + width, transposed, j)
                # A label that cannot be reached may have an infinite weight here: it must not meet a zero.
                after = where_above(before, spread(0.0), after, spread(0.0))
            store(weights, row + j, times(load(weights, row + j), times(spread(scales[t]), after)))
            share = times(before, after)
            if j < whole:
                store(marginals, place + j, share)
        for j in range(whole, n_labels):
            marginals[place + j] = lane(share, j - whole)


@borrowing_kernel
def add_edges(labels: tuple[int, ...], count: int, space: Space, length: int, sentence_weight: float) -> None:
    """Add the sentence's label pairs to outer, from what `backward` left.

    Two tokens at a time, so that the numbers of outer are read and written half as often.
    """
    n_labels = len(labels) if len(labels) > 0 else count
    width = (n_labels + 3) // 4 * 4
    alpha, leaving, outer = space.alpha, space.weights, space.outer
    for t in range(1, length, 2):
        row = t * width
        # The last token of a sentence of even length has no second one: its weight is zero, its place the
        # first.
        second = row + width if t + 1 < length else row
        second_weight = sentence_weight if t + 1 < length else 0.0
        for j in range(0, width, N_LANES):
            one = times(load(leaving, row + j), spread(sentence_weight))
            two = times(load(leaving, second + j), spread(second_weight))
            for i in range(n_labels):
                sums = load(outer, i * width + j)
                sums = times_add(spread_at(alpha, row - width + i), one, sums)
                sums = times_add(spread_at(alpha, second - width + i), two, sums)
                store(outer, i * width + j, sums)
