"""Kill workers and drivers of a run at random moments, and see that the result is what it would have been.

    python scripts/attack_engines.py CROWD --workers-killed 20 --drivers-killed 5 [--set rounds=3]

The crowd is cut into at least eight shards. First the run is made in one process; then by two workers of Ray,
of which one is killed with SIGKILL now and then in the middle of a call; then drivers are killed and the
run goes on from what they kept. Exit code 1 if any result differs in a bit.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from crowdseq.engines.ordering import store_corpus
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.formats import read
from crowdseq.workflows.learning.plan import LearnPlan
from crowdseq.workflows.recipes import Resources, make_recipe, parse_settings

SHARDS = 8


def run(shards: Path, out: Path, arguments: argparse.Namespace, engine: str) -> str:
    """One run to its end; a digest of what was settled and of the tagger's weights."""
    stored = StoredCorpus.open(shards)
    settings = parse_settings(tuple(arguments.set))
    workers = 2 if engine == "ray" else None
    plan = LearnPlan(make_recipe(arguments.method, settings), Resources(engine=engine, workers=workers))
    learned = plan.run_stored(stored, out / "consensus", checkpoints=out / "rounds")
    found = hashlib.sha256()
    for path in sorted((out / "consensus").glob("consensus-*")):
        found.update(path.read_bytes())
    for stream in getattr(learned.tagger, "streams", ()):
        found.update(stream.pair_weights.tobytes())
    return found.hexdigest()


def holders() -> list[int]:
    """Workers of Ray on this machine that descend from this process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes().startswith(b"ray::ShardHolder") and _is_ours(entry.name):
                    found.append(int(entry.name))
            except (OSError, ValueError, IndexError):
                continue
    return found


def _is_ours(process: str) -> bool:
    while process not in ("0", "1"):
        if process == str(os.getpid()):
            return True
        process = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]
    return False


class Killer(threading.Thread):
    """Kills a worker that is at work every few seconds, until so many are dead."""

    def __init__(self, count: int, pause: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.left, self.killed = count, 0
        self._pause, self._random, self._done = pause, random.Random(seed), threading.Event()

    def run(self) -> None:
        while self.left and not self._done.wait(self._random.uniform(0.2, 2.0) * self._pause):
            alive = [one for one in holders() if _is_busy(one)]
            if alive:
                os.kill(self._random.choice(alive), signal.SIGKILL)
                self.left, self.killed = self.left - 1, self.killed + 1

    def stop(self) -> None:
        self._done.set()
        self.join()


def _is_busy(process: int) -> bool:
    """Whether it is in the middle of a call: Ray says so in its name."""
    try:
        return b"ray::ShardHolder." in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def attack_workers(shards: Path, work: Path, arguments: argparse.Namespace) -> tuple[int, list[str]]:
    """Runs in which workers die, until enough are dead; how many died, and the digests."""
    killed, digests = 0, []
    while killed < arguments.workers_killed:
        killer = Killer(arguments.workers_killed - killed, arguments.pause, arguments.seed + killed)
        killer.start()
        digests.append(run(shards, work / f"workers-{killed}", arguments, "ray"))
        killer.stop()
        killed += killer.killed
        told(f"{killed} workers killed in {len(digests)} runs")
    return killed, digests


def attack_drivers(shards: Path, work: Path, arguments: argparse.Namespace) -> tuple[int, str]:
    """A run whose driver is killed again and again, and then left alone."""
    out, chance, killed = work / "driver", random.Random(arguments.seed), 0
    own = [sys.executable, __file__, str(shards), "--one", str(out), "--method", arguments.method]
    own += ["--engine", arguments.engine, *(word for one in arguments.set for word in ("--set", one))]
    while killed < arguments.drivers_killed:
        driver = subprocess.Popen(own, start_new_session=True, stdout=subprocess.DEVNULL)
        try:
            driver.wait(chance.uniform(0.5, 2.0) * arguments.driver_pause)
        except subprocess.TimeoutExpired:
            os.kill(driver.pid, signal.SIGKILL)
            killed += 1
        driver.wait()
        time.sleep(1.0)
        if driver.returncode == 0:  # it was quicker: begin again
            shutil.rmtree(out, ignore_errors=True)
        told(f"{killed} drivers killed")
    done = subprocess.run(own, check=True, capture_output=True, text=True)
    return killed, str(json.loads(done.stdout.splitlines()[-1])["digest"])


def told(line: str) -> None:
    sys.stderr.write(line + "\n")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("crowd", type=Path)
    parser.add_argument("--method", default="sa-slc")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--workers-killed", type=int, default=20)
    parser.add_argument("--drivers-killed", type=int, default=5)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between kills, about")
    parser.add_argument("--driver-pause", type=float, default=20.0, help="seconds that a driver lives, about")
    parser.add_argument("--engine", default="local", help="of the drivers that are killed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", type=Path, help="make one run over shards into this folder, and no attack")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    if arguments.one:
        digest = run(arguments.crowd, arguments.one, arguments, arguments.engine)
        sys.stdout.write(json.dumps({"digest": digest}) + "\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        work = Path(folder)
        corpus = read(arguments.crowd).corpus
        stored = store_corpus(corpus, work / "shards", corpus.n_tokens // (SHARDS + 1))
        result: dict[str, Any] = {"shards": len(stored.shards), "method": arguments.method}
        calm = run(work / "shards", work / "calm", arguments, "local")
        told(f"{len(stored.shards)} shards; without any attack: {calm[:16]}")
        result["workers_killed"], digests = attack_workers(work / "shards", work, arguments)
        result["drivers_killed"], after = attack_drivers(work / "shards", work, arguments)
        result["equal"] = {*digests, after} == {calm}
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if result["equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
