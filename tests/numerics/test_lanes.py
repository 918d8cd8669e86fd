"""Four at a time is what one at a time gives."""

import math

import numpy as np
import pytest

from crowdseq.arrays import FloatArray
from crowdseq.numerics import lanes
from crowdseq.numerics.compiling import kernel


@kernel
def _all_operations(
    a: FloatArray, b: FloatArray, c: FloatArray, out: FloatArray
) -> tuple[float, float, float]:
    x, y, z = lanes.load(a, 1), lanes.load(b, 0), lanes.load(c, 0)
    lanes.store(out, 0, lanes.add(x, y))
    lanes.store(out, 4, lanes.subtract(x, y))
    lanes.store(out, 8, lanes.times(x, y))
    lanes.store(out, 12, lanes.times_add(x, y, z))
    lanes.store(out, 16, lanes.higher(x, y))
    lanes.store(out, 20, lanes.lower(x, y))
    lanes.store(out, 24, lanes.where_above(x, y, z, lanes.spread(7.0)))
    lanes.store(out, 28, lanes.spread_at(a, 2))
    for number in range(4):
        out[32 + number] = lanes.lane(x, number)
    return lanes.sum_of_lanes(x), lanes.highest_lane(x), lanes.lowest_lane(x)


def test_every_operation_works_lane_by_lane() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b, c, out = rng.normal(size=5), rng.normal(size=4), rng.normal(size=4), np.empty(36)
        total, highest, lowest = _all_operations(a, b, c, out)
        x = a[1:]
        wanted = [
            x + b,
            x - b,
            x * b,
            x * b + c,
            np.maximum(x, b),
            np.minimum(x, b),
            np.where(x > b, c, 7.0),
            np.full(4, a[2]),
            x,
        ]
        np.testing.assert_allclose(out.reshape(9, 4), np.stack(wanted), rtol=1e-14, atol=1e-15)
        assert total == pytest.approx(math.fsum(x), abs=1e-14)
        assert (highest, lowest) == (x.max(), x.min())


def test_what_cannot_be_compared_gives_way_to_the_second() -> None:
    a, b, out = np.full(5, np.nan), np.array([1.0, -np.inf, np.inf, 0.0]), np.empty(36)
    _all_operations(a, b, b, out)
    assert out[16:20].tolist() == b.tolist()
    assert out[20:24].tolist() == b.tolist()
    assert out[24:28].tolist() == [7.0] * 4
