"""The parts under the chain sums: blocks, exponentials, the minimiser."""

import threading
import time
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from crowdseq.arrays import FloatArray
from crowdseq.errors import SettingsError
from crowdseq.numerics.blocks import (
    Block,
    run_blocks,
    run_jobs,
    sentence_blocks,
    threads_in_use,
    using_threads,
)
from crowdseq.numerics.compiling import kernel
from crowdseq.numerics.lanes import N_LANES, exponential, load, store
from crowdseq.numerics.optimise.lbfgs import Minimiser


@kernel
def exponentials(values: FloatArray) -> None:
    """Replace values, a multiple of four of them."""
    for place in range(0, len(values), N_LANES):
        store(values, place, exponential(load(values, place)))


def test_exponentials_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([-rng.random(5_000) * 700, [-0.0, 0.0, -1e-300, -1e-9, -699.9, -0.5, -1.0, -2.0]])
    found = values.copy()
    exponentials(found)
    np.testing.assert_allclose(found, np.exp(values), rtol=1e-15)


def test_the_exponential_of_minus_infinity_is_exactly_zero() -> None:
    values = np.array([-np.inf, -701.0, -1e308, 0.0])
    exponentials(values)
    assert values.tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "lengths",
    [[], [0], [5], [0, 0, 3], [3, 0, 0], [10] * 50, [1000, 1, 1, 1000], [0] * 9, [64], [0, 64, 0], [64, 1]],
)
def test_blocks_cover_every_sentence_once(lengths: list[int]) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    bounds = sentence_blocks(offsets, tokens_per_block=64)
    assert bounds[0] == 0
    assert bounds[-1] == len(lengths)
    assert (np.diff(bounds) > 0).all()


def test_every_block_runs_once_on_several_threads() -> None:
    done: list[int] = []
    lock = threading.Lock()

    def work(block: int) -> None:
        with lock:
            done.append(block)

    with using_threads(4):
        run_jobs([partial(work, block) for block in range(100)])
    assert sorted(done) == list(range(100))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_a_block_reaches_the_caller(threads: int) -> None:
    def work(block: int) -> None:
        if block == 7:
            raise ValueError("block seven")

    with using_threads(threads), pytest.raises(ValueError, match="block seven"):
        run_jobs([partial(work, block) for block in range(20)])


def test_callers_on_many_threads_do_not_disturb_each_other() -> None:
    sums: dict[int, list[int]] = {number: [] for number in range(6)}

    def call(number: int) -> None:
        with using_threads(2):
            for _ in range(20):
                run_jobs([partial(sums[number].append, block) for block in range(10)])

    callers = [threading.Thread(target=call, args=(number,)) for number in sums]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all(sum(blocks) == 20 * 45 for blocks in sums.values())


def test_an_error_on_a_helper_reaches_the_caller() -> None:
    here = threading.get_ident()

    def work() -> None:
        if threading.get_ident() != here:
            raise ValueError("not by me")
        time.sleep(0.01)  # long enough for a helper to come

    done: list[int] = []
    with using_threads(2):
        with pytest.raises(ValueError, match="not by me"):
            run_jobs([work] * 40)
        run_jobs([partial(done.append, block) for block in range(5)])  # and the helper still serves
    assert sorted(done) == list(range(5))


def test_first_callers_at_once_share_their_helpers() -> None:
    size = 5  # that no other test uses
    barrier = threading.Barrier(8)

    def call() -> None:
        barrier.wait()
        with using_threads(size + 1):
            run_jobs([partial(time.sleep, 0.001)] * 20)

    before = threading.active_count()
    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert threading.active_count() - before <= size


def test_blocks_may_have_blocks() -> None:
    done: list[tuple[int, int]] = []

    def work(block: int) -> None:
        with using_threads(2):
            run_jobs([partial(done.append, (block, inner)) for inner in range(4)])

    with using_threads(2):
        run_jobs([partial(work, block) for block in range(8)])
    assert sorted(done) == [(block, inner) for block in range(8) for inner in range(4)]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_kernel_is_given_the_bounds_and_the_number_of_every_block(threads: int) -> None:
    def double(given: list[int], result: dict[int, list[int]], block: Block) -> None:
        result[block.number] = [2 * given[place] for place in range(block.first, block.last)]

    found: dict[int, list[int]] = {}
    with using_threads(threads):
        run_blocks(double, [3, 4, 5, 6, 7], found, np.array([0, 2, 2, 5]))
    assert found == {0: [6, 8], 1: [], 2: [10, 12, 14]}


