"""How the hot loops are compiled, and which label counts get a kernel of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

# Kernels made for one label count are faster by a quarter or so, and take seconds to compile for each count.
# So they are for label counts up to the first number (five types of spans with ends told apart, BIOES, are 21
# labels), and for texts of at least the second number of tokens times labels. All else shares one kernel for
# any count. Both give the same bits, so this choice is one of time alone.
LARGEST_OWN_KERNEL = 24
LEAST_OWN_WORK = 250_000

# "contract" fuses multiply and add, "nsz" ignores the sign of zero: no sum is reordered, infinities stay.
_STRICT = {"contract", "nsz"}


def kernel(function: Function) -> Function:
    """Compile without the interpreter lock and keep the machine code on disk.

    What a kernel works on is made outside of it: an array made, sliced, reshaped or filled as a whole inside
    takes longer to compile than its loops, since it brings its checks and their messages along.
    """
    return _compiled(function, fastmath=_STRICT)


def borrowing_kernel(function: Function) -> Function:
    """As `kernel`, for parts of kernels that make no arrays and give none back; only kernels can call one.

    References to arrays are then not counted: the caller holds them anyway, and counting those of a bundle
    takes as long as a pass over a short sentence. Nor is anything compiled for calls from Python.
    """
    return _compiled(function, fastmath=_STRICT, _nrt=False, no_cpython_wrapper=True)


def inlined(function: Function) -> Function:
    """As `kernel`, for a small part of kernels: put in place before compiling, so sums stay in registers."""
    return _compiled(function, fastmath=_STRICT, inline="always")


def summing_kernel(function: Function) -> Function:
    """As `kernel`, for plain sums that may be added in vector order (the same on every call)."""
    return _compiled(function, fastmath=_STRICT | {"reassoc"})


def _compiled(function: Function, **options: Any) -> Function:
    """Where neither the package nor the home folder can be written, each process compiles for itself."""
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}  # C never calls a kernel
    try:
        return cast(Function, njit(cache=True, **options)(function))
    except RuntimeError:
        return cast(Function, njit(**options)(function))


def own_labels(n_labels: int, n_tokens: int) -> tuple[int, ...]:
    """A tuple whose *length* is the label count: numba compiles one kernel per tuple type and caches it.

    Empty where one kernel serves all label counts, which then takes the count from the arrays: above
    LARGEST_OWN_KERNEL labels, and where fewer than LEAST_OWN_WORK tokens times labels do not pay for
    compiling.
    """
    pays = n_labels <= LARGEST_OWN_KERNEL and n_tokens * n_labels >= LEAST_OWN_WORK
    return (0,) * n_labels if pays else ()


@contextmanager
def compiling_told(tell: Callable[[int], None]) -> Iterator[None]:
    """Call `tell` whenever a kernel has to be compiled in this time, with the number of those that are
    done: 0 for the first. Never if all are on disk already; parts of kernels do not count."""
    with event.install_listener("numba:compile", _Starts(tell)):
        yield


class _Starts(event.Listener):
    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell, self._done, self._depth = tell, 0, 0

    def on_start(self, event: object) -> None:  # noqa: ARG002  the name is numba's
        self._depth += 1
        if self._depth == 1:
            self._tell(self._done)

    def on_end(self, event: object) -> None:  # noqa: ARG002
        self._depth -= 1
        self._done += self._depth == 0
