"""Items that shards number by themselves, and states that they hold for a driver."""

import gc

import numpy as np
import pytest

from crowdseq.engines.engine import answer
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shards import Kept, Numbering, Versions, add_up
from crowdseq.numerics.blocks import threads_in_use


class Counter:
    """A worker with a part."""

    def __init__(self, first: int) -> None:
        self.value = first
        self.part = self

    def add(self, shared: int, own: int = 0) -> int:
        self.value += shared + own
        return self.value

    def threads(self) -> int:
        return threads_in_use()


def test_answers_come_in_the_order_of_the_shards_and_workers_keep_their_state() -> None:
    placed = LocalEngine().place(Counter, [10, 20, 30])
    assert placed.each("add", 1) == [11, 21, 31]
    assert placed.each("part.add", 1, own=[100, 200, 300]) == [112, 222, 332]


def test_a_call_uses_the_threads_of_its_engine() -> None:
    assert LocalEngine(3).place(Counter, [1, 2]).each("threads") == [3, 3]
    assert threads_in_use() == 1


def test_a_part_of_a_worker_is_reached_by_its_name() -> None:
    assert answer(Counter(1), "part.part.add", 2) == 3


def test_the_sum_of_one_shard_is_the_very_thing() -> None:
    rows = np.array([-0.0, 1.0])
    assert add_up([rows]) is rows
    assert Numbering.same(2, 1).add_up([rows]) is rows
    assert Numbering.same(2, 1).split(rows)[0] is rows
    np.testing.assert_array_equal(add_up([rows, rows, rows]), [0.0, 3.0])


def test_rows_of_shards_are_numbered_together() -> None:
    parts = [np.array([[0, 5], [2, 1]]), np.array([[0, 4], [0, 5]]), np.zeros((0, 2), np.int64)]
    rows, numbering = Numbering.of_rows(parts)
    np.testing.assert_array_equal(rows, [[0, 4], [0, 5], [2, 1]])
    for own, part in zip(numbering.split(rows), parts, strict=True):
        np.testing.assert_array_equal(own, part)
    sums = numbering.add_up([np.array([1.0, 2.0]), np.array([10.0, 20.0]), np.zeros(0)])
    np.testing.assert_array_equal(sums, [10.0, 21.0, 2.0])


def test_shards_may_forget_what_nobody_asks_for_any_more() -> None:
    versions, kept = Versions(), Kept[str]()
    first, second = versions.new(), versions.new()
    kept[first.number], kept[second.number] = "a", "b"
    assert versions.alive == (first.number, second.number)
    number = first.number
    del first
    gc.collect()
    kept.forget_others(versions.alive)
    assert kept[second.number] == "b"
    assert versions.new().number not in (number, second.number)
    with pytest.raises(KeyError):
        kept[number]
