"""Work cut into fixed blocks and spread over threads, so that the number of threads never changes a sum."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.errors import SettingsError

TOKENS_PER_BLOCK = 4096  # small enough for a block's arrays to stay in the second-level cache


def sentence_blocks(offsets: IntArray, tokens_per_block: int = TOKENS_PER_BLOCK) -> IntArray:
    """(N + 1,) token offsets to (B + 1,) sentence bounds of blocks; depends on the text alone."""
    n_sentences = len(offsets) - 1
    if n_sentences <= 0:
        return np.zeros(1, dtype=np.int64)
    if offsets[-1] <= tokens_per_block:
        return np.array([0, n_sentences])  # most often, when a few sentences are tagged
    marks = np.arange(0, int(offsets[-1]), tokens_per_block)
    bounds = np.unique(np.searchsorted(offsets[:-1], marks, side="left"))
    bounds = bounds[bounds < n_sentences]
    # Leading sentences without tokens share the offset of mark zero, so the first bound is always zero.
    return np.append(bounds, n_sentences).astype(np.int64)


_THREADS: ContextVar[int] = ContextVar("crowdseq_threads", default=1)
_WAITING: dict[tuple[int, int], "SimpleQueue[_Share]"] = {}  # by process and number of threads


@contextmanager
def using_threads(threads: int | None) -> Iterator[None]:
    """Inside, `run_jobs` and `run_blocks` spread their work over so many threads; None leaves it as it is.

    The number is ambient, not an argument of all that calculates: it never changes a result, so no function
    needs it to say what it gives back. Each thread has its own number, and one that begins has 1.
    """
    if threads is None:
        yield
        return
    if threads < 1:
        raise SettingsError(f"threads must be at least 1, not {threads}")
    before = _THREADS.set(threads)
    try:
        yield
    finally:
        _THREADS.reset(before)


def threads_in_use() -> int:
    """Over how many threads work is spread here: 1 unless `using_threads` says otherwise."""
    return _THREADS.get()


class Block(NamedTuple):
    """One block: its number, and which items (sentences, rows …) it has, first..last without the last."""

    number: int
    first: int
    last: int


Job: TypeAlias = Callable[[], None]
Given = TypeVar("Given")
Result = TypeVar("Result")


def run_blocks(
    kernel: Callable[[Given, Result, Block], None], given: Given, result: Result, bounds: IntArray
) -> None:
    """Call kernel(given, result, block) for every block between (B + 1,) bounds, on the threads in use.

    A kernel for blocks reads what is given, and writes in the result only what belongs to its block: the
    items first..last, or the place by the number of the block. So blocks can run in any order, and what they
    sum up is added in the order of their numbers afterwards.
    """
    cuts = enumerate(pairwise(bounds.tolist()))
    run_jobs([partial(kernel, given, result, Block(number, *ends)) for number, ends in cuts])


def run_jobs(jobs: Sequence[Job]) -> None:
    """Do all jobs, on the threads in use; the caller's is one of them.

    No job may read or write what another one writes. Inside a job, one thread is in use.
    """
    turns = iter(jobs)
    extra = min(threads_in_use(), len(jobs)) - 1
    if extra <= 0:
        return _drain(turns)
    # The kernels release the interpreter lock; numba's own thread layers are left alone because
    # the one that comes with it may not be entered from two Python threads at once.
    shares = [_Share(turns) for _ in range(extra)]
    waiting = _helpers(extra)
    for share in shares:
        waiting.put(share)
    try:
        with using_threads(1):
            _drain(turns)
    finally:
        errors = [share.outcome.get() for share in shares if not share.take()]
    for error in errors:
        if error is not None:
            raise error
    return None


def _drain(turns: Iterator[Job]) -> None:
    for job in turns:
        job()


class _Share:
    """What a helper is asked to do; its outcome is an error or nothing. A future takes four times as long."""

    def __init__(self, turns: Iterator[Job]) -> None:
        self._turns, self._owner = turns, Lock()
        self.outcome: SimpleQueue[BaseException | None] = SimpleQueue()

    def take(self) -> bool:
        """Whether the share is still to be had: the caller of `run_jobs` takes back what nobody began."""
        return self._owner.acquire(blocking=False)

    def run(self) -> None:
        if not self.take():
            return
        error = None
        try:
            _drain(self._turns)
        except BaseException as found:
            error = found
        self.outcome.put(error)


def _helpers(size: int) -> "SimpleQueue[_Share]":
    """Where `size` threads wait for shares for as long as the process lives; a forked child gets its own."""
    key = (os.getpid(), size)
    if key not in _WAITING:
        fresh: SimpleQueue[_Share] = SimpleQueue()
        # Of several first callers one comes first, and that one starts the threads.
        if _WAITING.setdefault(key, fresh) is fresh:
            for _ in range(size):
                Thread(target=_serve, args=(fresh,), daemon=True, name="crowdseq").start()
    return _WAITING[key]


def _serve(waiting: "SimpleQueue[_Share]") -> None:
    _THREADS.set(1)  # some interpreters hand the starter's context to a new thread
    while True:
        waiting.get().run()
