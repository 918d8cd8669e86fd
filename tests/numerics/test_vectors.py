"""Passes over long vectors: the same bits on any number of threads, and what numpy says."""

import numpy as np
import pytest

from crowdseq.numerics.optimise import vectors

_SHORT, _LONG = 40_000, 1_200_000  # the second is long enough for threads to be used


@pytest.mark.parametrize("size", [1, _SHORT, _LONG])
@pytest.mark.parametrize("threads", [2, 3, 100])
def test_threads_change_no_bit(size: int, threads: int) -> None:
    a, b, c, d = np.random.default_rng(size).normal(size=(4, size))
    assert vectors.dot(a, b, threads) == vectors.dot(a, b)
    assert np.array_equal(vectors.move(a, 0.3, b, threads), vectors.move(a, 0.3, b))
    alone, together = vectors.compare(a, b, c, d), vectors.compare(a, b, c, d, threads)
    assert alone[2:] == together[2:]
    assert np.array_equal(alone[:2], together[:2])
    one, many = a.copy(), a.copy()
    assert vectors.advance(one, 0.7, b, 0.3, c) == vectors.advance(many, 0.7, b, 0.3, c, threads)
    assert np.array_equal(one, many)


@pytest.mark.parametrize("size", [1, _SHORT, _LONG])
def test_passes_say_what_numpy_says(size: int) -> None:
    a, b, c, d = np.random.default_rng(size).normal(size=(4, size))
    assert vectors.dot(a, b, 2) == pytest.approx(np.dot(a, b), rel=1e-9, abs=1e-9)
    assert np.array_equal(vectors.move(a, 0.5, b, 2), a + 0.5 * b)
    moved = a.copy()
    product = vectors.advance(moved, 0.5, b, 2.0, c, 2)
    assert np.allclose(moved, 2.0 * a + b, rtol=0, atol=1e-12)
    assert product == pytest.approx(np.dot(2.0 * a + b, c), rel=1e-9, abs=1e-9)
    step, change, along, square = vectors.compare(a, b, c, d, 2)
    assert np.array_equal(step, a - b)
    assert np.array_equal(change, c - d)
    assert along == pytest.approx(np.dot(a - b, c - d), rel=1e-9, abs=1e-9)
    assert square == pytest.approx(np.dot(c - d, c - d), rel=1e-9)
    gradient = c.copy()
    along, square = vectors.subtract_and_penalise(gradient, d, a, 0.25, 2)
    assert np.allclose(gradient, c + 0.5 * a - d, rtol=0, atol=1e-12)
    assert along == pytest.approx(np.dot(a, d), rel=1e-9, abs=1e-9)
    assert square == pytest.approx(np.dot(a, a), rel=1e-9)
