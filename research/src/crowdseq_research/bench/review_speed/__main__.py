"""How quick the review app is: `python -m crowdseq_research.bench.review_speed -o results/review-speed.md`.

Makes a synthetic run (once, in the folder --work), starts `crowdseq review` on a copy of it, and measures
opening, single requests, many reviewers at once, and the desk in Chromium. The page gives times by the clock
and the processor time of the server, which is disturbed least by whatever else a machine does.
"""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import crowdseq
from crowdseq.storage.atomic import AtomicFile
from crowdseq_research.bench.first_run import commit_of
from crowdseq_research.bench.review_speed.asking import asked
from crowdseq_research.bench.review_speed.browser import chromium, looked_at
from crowdseq_research.bench.review_speed.crowd import made_long_run, made_run
from crowdseq_research.bench.review_speed.load import Load, loaded
from crowdseq_research.bench.review_speed.page import speed_page
from crowdseq_research.bench.review_speed.server import Session, started


def measure(work: Path, sentences: int, load: Load, keys: int) -> dict[str, Any]:
    """All that the page tells."""
    run, long_run = made_run(work, sentences), made_long_run(work)
    found: dict[str, Any] = {
        "recipe": {
            "sentences": sentences,
            "commit": commit_of(Path(crowdseq.__file__).parents[1]),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "nice": os.nice(0),
            "busy_before": os.getloadavg()[0],
        }
    }
    with tempfile.TemporaryDirectory(dir=work) as folder:
        found |= _of_server(_copied(run, Path(folder)), load)
        if chromium() is not None and keys:
            found["desk"] = _in_browser(_copied(run, Path(folder)), keys)
            found["long"] = _in_browser(_copied(long_run, Path(folder)), min(keys, 20))
    found["recipe"]["busy_after"] = os.getloadavg()[0]
    return found


def _copied(run: Path, folder: Path) -> Path:
    """A copy without decisions, so that every measurement begins with the same run."""
    target = folder / f"{run.name}-copy"
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(run, target, ignore=shutil.ignore_patterns("decisions*")))


def _of_server(run: Path, load: Load) -> dict[str, Any]:
    with started(run) as server:
        session = Session(server, server.link)
        begun = time.perf_counter()
        early = session.get("/api/mentions")
        prepared = time.perf_counter() - begun
        opening = {
            "seconds": server.opened,
            "cpu": server.opened_cpu,
            "mentions_at_once": prepared,
            "mentions_at_once_cpu": early.cpu,
            "megabytes": server.megabytes(),
        }
        _tell("opening", opening)
        single = _tell("asked", asked(session))
        many = _tell("load", loaded(server, session, load)) if load.minutes else None
        session.close()
    return {"opening": opening, "asked": single, "load": many}


def _tell(name: str, found: Any) -> Any:
    """What was just measured, so that a measurement which is cut short was not for nothing."""
    sys.stderr.write(json.dumps({name: found}) + "\n")
    return found


def _in_browser(run: Path, keys: int) -> dict[str, Any]:
    with started(run) as server:
        cpu = server.cpu()
        found = looked_at(server, keys)
        found["server_cpu"] = (server.cpu() - cpu) * 1000
    _tell(run.name, found)
    return found


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/review-speed.md"))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "review-speed")
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--rate", type=float, default=50.0, help="decisions per second of all reviewers")
    parser.add_argument("--minutes", type=float, default=5.0, help="0: no reviewers at once")
    parser.add_argument("--keys", type=int, default=200, help="disputes settled in the browser; 0: none")
    given = parser.parse_args(words)
    load = Load(given.reviewers, given.rate, given.minutes)
    text = speed_page(measure(given.work, given.sentences, load, given.keys))
    with AtomicFile(given.out, force=True) as file:
        file.write(text.encode() + b"\n")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
