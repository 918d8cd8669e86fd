"""Passes over long vectors: the same bits on any number of threads, and what numpy says."""

import numpy as np
import pytest

from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.optimise import vectors

_SHORT, _LONG = 40_000, 1_200_000  # the second is long enough for threads to be used


@pytest.mark.parametrize("size", [1, _SHORT, _LONG])
@pytest.mark.parametrize("threads", [2, 3, 100])
def test_threads_change_no_bit(size: int, threads: int) -> None:
    a, b, c, d = np.random.default_rng(size).normal(size=(4, size))
    one, many = a.copy(), a.copy()
    alone = vectors.compare(a, b, c, d)
    scalars = vectors.dot(a, b), vectors.advance(one, 0.7, b, 0.3, c)
    moved = vectors.move(a, 0.3, b)
    with using_threads(threads):
        together = vectors.compare(a, b, c, d)
        assert scalars == (vectors.dot(a, b), vectors.advance(many, 0.7, b, 0.3, c))
        assert np.array_equal(moved, vectors.move(a, 0.3, b))
    assert alone[2:] == together[2:]
    assert np.array_equal(alone[:2], together[:2])
    assert np.array_equal(one, many)


@pytest.mark.parametrize("size", [1, _SHORT, _LONG])
def test_passes_say_what_numpy_says(size: int) -> None:
    a, b, c, d = np.random.default_rng(size).normal(size=(4, size))
    with using_threads(2):
        assert vectors.dot(a, b) == pytest.approx(np.dot(a, b), rel=1e-9, abs=1e-9)
        assert np.array_equal(vectors.move(a, 0.5, b), a + 0.5 * b)
        moved = a.copy()
        product = vectors.advance(moved, 0.5, b, 2.0, c)
        assert np.allclose(moved, 2.0 * a + b, rtol=0, atol=1e-12)
        assert product == pytest.approx(np.dot(2.0 * a + b, c), rel=1e-9, abs=1e-9)
        step, change, along, square = vectors.compare(a, b, c, d)
        assert np.array_equal(step, a - b)
        assert np.array_equal(change, c - d)
        assert along == pytest.approx(np.dot(a - b, c - d), rel=1e-9, abs=1e-9)
        assert square == pytest.approx(np.dot(c - d, c - d), rel=1e-9)
        gradient = c.copy()
        along, square = vectors.subtract_and_penalise(gradient, d, a, 0.25)
        assert np.allclose(gradient, c + 0.5 * a - d, rtol=0, atol=1e-12)
        assert along == pytest.approx(np.dot(a, d), rel=1e-9, abs=1e-9)
        assert square == pytest.approx(np.dot(a, a), rel=1e-9)


def test_what_may_only_be_read_is_multiplied_too() -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 50))
    wanted = vectors.dot(a, b)
    a.setflags(write=False)
    b.setflags(write=False)
    assert vectors.dot(a, b) == wanted
