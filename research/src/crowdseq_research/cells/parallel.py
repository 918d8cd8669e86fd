"""Cells computed by several processes; each is on the disk as soon as it is done."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq_research.cells.cell_file import CellFile, Tell, key_of

CellOf = Callable[[Mapping[str, Any], Path], Mapping[str, Any]]


@dataclass(frozen=True)
class Workers:
    """How many processes at a time, on data of which folder, who is told, and which cells are too old."""

    data: Path
    jobs: int
    tell: Tell
    is_outdated: Callable[[Mapping[str, Any]], bool] = lambda _: False


def compute_all(
    file: CellFile, keys: Sequence[Mapping[str, Any]], compute: CellOf, workers: Workers
) -> list[dict[str, Any]]:
    """The cells of all keys, in their order; those missing or outdated are computed and appended.

    compute: a function of a module, since other processes have to find it. An interrupt loses only the cells
    that are being computed.
    """
    found = {name: cell for name, cell in file.load().items() if not workers.is_outdated(cell)}
    missing = [key for key in keys if key_of(key) not in found]
    clock = _Clock(len(keys), len(missing), workers.tell)
    if missing:
        # Spawned: compiled kernels and threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        n_workers = min(workers.jobs, len(missing))
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(n_workers, mp_context=context, initializer=_begin_worker)
        try:
            with _interrupts_held():
                futures: dict[Future[Mapping[str, Any]], Mapping[str, Any]] = {
                    pool.submit(compute, key, workers.data): key for key in missing
                }
            for future in as_completed(futures):
                key = futures[future]
                cell = {"key": dict(key), **future.result()}
                file.append(cell)
                found[key_of(key)] = cell
                clock.done(key)
        except BaseException:
            # Nobody waits for the cells that are being computed.
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise
        finally:
            # Waited for: a pool that is left to itself may stumble over its own end when Python leaves.
            pool.shutdown(wait=True, cancel_futures=True)
    return [found[key_of(key)] for key in keys]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes born meanwhile never hear Ctrl-C, not even while importing; here it comes a moment later."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    """A worker leaves with its parent: else it would wait for work for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _Clock:
    """Tells how far the cells are and about how long the rest takes."""

    def __init__(self, total: int, missing: int, tell: Tell) -> None:
        self._total, self._missing, self._tell = total, missing, tell
        self._begun, self._finished = time.monotonic(), 0
        tell(f"{total - missing} of {total} cells are there", total - missing, total)

    def done(self, key: Mapping[str, Any]) -> None:
        self._finished += 1
        rest = self._missing - self._finished
        minutes = (time.monotonic() - self._begun) / self._finished * rest / 60
        what = f"{key.get('data', 'cell')}, {key.get('method', 'counts')} done, about {minutes:.0f} min left"
        self._tell(what, self._total - rest, self._total)
