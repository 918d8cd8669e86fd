"""Who runs for the first time is told why it takes a while, and nobody else."""

from collections.abc import Callable

import numba
import pytest
from numba.core import dispatcher

from crowdseq.numerics.compiling import compiling_told, kernel


def test_each_compilation_is_told_and_what_is_compiled_never() -> None:
    told: list[int] = []

    # A kernel that is not kept on disk has to be compiled by every process.
    one: Callable[[float], float] = numba.njit(lambda x: x + 1.0)
    two: Callable[[float], float] = numba.njit(lambda x: one(x) * 2.0)
    with compiling_told(told.append):
        assert told == []
        two(1.0)  # the one inside is a part of it
        one(2)
    assert told == [0, 1]
    with compiling_told(told.append):
        one(2.0)
        two(2.0)
    assert told == [0, 1]
    two(2)
    assert told == [0, 1]


def test_a_kernel_works_where_nothing_can_be_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(function: object) -> None:
        raise RuntimeError(f"cannot cache function {function}: no locator available")

    monkeypatch.setattr(dispatcher, "FunctionCache", refuse)

    @kernel
    def twice(x: float) -> float:
        return x * 2.0

    assert twice(3.0) == 6.0
