"""Work cut into fixed blocks and spread over threads, so that the number of threads never changes a sum."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from queue import SimpleQueue
from threading import Lock, Thread

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.errors import SettingsError

TOKENS_PER_BLOCK = 4096  # small enough for a block's arrays to stay in the second-level cache


def sentence_blocks(offsets: IntArray, tokens_per_block: int = TOKENS_PER_BLOCK) -> IntArray:
    """(N + 1,) token offsets to (B + 1,) sentence bounds of blocks; depends on the text alone."""
    n_sentences = len(offsets) - 1
    if n_sentences <= 0:
        return np.zeros(1, dtype=np.int64)
    marks = np.arange(0, max(int(offsets[-1]), 1), tokens_per_block)
    bounds = np.unique(np.searchsorted(offsets[:-1], marks, side="left"))
    bounds = bounds[bounds < n_sentences]
    # Leading sentences without tokens share the offset of mark zero, so the first bound is always zero.
    return np.append(bounds, n_sentences).astype(np.int64)


_THREADS: ContextVar[int] = ContextVar("crowdseq_threads", default=1)
_WAITING: dict[tuple[int, int], "SimpleQueue[_Share]"] = {}  # by process and number of threads


@contextmanager
def using_threads(threads: int | None) -> Iterator[None]:
    """Inside, `run_blocks` spreads its work over so many threads; None leaves it as it is.

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
    """Over how many threads `run_blocks` spreads its work here: 1 unless `using_threads` says otherwise."""
    return _THREADS.get()


def run_blocks(work: Callable[[int], None], n_blocks: int) -> None:
    """Call work(block) once for every block, on the threads in use; the caller's is one of them.

    Each call must write what no other call reads or writes. Inside work, one thread is in use.
    """
    turns = iter(range(n_blocks))
    extra = min(threads_in_use(), n_blocks) - 1
    if extra <= 0:
        return _drain(work, turns)
    # The kernels release the interpreter lock; numba's own thread layers are left alone because
    # the one that comes with it may not be entered from two Python threads at once.
    shares = [_Share(work, turns) for _ in range(extra)]
    waiting = _helpers(extra)
    for share in shares:
        waiting.put(share)
    try:
        with using_threads(1):
            _drain(work, turns)
    finally:
        errors = [share.outcome.get() for share in shares if not share.take()]
    for error in errors:
        if error is not None:
            raise error
    return None


def _drain(work: Callable[[int], None], turns: Iterator[int]) -> None:
    for block in turns:
        work(block)


class _Share:
    """What a helper is asked to do; its outcome is an error or nothing. A future takes four times as long."""

    def __init__(self, work: Callable[[int], None], turns: Iterator[int]) -> None:
        self._work, self._turns, self._owner = work, turns, Lock()
        self.outcome: SimpleQueue[BaseException | None] = SimpleQueue()

    def take(self) -> bool:
        """Whether the share is still to be had: the caller of `run_blocks` takes back what nobody began."""
        return self._owner.acquire(blocking=False)

    def run(self) -> None:
        if not self.take():
            return
        error = None
        try:
            _drain(self._work, self._turns)
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
