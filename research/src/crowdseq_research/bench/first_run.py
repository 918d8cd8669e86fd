"""How long somebody waits for the compiler: processor seconds of whole commands, each a process of its own.

    python -m crowdseq_research.bench.first_run --data DIR --before SRC

Measured with kernels kept nowhere yet: the first `learn` of 60 sentences of the demo corpus, then one with
another number of labels, then the first one again. With --before, a folder that holds the package `crowdseq`
of another version, the same is measured of that; and with --data, a folder that holds
amt_conll2003/crowd.jsonl.gz, both learn from that crowd in turn, with kernels compiled beforehand. Medians of
--repeats. Processor seconds are those of all threads and children, and are disturbed least by whatever else a
machine does.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import crowdseq
from crowdseq.reports.tables import Table, as_markdown
from crowdseq.storage.atomic import AtomicFile
from crowdseq_research.templates import fill

SENTENCES = 60
CROWD = Path("amt_conll2003") / "crowd.jsonl.gz"
# What is measured, and the types whose spans are taken out of the crowd.
FIRST, FURTHER, CACHED = "first learn, 9 labels", "a further number of labels, 7", "the first one again"
STEPS = ((FIRST, ()), (FURTHER, ("MISC",)), (CACHED, ()))
GOALS = {FIRST: 8.0, CACHED: 1.5}
MOST_FURTHER, MOST_RATIO = 1.0, 1.05


def measure(sources: dict[str, Path], data: Path | None, repeats: int) -> dict[str, Any]:
    """All that first-run.json holds; sources: folders of the package by what they are called."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        seconds = {name: _starts(source, work, repeats) for name, source in sources.items()}
        pairs = [] if data is None else list(_pairs(sources, data / CROWD, work, repeats))
    return {
        "recipe": {
            "sentences": SENTENCES,
            "repeats": repeats,
            "commits": {name: commit_of(source) for name, source in sources.items()},
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "packages": {name: version(name) for name in ("numba", "llvmlite", "numpy", "scipy")},
        },
        "cpu_seconds": seconds,
        "amt_pairs": pairs,
    }


def commit_of(source: Path) -> str:
    """The commit of a source folder, with a mark if it was changed since; unknown outside of a clone."""
    asked = ["git", "-C", str(source), "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else "unknown"


def _starts(source: Path, work: Path, repeats: int) -> dict[str, list[float]]:
    """Processor seconds of each step, with an empty cache in every repeat."""
    found: dict[str, list[float]] = {name: [] for name, _ in STEPS}
    _cpu_seconds(source, work / "none", "--help")  # so that Python's own compiling is done
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(dir=work) as cache:
            for name, left_out in STEPS:
                crowd = small_crowd(work / f"crowd-{len(left_out)}.jsonl", left_out)
                found[name].append(_learn(source, Path(cache), crowd))
    return found


def _pairs(sources: dict[str, Path], crowd: Path, work: Path, repeats: int) -> Iterator[dict[str, float]]:
    """Processor seconds on the Mechanical Turk crowd, the versions in turn, either first in half of them."""
    for source in sources.values():
        _learn(source, work / "kept", crowd, "--set", "rounds=1")
    for number in range(repeats):
        turn = sources.items() if number % 2 == 0 else reversed(sources.items())
        yield {name: _learn(source, work / "kept", crowd) for name, source in turn}


def small_crowd(path: Path, left_out: Sequence[str]) -> Path:
    """The first sentences of the demo corpus as a file, without the spans of some types."""
    crowdseq.write(crowdseq.demo_corpus(), str(path), force=True)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:SENTENCES]]
    for record in records:
        record["gold"] = _without(record["gold"], left_out)
        for annotator, tags in record["annotations"].items():
            record["annotations"][annotator] = _without(tags, left_out)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def _without(tags: Sequence[str | None], types: Sequence[str]) -> list[str | None]:
    return ["O" if tag is not None and tag[2:] in types else tag for tag in tags]