def test_inside_a_job_one_thread_is_in_use() -> None:
    here, seen = threading.get_ident(), set()

    def work() -> None:
        seen.add((threading.get_ident() == here, threads_in_use()))
        time.sleep(0.005)  # long enough for helpers to come

    with using_threads(3):
        run_jobs([work] * 40)
        assert threads_in_use() == 3
    assert seen == {(True, 1), (False, 1)}


def test_the_number_of_threads_is_put_back_and_stays_with_its_thread() -> None:
    elsewhere = []
    with using_threads(4):
        with pytest.raises(ZeroDivisionError), using_threads(2):
            assert threads_in_use() == 1 // 0
        with using_threads(None):
            assert threads_in_use() == 4
        other = threading.Thread(target=lambda: elsewhere.append(threads_in_use()))
        other.start()
        other.join()
    assert threads_in_use() == 1
    assert elsewhere == [1]


def test_less_than_one_thread_is_refused() -> None:
    with pytest.raises(SettingsError, match="threads must be at least 1, not 0"), using_threads(0):
        pass


def bowl(weights: FloatArray) -> tuple[float, FloatArray]:
    """A stretched bowl with its lowest point at 1, 2, 3, …"""
    stretch = np.arange(1.0, len(weights) + 1)
    away = weights - stretch
    return float(stretch @ away**2), 2 * stretch * away


def valley(weights: FloatArray) -> tuple[float, FloatArray]:
    """Rosenbrock's bent valley."""
    x, y = weights
    value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
    return float(value), np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])


def test_the_minimiser_finds_the_lowest_point() -> None:
    found = Minimiser(tolerance=0.0).minimise(bowl, np.zeros(40))
    np.testing.assert_allclose(found.weights, np.arange(1.0, 41.0), atol=1e-6)
    assert found.converged
    bent = Minimiser(tolerance=0.0).minimise(valley, np.array([-1.2, 1.0]))
    np.testing.assert_allclose(bent.weights, [1.0, 1.0], atol=1e-5)


def test_the_value_never_rises() -> None:
    history = Minimiser(tolerance=0.0).minimise(valley, np.array([-1.2, 1.0])).history
    assert all(after <= before for before, after in pairwise(history))


def test_l1_solves_what_can_be_solved_by_hand() -> None:
    # min (w - a)^2 + l1 |w| is a, drawn to zero by l1 / 2.
    wanted = np.array([3.0, -2.0, 0.4, -0.1, 0.0])
    found = Minimiser(tolerance=0.0, l1=1.0).minimise(
        lambda w: (float((w - wanted) @ (w - wanted)), 2 * (w - wanted)), np.ones(5)
    )
    np.testing.assert_allclose(found.weights, [2.5, -1.5, 0.0, 0.0, 0.0], atol=1e-6)
    assert (found.weights[2:] == 0.0).all()


def test_the_minimiser_stops_where_it_is_told() -> None:
    enough = Minimiser(stop_below=100.0, tolerance=0.0).minimise(bowl, np.zeros(40))
    assert enough.value <= 100.0
    assert enough.iterations < Minimiser(tolerance=0.0).minimise(bowl, np.zeros(40)).iterations
    few = Minimiser(max_iterations=2, tolerance=0.0).minimise(bowl, np.zeros(40))
    assert few.iterations == 2
    assert not few.converged


def test_memory_of_another_objective_does_no_harm() -> None:
    elsewhere = Minimiser(tolerance=0.0).minimise(bowl, np.zeros(2))
    found = Minimiser(tolerance=0.0).minimise(valley, np.array([-1.2, 1.0]), elsewhere.memory)
    np.testing.assert_allclose(found.weights, [1.0, 1.0], atol=1e-5)


def test_a_gradient_whose_beginning_is_zero_is_not_taken_for_flat() -> None:
    def late_slope(weights: FloatArray) -> tuple[float, FloatArray]:
        gradient = np.zeros_like(weights)
        gradient[-1] = 2 * (weights[-1] - 5.0)
        return float((weights[-1] - 5.0) ** 2), gradient

    found = Minimiser(tolerance=0.0).minimise(late_slope, np.zeros(5_000))
    assert found.weights[-1] == pytest.approx(5.0)
