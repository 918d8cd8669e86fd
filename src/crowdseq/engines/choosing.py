"""open_engine: the engine that a run wishes for, closed when the run is over."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shelf import NO_ROOM, Bound
from crowdseq.errors import SettingsError
from crowdseq.numerics.em import Progress, quiet

ENGINES = ("local", "ray")
DISK = "disk"  # chosen for a bound of memory, not by name


@dataclass(frozen=True)
class EngineWish:
    """Where the sums of a run are to be made; nothing about it changes a result.

    name: `local`, `disk` or `ray`. threads: of this process; workers of Ray have one each. workers: of Ray,
    None for as many as this machine has cores. address: of a Ray cluster, None to start one here. bound: of
    the memory that shards may take of a process, where others lie on disk; None for what the engine thinks
    fit.
    """

    name: str = "local"
    threads: int = 1
    workers: int | None = None
    address: str | None = None
    bound: Bound | None = None

    def __post_init__(self) -> None:
        if self.name not in (*ENGINES, DISK):
            raise SettingsError(f"engine is '{self.name}', choose one of {', '.join(ENGINES)}")
        for setting, value in (("workers", self.workers), ("address", self.address)):
            if value is not None and self.name != "ray":
                raise SettingsError(f"{setting} is for the engine ray, choose that or leave it out")
        if self.address == "":
            raise SettingsError("address is empty, give host:port or auto, or leave it out")
        if self.workers is not None and self.workers < 1:
            raise SettingsError(f"workers is {self.workers}, it must be at least 1")


@contextmanager
def open_engine(wish: EngineWish, folder: Path, progress: Progress = quiet) -> Iterator[Engine]:
    """The engine; folder: for the states of shards, which all machines of a cluster must see."""
    if wish.name == "local":
        yield LocalEngine(wish.threads)
        return
    if wish.name == DISK:
        from crowdseq.engines.disk import DiskEngine

        yield DiskEngine(folder, wish.threads, wish.bound or NO_ROOM)
        return
    from crowdseq.engines.ray import WORKER_BOUND, RayEngine  # an extra

    workers = wish.workers or os.cpu_count() or 1
    bound = wish.bound or WORKER_BOUND
    engine = RayEngine.start(folder.resolve(), workers, address=wish.address, bound=bound, tell=progress)
    try:
        yield engine
    finally:
        engine.close()
