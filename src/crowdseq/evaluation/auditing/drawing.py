"""Which unit is audited next: an order drawn once, in which doubtful and long sentences come earlier."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray

# Of the weight, this part follows the doubts of the model. More of it helps where the model knows where it
# errs, and costs where it errs without knowing; the least weight of all bounds how much a surprise costs.
_BY_DOUBT = 0.3


def draw_weights(sizes: FloatArray, doubts: FloatArray | None = None) -> FloatArray:
    """(N,) weights with mean one, none of them small.

    sizes: the most that can be wrong in each sentence. Up to the mean size all weigh the same, longer ones
    more, so that neither a share of sentences nor a share of spans hangs on few draws.
    doubts: how unsure a model is of each, or None to go without it.
    """
    if len(sizes) == 0:
        return np.zeros(0)
    base: FloatArray = np.maximum(sizes, max(float(sizes.mean()), 1e-9))
    base /= base.mean()
    if doubts is None or not doubts.any():
        return base
    # The root: weights in proportion to the spread of what a draw can tell, not to its mean.
    unsure = np.sqrt(doubts)
    weights: FloatArray = base * (1.0 - _BY_DOUBT + _BY_DOUBT * unsure / unsure.mean())
    weights /= weights.mean()
    return weights


def draw_order(weights: FloatArray, seed: int) -> IntArray:
    """(N,) the order of drawing without replacement, each time in proportion to the weights that are left.

    The first of exponential clocks to ring is drawn with its share of the rates, and so is each next one.
    """
    clocks = np.random.default_rng(seed).exponential(size=len(weights)) / weights
    return np.argsort(clocks, kind="stable")
