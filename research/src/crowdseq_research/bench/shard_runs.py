r"""One measured run over shards on disk: time, memory of every process, bytes, and a digest of what came out.

    python -m crowdseq_research.bench.shard_runs SHARDS -m sa-slc --engine ray --workers 2 --set rounds=2 \
        --work FOLDER -o CELL

Memory is PSS, sampled while the run goes on; pages of Ray's object store are counted apart.
"""

import argparse
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crowdseq.aggregation.contract import JointAggregator, RunContext
from crowdseq.engines.choosing import EngineWish, open_engine
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.engines.shelf import Bound
from crowdseq.tagging.summed_crf import SummedCrf
from crowdseq.workflows.recipes import make_recipe, parse_settings

_EVERY = 1.0  # seconds between samples


def resident(process: int | str) -> tuple[float, float]:
    """Megabytes of PSS of a process: without, and of, what is shared through Ray's object store."""
    own = store = 0.0
    counts_store = False
    try:
        with open(f"/proc/{process}/smaps") as lines:
            for line in lines:
                if line[0] in "0123456789abcdef" and "-" in line[:20]:
                    counts_store = "plasma" in line or "/dev/shm" in line
                elif line.startswith("Pss:"):
                    amount = int(line.split()[1]) / 1024
                    store += amount if counts_store else 0.0
                    own += 0.0 if counts_store else amount
    except (OSError, ValueError):
        return 0.0, 0.0
    return own, store


def processor_seconds(process: int) -> float:
    """How long a process has had a processor."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Memory:
    """The highest of each kind of process, in megabytes."""

    driver: float = 0.0
    worker: float = 0.0
    store: float = 0.0
    seconds: dict[int, float] = field(default_factory=dict)  # that each worker had a processor

    def sample(self, workers: list[int]) -> None:
        """Look once."""
        own, store = resident("self")
        self.driver, self.store = max(self.driver, own), max(self.store, store)
        for process in workers:
            own, store = resident(process)
            self.worker, self.store = max(self.worker, own), max(self.store, store)
            self.seconds[process] = max(self.seconds.get(process, 0.0), processor_seconds(process))


@contextmanager
def watched(engine: Any, memory: Memory) -> Iterator[None]:
    """Sample the memory of this process and of the workers of an engine until the work is done."""
    done = threading.Event()

    def watch() -> None:
        workers: dict[int, int] = {}
        while not done.wait(_EVERY):
            workers |= dict.fromkeys(_workers(engine), 0)
            memory.sample(list(workers))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _workers(engine: Any) -> list[int]:
    """Processes of Ray on this machine that hold shards."""
    if not hasattr(engine, "actors"):
        return []
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if command.startswith(b"ray::ShardHolder") and _is_ours(entry.name):
                found.append(int(entry.name))
    return found


def _is_ours(process: str) -> bool:
    """Whether a process descends from this one: others may use Ray at the same time."""
    try:
        while process not in ("0", "1"):
            if process == str(os.getpid()):
                return True
            process = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]
    except (OSError, IndexError):
        pass
    return False


@dataclass
class Clock:
    """When rounds ended, and what was said of them."""

    begun: float = field(default_factory=time.perf_counter)
    rounds: list[float] = field(default_factory=list)

    def __call__(self, stage: str, *_: int) -> None:
        if stage.startswith(("EM rounds", "restarts")):
            self.rounds.append(round(time.perf_counter() - self.begun, 2))


@contextmanager
def weights_seen() -> Iterator[list[int]]:
    """How many weights the CRFs have that are built over shards."""
    found: list[int] = []
    build = SummedCrf.build

    def seen(*given: Any, **named: Any) -> SummedCrf:
        crf = build(*given, **named)
        found.append(crf.frame.n_weights)
        return crf

    SummedCrf.build = seen  # type: ignore[method-assign]
    try:
        yield found
    finally:
        SummedCrf.build = build  # type: ignore[method-assign]


def digest(folder: Path, tagger: Any) -> str:
    """Of the files of a consensus, and of the weights of a tagger."""
    found = hashlib.sha256()
    for path in sorted(folder.glob("consensus-*")):
        found.update(path.read_bytes())
    for stream in getattr(tagger, "streams", ()):
        found.update(stream.pair_weights.tobytes())
    return found.hexdigest()[:24]


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Make the run."""
    stored = StoredCorpus.open(arguments.shards)
    recipe = make_recipe(arguments.method, parse_settings(tuple(arguments.set)))
    out = arguments.work / "consensus"
    memory, clock = Memory(), Clock()
    workers = arguments.workers if arguments.engine == "ray" else None
    bound = None if arguments.megabytes is None else Bound(arguments.megabytes)
    wish = EngineWish(arguments.engine, arguments.threads, workers, arguments.address, bound)
    processor = time.process_time()
    begun = time.perf_counter()
    with (
        open_engine(wish, arguments.work / "states") as engine,
        watched(engine, memory),
        weights_seen() as active,
    ):
        clock.begun = time.perf_counter()
        context = RunContext(clock, engine, out=out)
        if isinstance(recipe, JointAggregator) and not arguments.no_tagger:
            learned = recipe.learn_stored(stored, context)
            consensus, tagger = learned.consensus, learned.tagger
        else:
            consensus, tagger = recipe.aggregate_stored(stored, context), None
        seconds = time.perf_counter() - clock.begun
    traffic = getattr(engine, "traffic", None)
    return {
        "shards": str(arguments.shards.name),
        "tokens": stored.facts.n_tokens,
        "annotators": len(stored.facts.annotators),
        "n_shards": len(stored.shards),
        "method": arguments.method,
        "settings": arguments.set,
        "engine": arguments.engine,
        "threads": arguments.threads,
        "workers": workers,
        "seconds": round(seconds, 2),
        "whole_seconds": round(time.perf_counter() - begun, 2),
        "driver_cpu": round(time.process_time() - processor, 2),
        "worker_cpu": round(sum(memory.seconds.values()), 2),
        "rounds": clock.rounds,
        "history": list(consensus.history),
        "driver_mb": round(memory.driver),
        "worker_mb": round(memory.worker),
        "store_mb": round(memory.store),
        "bytes_out": traffic.out if traffic else 0,
        "bytes_back": traffic.back if traffic else 0,
        "active_weights": active,
        "weights": sum(len(one.pair_weights) for one in getattr(tagger, "streams", ())),
        "digest": digest(out, tagger),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shards", type=Path)
    parser.add_argument("-m", "--method", default="sa-slc")
    parser.add_argument("--engine", choices=["local", "disk", "ray"], default="local")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--address")
    parser.add_argument("--megabytes", type=float, help="of shards in the memory of a process")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--no-tagger", action="store_true")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what is written on the way")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    cell = measure(arguments)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(cell, indent=1) + "\n")
    sys.stdout.write(json.dumps(cell) + "\n")


if __name__ == "__main__":
    main()
