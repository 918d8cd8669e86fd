"""Who runs for the first time is told why it takes a while, and nobody else."""

from collections.abc import Callable

import numba
import pytest
from numba.core import dispatcher

from crowdseq.numerics.compiling import compiling_told, kernel


def test_the_first_compilation_is_told_once_and_what_is_compiled_never() -> None:
    told: list[str] = []

    # A kernel that is not kept on disk has to be compiled by every process.
    one: Callable[[float], float] = numba.njit(lambda x: x + 1.0)
    two: Callable[[float], float] = numba.njit(lambda x: x * 2.0)
    with compiling_told(lambda: told.append("compiling")):
        assert told == []
        one(1.0)
        two(1.0)
    assert told == ["compiling"]
    with compiling_told(lambda: told.append("again")):
        one(2.0)
    assert told == ["compiling"]
    one(2)
    assert told == ["compiling"]


def test_a_kernel_works_where_nothing_can_be_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(function: object) -> None:
        raise RuntimeError(f"cannot cache function {function}: no locator available")

    monkeypatch.setattr(dispatcher, "FunctionCache", refuse)

    @kernel
    def twice(x: float) -> float:
        return x * 2.0

    assert twice(3.0) == 6.0
