"""How the bench measures: interleaved repeats, medians, and whether two cores are free."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.compiling import summing_kernel

_IN_FIRST_CACHE = 1_024  # doubles, also when two threads share it


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


@summing_kernel
def _spin(numbers: FloatArray, rounds: int) -> float:
    total = 0.0
    for _ in range(rounds):
        for i in range(len(numbers)):
            total += numbers[i]
    return total


def free_cores(rounds: int = 200_000) -> float:
    """How many cores two busy threads got in some 40 ms, at most 2.0.

    The sums fill a core by themselves. A loop that waits for its own last result would not: two hardware
    threads of one core run two of those side by side, and the test would tell one core for two.
    """
    return _gain_of_two(_IN_FIRST_CACHE, rounds)


def memory_gain(megabytes: int = 16) -> float:
    """How many times as much two threads read from memory as one, at most 2.0; each has so many megabytes.

    More than that no work gains that waits for memory, however many cores are free.
    """
    return _gain_of_two(megabytes * 131_072, 3)


def _gain_of_two(size: int, rounds: int) -> float:
    numbers = np.ones((2, size))
    _spin(numbers[0], 1)
    return min(2.0 * _spin_time(numbers[:1], rounds) / _spin_time(numbers, rounds), 2.0)


def _spin_time(numbers: FloatArray, rounds: int) -> float:
    """Of one thread for each row of numbers."""
    workers = [threading.Thread(target=_spin, args=(own, rounds)) for own in numbers]
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
