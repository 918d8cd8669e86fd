"""exp over a flat array, written so that the compiler can do four at a time."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.compiling import kernel

_LOG2_E = 1.4426950408889634
# ln 2 in two parts: the first has trailing zero bits, so k times it is exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOWEST = -700.0  # below this the result is taken as zero; minus infinity included


@kernel
def exponentials(values: FloatArray, powers: IntArray, size: int) -> None:
    """Replace the first `size` values, all <= 0, by their exponentials; `powers` is scratch as long.

    exp(x) = 2^k exp(r) with |r| <= ln 2 / 2 and exp(r) as its Taylor sum: within two units in the last place.
    """
    for i in range(size):
        x = max(values[i], _LOWEST)
        k = np.floor(x * _LOG2_E + 0.5)
        r = (x - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1.6059043836821613e-10
        p = p * r + 2.08767569878681e-09
        p = p * r + 2.505210838544172e-08
        p = p * r + 2.755731922398589e-07
        p = p * r + 2.7557319223985893e-06
        p = p * r + 2.48015873015873e-05
        p = p * r + 0.0001984126984126984
        p = p * r + 0.001388888888888889
        p = p * r + 0.008333333333333333
        p = p * r + 0.041666666666666664
        p = p * r + 0.16666666666666666
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        # A double with these bits is 2^k; all bits zero is 0.0, which is what minus infinity must give.
        powers[i] = (np.int64(np.int32(k) + np.int32(1023)) << 52) if values[i] > _LOWEST else np.int64(0)
        values[i] = p
    scales = powers.view(np.float64)
    for i in range(size):
        values[i] *= scales[i]
