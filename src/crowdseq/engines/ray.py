"""RayEngine: the sums of a run are made by plain actors of Ray, here or on many machines (extra `ray`)."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Generic
from weakref import WeakSet

import numpy as np

from crowdseq.engines.engine import S, W, answer, arguments_of, changes_worker
from crowdseq.engines.spilling import Spill
from crowdseq.errors import Advice, FormatError, MissingExtraError, Problem, SettingsError
from crowdseq.numerics.blocks import using_threads
from crowdseq.storage.private import remove_tree

_MOST_DEATHS = 5  # of workers in one call: then it is no accident
_AHEAD = 4  # calls that wait at a worker: enough to keep it busy, few enough to bound what waits in memory


# A product of long vectors has other last digits with other threads, and Ray would give its workers one.
_BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def _blas_threads() -> str:
    """How many threads linear algebra has in this process."""
    told = [os.environ[name] for name in _BLAS if os.environ.get(name, "").isdigit()]
    return told[0] if told else str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)


def import_ray() -> Any:
    """Ray itself, or one line about what is missing."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("the engine ray", "ray") from None
    return ray


@dataclass
class Traffic:
    """What went between driver and workers so far, in bytes, and how many workers had to be replaced."""

    out: int = 0
    back: int = 0
    replaced: int = 0


