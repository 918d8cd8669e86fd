"""How the bench measures: interleaved repeats, medians, and whether two cores are free."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crowdseq.numerics.compiling import kernel

Clock = Callable[[], float]


@dataclass(frozen=True)
class Timing:
    """Medians of interleaved repeats in seconds: by processor time and by the clock on the wall."""

    cpu: float
    wall: float


def interleave(jobs: Sequence[Callable[[], object]], repeats: int) -> list[Timing]:
    """Run all jobs in turn, several times over, so that a busy moment hits all alike."""
    cpu: list[list[float]] = [[] for _ in jobs]
    wall: list[list[float]] = [[] for _ in jobs]
    for _ in range(repeats):
        for place, job in enumerate(jobs):
            begun_cpu, begun_wall = time.process_time(), time.perf_counter()
            job()
            cpu[place].append(time.process_time() - begun_cpu)
            wall[place].append(time.perf_counter() - begun_wall)
    return [Timing(statistics.median(a), statistics.median(b)) for a, b in zip(cpu, wall, strict=True)]


@kernel
def _spin(rounds: int) -> float:
    value = 1.0
    for _ in range(rounds):
        value = value * 0.999999 + 1e-6
    return value


def free_cores(rounds: int = 100_000_000, repeats: int = 3) -> float:
    """How many cores two busy threads got, 1.0 to 2.0: the best of a few tries."""
    _spin(1)
    best = 0.0
    for _ in range(repeats):
        alone = _spin_time(1, rounds)
        best = max(best, 2.0 * alone / _spin_time(2, rounds))
    return min(best, 2.0)


def _spin_time(threads: int, rounds: int) -> float:
    workers = [threading.Thread(target=_spin, args=(rounds,)) for _ in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - begun


def peak_memory_of(arguments: Sequence[str]) -> float:
    """Peak resident megabytes of `python -m ...`, which prints them as its last word."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    return float(done.stdout.split()[-1])


def wall_time_of(arguments: Sequence[str], text: str) -> float:
    """Seconds of `python -m ...` from start to end, with text on its standard input."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", *arguments], input=text, capture_output=True, text=True, check=True)
    return time.perf_counter() - begun
