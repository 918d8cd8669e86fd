"""exp of four numbers at a time."""

from crowdseq.numerics.compiling import inlined
from crowdseq.numerics.lanes import (
    Four,
    higher,
    power_of_two,
    spread,
    subtract,
    times,
    times_add,
    where_above,
)

_LOG2_E = 1.4426950408889634
# ln 2 in two parts: the first has trailing zero bits, so k times it is exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOWEST = -700.0  # below this the result is taken as zero; minus infinity included
# Added to a number below 2^51 it leaves the nearest whole number, plus 1023, in the lowest bits.
_ROUNDER = 6755399441055744.0 + 1023.0


@inlined
def exponential(x: Four) -> Four:
    """exp of four numbers, all <= 0.

    exp(x) = 2^k exp(r) with |r| <= ln 2 / 2 and exp(r) as its Taylor sum: within two units in the last place.
    """
    kept = higher(x, spread(_LOWEST))
    rounded = times_add(kept, spread(_LOG2_E), spread(_ROUNDER))
    k = subtract(rounded, spread(_ROUNDER))
    r = times_add(k, spread(-_LN2_HIGH), kept)
    r = times_add(k, spread(-_LN2_LOW), r)
    p = spread(1.6059043836821613e-10)
    p = times_add(p, r, spread(2.08767569878681e-09))
    p = times_add(p, r, spread(2.505210838544172e-08))
    p = times_add(p, r, spread(2.755731922398589e-07))
    p = times_add(p, r, spread(2.7557319223985893e-06))
    p = times_add(p, r, spread(2.48015873015873e-05))
    p = times_add(p, r, spread(0.0001984126984126984))
    p = times_add(p, r, spread(0.001388888888888889))
    p = times_add(p, r, spread(0.008333333333333333))
    p = times_add(p, r, spread(0.041666666666666664))
    p = times_add(p, r, spread(0.16666666666666666))
    p = times_add(p, r, spread(0.5))
    p = times_add(p, r, spread(1.0))
    p = times_add(p, r, spread(1.0))
    return where_above(x, spread(_LOWEST), times(p, power_of_two(rounded)), spread(0.0))