@dataclass(eq=False)
class RayEngine:
    """Actors that hold shards; which one holds which changes no result.

    folder: where the state of shards is kept for a worker that takes over from one that died; all machines
    must see it. workers: how many there are; worker_threads: of each.
    """

    folder: Path
    workers: int
    worker_threads: int = 1
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
        cls, folder: Path, workers: int, *, address: str | None = None, threads: int = 1
    ) -> "RayEngine":
        """Join the cluster at an address ("auto" finds one), or start one on this machine alone."""
        ray = import_ray()
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            options |= {"num_cpus": workers * threads, "include_dashboard": False}
        try:
            ray.init(address=address or "local", ignore_reinit_error=True, **options)
        except (OSError, RuntimeError, ValueError) as error:
            where = address or "this machine"
            raise SettingsError(f"no Ray cluster answers at {where}: {str(error).splitlines()[0]}") from None
        return cls(folder, workers, threads)

    def close(self) -> None:
        """Leave the cluster, or end it if it was started here."""
        for actor in self.actors:
            with suppress(Exception):
                import_ray().kill(actor)
        import_ray().shutdown()

    def _release(self) -> None:
        """Let the actors forget what nobody can ask for any more."""
        while self.forgotten:
            number, folder = self.forgotten.pop()
            for actor in self.actors:
                actor.release.remote(number)
            remove_tree(folder)

    def place(self, make: Callable[[S], W], shards: Sequence[S]) -> "RayPlaced[W]":
        self._release()
        number = self._n_placed
        self._n_placed += 1
        while len(self.actors) < min(self.workers, len(shards)):
            self.actors.append(self._hire())
        placed: RayPlaced[W] = RayPlaced(self, number, self.folder / f"placed-{number}", shards)
        self._placed.add(placed)
        placed.begin(make)
        return placed

    def _hire(self) -> Any:
        options = {"num_cpus": self.worker_threads, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        like_here = {"env_vars": {name: _blas_threads() for name in _BLAS}}
        return import_ray().remote(**options, runtime_env=like_here)(ShardHolder).remote(self.worker_threads)

    def replace(self, slot: int) -> None:
        """Another actor for one that died, with all that it held."""
        self.traffic.replaced += 1
        self.actors[slot] = self._hire()
        for placed in sorted(self._placed, key=lambda one: one.number):
            placed.hand_over(slot)


class ShardHolder:
    """The actor: the workers of some shards, by placement and place."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._workers: dict[tuple[int, int], Any] = {}
        self._spills: dict[tuple[int, int], Spill] = {}

    def process(self) -> int:
        """Its number on its machine."""
        return os.getpid()

    def place(self, key: tuple[int, int], folder: Path, make: Callable[[Any], Any], shard: Any) -> None:
        """Make the worker of a shard."""
        with using_threads(self._threads):
            self._workers[key] = make(shard)
        self._spills[key] = Spill(folder)
        self._spills[key].save(self._workers[key], 0)

    def take_over(self, key: tuple[int, int], folder: Path, turn: int) -> None:
        """Take up a worker as it was before a turn."""
        self._spills[key] = Spill(folder)
        self._workers[key] = self._spills[key].load(turn)

    def ask(self, key: tuple[int, int], turn: int, call: str, shared: Any, own: tuple[Any, ...]) -> Any:
        """What the worker of a shard answers; its state is kept before that is told."""
        worker = self._workers[key]
        with using_threads(self._threads):
            given = answer(worker, call, *shared, *own)
        if changes_worker(worker, call):
            self._spills[key].save(worker, turn)
        return given

    def release(self, number: int) -> None:
        """Forget all workers of a placement."""
        for key in [key for key in self._workers if key[0] == number]:
            del self._workers[key], self._spills[key]


Submit = Callable[[Any], Any]  # an actor to a reference to its answer


class RayPlaced(Generic[W]):
    """Shards go round the actors in turn, so that each has about as many tokens."""

    def __init__(self, engine: RayEngine, number: int, folder: Path, shards: Sequence[Any]) -> None:
        self.number = number
        self._engine, self._folder, self._shards = engine, folder, shards
        self._ray = import_ray()
        self._turn = 0
        self._answered: set[int] = set()
        self._waiting: dict[int, tuple[Any, Submit]] = {}

    def begin(self, make: Callable[[Any], W]) -> None:
        """Make the workers of all shards."""
        maker = self._ray.put(make)

        def placing(place: int, shard: Any) -> Submit:
            return lambda actor: actor.place.remote(self._key(place), self._path(place), maker, shard)

        self._run(placing(place, shard) for place, shard in enumerate(self._shards))

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        self._turn += 1
        turn, told, traffic = self._turn, self._ray.put(shared), self._engine.traffic
        traffic.out += size_of(shared) * len(self._engine.actors)

        def asking(place: int, arguments: tuple[Any, ...]) -> Submit:
            traffic.out += size_of(arguments)
            return lambda actor: actor.ask.remote(self._key(place), turn, call, told, arguments)

        given = arguments_of((), own, len(self._shards))
        answers = self._run(asking(place, arguments) for place, arguments in enumerate(given))
        traffic.back += size_of(answers)
        # What comes from the store cannot be changed; the sum of a single shard is the very thing it gave.
        return deepcopy(answers) if len(answers) == 1 else answers

    def _key(self, place: int) -> tuple[int, int]:
        return self.number, place

    def _path(self, place: int) -> Path:
        return self._folder / f"{place:05d}"

    def _run(self, calls: Iterator[Submit]) -> list[Any]:
        """The answers in the order of the shards; a worker that dies is replaced, and asked again."""
        answers: list[Any] = []
        self._answered.clear()
        deaths, asked, actors = 0, 0, self._engine.actors
        while len(answers) < len(self._shards):
            while asked < len(self._shards) and len(self._waiting) < _AHEAD * len(actors):
                submit = next(calls)
                self._waiting[asked] = (submit(actors[asked % len(actors)]), submit)
                asked += 1
            place = len(answers)
            try:
                answers.append(self._get(self._waiting[place][0], place))
                del self._waiting[place]
                self._answered.add(place)
            except self._ray.exceptions.RayActorError:
                deaths += 1
                if deaths > _MOST_DEATHS:
                    why = "its workers die again and again, perhaps for want of memory"
                    raise self._lost(place, why) from None
                self._replace(place % len(actors))
        return answers

    def _get(self, reference: Any, place: int) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, LookupError) and self._path(place).name in str(error.cause):
                raise self._lost(place, "nothing of it was kept") from None
            raise error.cause from None

    def _replace(self, slot: int) -> None:
        """Hire until one of them lives long enough to take over."""
        for _ in range(_MOST_DEATHS):
            with suppress(self._ray.exceptions.RayActorError):
                self._engine.replace(slot)
                break
        for place in [place for place in self._waiting if place % len(self._engine.actors) == slot]:
            submit = self._waiting[place][1]
            self._waiting[place] = (submit(self._engine.actors[slot]), submit)

    def hand_over(self, slot: int) -> None:
        """Let a new actor take up the shards of one that died, as they were before what it is asked next."""
        actors = self._engine.actors
        for place in range(slot, len(self._shards), len(actors)):
            is_behind = place in self._waiting or (place not in self._answered)
            turn = self._turn + (0 if is_behind else 1)
            if turn > 0:
                actor = actors[slot]
                self._get(actor.take_over.remote(self._key(place), self._path(place), turn), place)

    def _lost(self, place: int, why: str) -> FormatError:
        shard = self._shards[place]
        where = str(getattr(shard, "path", "in memory"))
        advice = Advice("go on from the last round with {resume}", resume="")
        return FormatError(Problem(f"shard {place} is lost: {why}", where, advice=advice))

    def __del__(self) -> None:
        # Ray must not be called here: it may be over, and would start anew, or be in the middle of a call.
        self._engine.forgotten.append((self.number, self._folder))


def size_of(thing: Any) -> int:
    """About how many bytes a thing takes on the wire, by its arrays."""
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if isinstance(thing, list | tuple):
        return sum(map(size_of, thing))
    if isinstance(thing, dict):
        return sum(map(size_of, thing.values()))
    if is_dataclass(thing):
        return sum(size_of(getattr(thing, one.name)) for one in fields(thing))
    return 8
