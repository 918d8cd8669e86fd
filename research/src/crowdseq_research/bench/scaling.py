"""Two threads beside one of ours, step by step, judged by the moments in which two cores were free."""

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Semaphore
from typing import TypeAlias

from crowdseq_research.bench.rows import FREE_CORES, Row
from crowdseq_research.bench.timing import Timing, free_cores, memory_gain

# A training run of so many steps: it calls what it is given after each, and that call may take its time.
Run: TypeAlias = Callable[[int, Callable[[], None]], object]

_WARM_UP = 8  # steps until the memory of the optimiser is full
_ENOUGH = 10  # rounds with two free cores, for a median of these alone


@dataclass(frozen=True)
class Round:
    """One step of one thread, one of two threads, and the fewest cores that spin tests around them got."""

    one: Timing
    two: Timing
    cores: float


def measure_rounds(one: Run, two: Run, n_rounds: int) -> list[Round]:
    """Both runs take a step in turn, with a spin test before, between and after.

    Neighbours come and go within tenths of a second, so longer turns would seldom meet a free machine.
    """
    found = []
    with ThreadPoolExecutor(2) as pool:
        walkers = [_Walker(pool, run, _WARM_UP + n_rounds) for run in (one, two)]
        try:
            for _ in range(_WARM_UP):
                for walker in walkers:
                    walker.step()
            before = free_cores()
            for _ in range(n_rounds):
                alone, between = walkers[0].step(), free_cores()
                together, after = walkers[1].step(), free_cores()
                found.append(Round(alone, together, min(before, between, after)))
                before = after
        finally:
            for walker in walkers:
                walker.leave()
        for walker in walkers:
            walker.end()
    return found


def scaling_rows(rounds: Sequence[Round]) -> list[Row]:
    """By the rounds with two free cores if these are enough, otherwise by all."""
    free = [found for found in rounds if found.cores >= FREE_CORES]
    used = free if len(free) >= _ENOUGH else rounds
    cores = round(statistics.median(found.cores for found in used), 2)
    one, two = ([found.one for found in used], [found.two for found in used])
    wall_one, wall_two = (statistics.median(step.wall for step in steps) for steps in (one, two))
    cpu_one, cpu_two = (statistics.median(step.cpu for step in steps) for steps in (one, two))
    memory = statistics.median(memory_gain() for _ in rounds)  # now: it leaves no cache as it was
    what = f"2 threads against 1 of ours, {len(used)} of {len(rounds)} rounds"
    return [
        Row(what, "wall s", wall_two, wall_one, wall_one / wall_two, 1.6, 1.9, cores),
        Row("processor time of 2 threads against 1", "CPU s", cpu_two, cpu_one, cpu_one / cpu_two),
        Row("2 threads that only read memory against 1", "times", memory, 1.0, memory),
    ]


class _Walker:
    """A run on a thread of its own that stands still until it is asked for one more step."""

    def __init__(self, pool: ThreadPoolExecutor, run: Run, n_steps: int) -> None:
        self._go, self._arrived = Semaphore(0), Semaphore(0)
        self._leaving = False
        self._walk = pool.submit(self._begin, run, n_steps)

    def step(self) -> Timing:
        begun_cpu, begun_wall = time.process_time(), time.perf_counter()
        self._go.release()
        self._arrived.acquire()
        return Timing(time.process_time() - begun_cpu, time.perf_counter() - begun_wall)

    def leave(self) -> None:
        """Let the run go on by itself."""
        self._leaving = True
        self._go.release()

    def end(self) -> None:
        """Wait for the end of the run; its error, if it had one, is raised here."""
        self._walk.result()

    def _begin(self, run: Run, n_steps: int) -> None:
        self._go.acquire()
        try:
            run(n_steps, self._pause)
        finally:
            self._leaving = True
            self._arrived.release(n_steps)  # nobody waits for steps that will not come

    def _pause(self) -> None:
        if not self._leaving:
            self._arrived.release()
            self._go.acquire()
