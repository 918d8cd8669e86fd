"""RayEngine: the sums of a run are made by plain actors of Ray, here or on many machines (extra `ray`)."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakSet

from crowdseq.engines.engine import S, W
from crowdseq.engines.ray_hiring import end, hire
from crowdseq.engines.ray_holder import ShardHolder
from crowdseq.engines.ray_placed import RayPlaced, Traffic
from crowdseq.engines.shelf import Bound
from crowdseq.errors import MissingExtraError, SettingsError
from crowdseq.numerics.em import Progress, quiet
from crowdseq.storage.private import remove_tree

# The memory of a worker, where nobody says more or less: not above 4 GB with what it reads from files.
WORKER_BOUND = Bound(2_500.0, 3_300.0)

_ANSWER_SECONDS = 10.0
_START_SECONDS = 300.0  # a cluster may have to start machines first

_DEATHS = "worker died or was killed|killed due to (memory pressure|the node running low on memory)"

# A product of long vectors has other last digits with other threads, and Ray would give its workers one.
_BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def _blas_threads() -> dict[str, str]:
    """How many threads linear algebra has in this process, as the environment of others says it."""
    told = [os.environ[name] for name in _BLAS if os.environ.get(name, "").isdigit()]
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return dict.fromkeys(_BLAS, told[0] if told else str(here))


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Processes that are started inside have these."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def import_ray() -> Any:
    """Ray itself, or one line about what is missing."""
    # Ray would say on standard output, where data goes, that a worker died; whoever replaces it tells that.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", _DEATHS)
    try:
        import ray
    except ImportError:
        raise MissingExtraError("the engine ray", "ray") from None
    return ray


def _require_answer(address: str) -> None:
    """Refuse an address where nothing listens; Ray itself would try for many minutes, deaf to Ctrl-C."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # "auto" and other words that Ray knows
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise SettingsError(f"no Ray cluster answers at {address}: {why}") from None


@dataclass(eq=False)
class RayEngine:
    """Actors that hold shards; which one holds which changes no result.

    folder: where the state of shards is kept for a worker that takes over from one that died; all machines
    must see it. workers: how many there are; worker_threads, bound: of each, for its shards; others stay on
    disk. is_own: whether the cluster was started here, so that workers have our environment. is_guest:
    whether the program is connected to Ray for purposes of its own, and stays so. tell: that workers are
    waited for; patience: how many seconds.
    """

    folder: Path
    workers: int
    worker_threads: int = 1
    bound: Bound = WORKER_BOUND
    is_own: bool = False
    is_guest: bool = False
    tell: Progress = quiet
    patience: float = _START_SECONDS
    traffic: Traffic = field(default_factory=Traffic)
    actors: list[Any] = field(default_factory=list)
    forgotten: list[tuple[int, Path]] = field(default_factory=list)
    _placed: "WeakSet[RayPlaced[Any]]" = field(default_factory=WeakSet)
    _n_placed: int = 0

    @property
    def threads(self) -> int:
        """Of the driver, which works while the workers wait."""
        return os.cpu_count() or 1

    @classmethod
    def start(
        cls,
        folder: Path,
        workers: int,
        *,
        address: str | None = None,
        threads: int = 1,
        bound: Bound = WORKER_BOUND,
        tell: Progress = quiet,
    ) -> "RayEngine":
        """Join the cluster at an address ("auto" finds one), or start one on this machine alone.

        A program that is connected to Ray already works with that cluster.
        """
        ray = import_ray()
        if address is not None:
            _require_answer(address)
        if ray.is_initialized():
            theirs = ray.get_runtime_context().gcs_address
            if address not in (None, "auto", theirs):
                raise SettingsError(
                    f"this program is connected to Ray at {theirs} already, leave the address out"
                )
            return cls(folder, workers, threads, bound, is_guest=True, tell=tell)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            options |= {"num_cpus": workers * threads, "include_dashboard": False}
        try:
            with _environment(_blas_threads() if address is None else {}):
                ray.init(address=address or "local", **options)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            where, why = address or "this machine", (str(error) or type(error).__name__).splitlines()[0]
            raise SettingsError(f"no Ray cluster answers at {where}: {why}") from None
        return cls(folder, workers, threads, bound, is_own=address is None, tell=tell)

    def close(self) -> None:
        """Leave the cluster, or end it if it was started here."""
        for actor in self.actors:
            end(import_ray(), actor)
        if not self.is_guest:
            import_ray().shutdown()

    def _release(self) -> None:
        """Let the actors forget what nobody can ask for any more."""
        while self.forgotten:
            number, folder = self.forgotten.pop()
            for actor in self.actors:
                actor.release.remote(number)
            remove_tree(folder)

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> RayPlaced[W]:
        self._release()
        number = self._n_placed
        self._n_placed += 1
        missing = min(self.workers, len(shards)) - len(self.actors)
        if missing > 0:
            self.actors += self._hire(missing)
        folder = self.folder / f"placed-{number}"
        placed: RayPlaced[W] = RayPlaced(import_ray(), self, number, folder, shards)
        self._placed.add(placed)
        placed.begin(make)
        return placed

    def _hire(self, count: int) -> list[Any]:
        options: dict[str, Any] = {"num_cpus": self.worker_threads, "max_restarts": 0}
        if not self.is_own:
            options |= {"scheduling_strategy": "SPREAD", "runtime_env": {"env_vars": _blas_threads()}}
        kind = import_ray().remote(**options)(ShardHolder)
        return hire(
            import_ray(),
            lambda: kind.remote(self.worker_threads, self.bound),
            count,
            self.tell,
            self.patience,
        )

    def replace(self, slot: int) -> None:
        """Another actor for one that died, with all that it held."""
        self.traffic.replaced += 1
        end(
            import_ray(), self.actors[slot]
        )  # it may only be out of reach, and would keep its place in the cluster
        [self.actors[slot]] = self._hire(1)
        for placed in sorted(self._placed, key=lambda one: one.number):
            placed.hand_over(slot)
