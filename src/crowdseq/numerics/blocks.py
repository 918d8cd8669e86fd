"""Work cut into fixed blocks and spread over threads, so that the number of threads never changes a sum."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

import numpy as np

from crowdseq.arrays import IntArray

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


def run_blocks(work: Callable[[int], None], n_blocks: int, threads: int) -> None:
    """Call work(block) once for every block, on up to `threads` threads; the caller's is one of them."""
    turns = iter(range(n_blocks))
    extra = min(threads, n_blocks) - 1
    if extra <= 0:
        return _drain(work, turns)
    # The kernels release the interpreter lock; numba's own thread layers are left alone because
    # the one that comes with it may not be entered from two Python threads at once.
    helpers = [_pool(os.getpid(), extra).submit(_drain, work, turns) for _ in range(extra)]
    try:
        _drain(work, turns)
    finally:
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
    for helper in started:
        helper.result()
    return None


def _drain(work: Callable[[int], None], turns: Iterator[int]) -> None:
    for block in turns:
        work(block)


@cache
def _pool(process: int, size: int) -> ThreadPoolExecutor:  # noqa: ARG001  a forked child needs its own pool
    return ThreadPoolExecutor(size, thread_name_prefix="crowdseq")
