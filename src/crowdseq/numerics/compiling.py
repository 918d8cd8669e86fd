"""How the hot loops are compiled, and how many labels get a kernel of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

# Up to this many labels the count is a compile-time constant, which makes chain sums twice as fast; above it
# one kernel serves all. Five types of spans with ends told apart (BIOES) are 21 labels.
LARGEST_OWN_KERNEL = 24

# "contract" fuses multiply and add, "nsz" ignores the sign of zero: no sum is reordered, infinities stay.
_STRICT = {"contract", "nsz"}


def kernel(function: Function) -> Function:
    """Compile without the interpreter lock and keep the machine code on disk."""
    return _compiled(function, fastmath=_STRICT)


def borrowing_kernel(function: Function) -> Function:
    """As `kernel`, for parts of kernels that make no arrays and give none back.

    References to arrays are then not counted: the caller holds them anyway, and counting those of a bundle
    takes as long as a pass over a short sentence.
    """
    return _compiled(function, fastmath=_STRICT, _nrt=False)


def inlined(function: Function) -> Function:
    """As `kernel`, for a small part of kernels: put in place before compiling, so sums stay in registers."""
    return _compiled(function, fastmath=_STRICT, inline="always")


def summing_kernel(function: Function) -> Function:
    """As `kernel`, for plain sums that may be added in vector order (the same on every call)."""
    return _compiled(function, fastmath=_STRICT | {"reassoc"})


def _compiled(function: Function, **options: Any) -> Function:
    """Where neither the package nor the home folder can be written, each process compiles for itself."""
    try:
        return cast(Function, njit(cache=True, nogil=True, error_model="numpy", **options)(function))
    except RuntimeError:
        return cast(Function, njit(nogil=True, error_model="numpy", **options)(function))


def own_labels(n_labels: int) -> tuple[int, ...]:
    """A tuple whose *length* is the label count: numba compiles one kernel per tuple type and caches it.

    Empty above LARGEST_OWN_KERNEL; kernels then take the count from the arrays.
    """
    return (0,) * n_labels if n_labels <= LARGEST_OWN_KERNEL else ()


@contextmanager
def compiling_told(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` when the first kernel has to be compiled in this time; never if all are on disk already."""
    listener = _FirstStart(tell)
    with event.install_listener("numba:compile", listener):
        yield


class _FirstStart(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._waiting = [tell]

    def on_start(self, event: object) -> None:  # noqa: ARG002  the name is numba's
        if self._waiting:
            self._waiting.pop()()

    def on_end(self, event: object) -> None:
        pass