def _learn(source: Path, cache: Path, crowd: Path, *options: str) -> float:
    with tempfile.TemporaryDirectory() as out:
        return _cpu_seconds(source, cache, "learn", str(crowd), "-o", f"{out}/run", "--quiet", *options)


def _cpu_seconds(source: Path, cache: Path, *words: str) -> float:
    """Of one command in a process of its own, with all threads and children."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    paths = {"PYTHONPATH": str(source.resolve()), "NUMBA_CACHE_DIR": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "crowdseq", *words], env=kept | paths, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def first_run_page(result: dict[str, Any]) -> str:
    """From the content of first-run.json."""
    recipe, seconds = result["recipe"], result["cpu_seconds"]
    return fill(
        "crowdseq_research.bench",
        "first_run",
        sentences=recipe["sentences"],
        repeats=recipe["repeats"],
        commits=", ".join(f"{name} {commit}" for name, commit in recipe["commits"].items()),
        machine=f"{recipe['cores']} cores, Python {recipe['python']}, numba {recipe['packages']['numba']}",
        starts=as_markdown(_starts_table(seconds)),
        amt=as_markdown(_amt_table(result["amt_pairs"])) if result["amt_pairs"] else "Not measured.",
    )


def _starts_table(seconds: dict[str, dict[str, list[float]]]) -> Table:
    medians = {
        name: {step: statistics.median(taken[step]) for step, _ in STEPS} for name, taken in seconds.items()
    }
    now = medians["now"]
    more = round(now[FURTHER] - now[CACHED], 2)
    goals = {step: (most, now[step] <= most) for step, most in GOALS.items()}
    rows = [
        (step, *_shown(medians, step), f"at most {most:g}", _told(reached))
        for step, (most, reached) in goals.items()
    ]
    further = (FURTHER, *_shown(medians, FURTHER))
    goal = (f"at most {MOST_FURTHER:g} more than cached: {more:g}", _told(more <= MOST_FURTHER))
    return Table(("CPU seconds", *medians, "goal", "reached"), (rows[0], (*further, *goal), rows[1]))


def _shown(medians: dict[str, dict[str, float]], step: str) -> list[str]:
    return [f"{by_step[step]:.1f}" for by_step in medians.values()]


def _amt_table(pairs: list[dict[str, float]]) -> Table:
    ratio = statistics.median(pair["now"] / pair["before"] for pair in pairs)
    last = ("median of the ratios", None, None, round(ratio, 3))
    rows = [
        (f"pair {number}", pair["before"], pair["now"], round(pair["now"] / pair["before"], 3))
        for number, pair in enumerate(pairs, 1)
    ]
    goal = f"goal: at most {MOST_RATIO:g}, reached: {_told(ratio <= MOST_RATIO)}"
    return Table(
        ("", "before, CPU s", "now, CPU s", "ratio"), (*rows, last), f"Mechanical Turk crowd ({goal})"
    )


def _told(reached: bool) -> str:
    return "yes" if reached else "no"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--before", type=Path, help="source folder of another version")
    parser.add_argument("--data", type=Path, help="folder with amt_conll2003/crowd.jsonl.gz; needs --before")
    parser.add_argument("--repeats", type=int, default=3, help="how often everything is measured")
    parser.add_argument(
        "--out", type=Path, default=Path("results/first-run.json"), help="the JSON file to write"
    )
    given = parser.parse_args()
    if given.data is not None and given.before is None:
        parser.error("--data needs another version to compare with: name its source folder with --before")
    own = Path(crowdseq.__file__).parents[1]
    sources = ({} if given.before is None else {"before": given.before}) | {"now": own}
    result = measure(sources, given.data, given.repeats)
    text = first_run_page(result)
    for path, content in (
        (given.out, json.dumps(result, indent=1) + "\n"),
        (given.out.with_suffix(".md"), text),
    ):
        with AtomicFile(path, force=True) as file:
            file.write(content.encode())
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
