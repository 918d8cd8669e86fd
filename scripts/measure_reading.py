"""Measure how fast a large crowd file is read, and how much memory it takes.

    python scripts/measure_reading.py                         1,000,000 sentences of 15 tokens by 5 annotators
    python scripts/measure_reading.py --sentences 50000       a smaller one
    python scripts/measure_reading.py --label-studio 200      a Label Studio export of so many megabytes
    python scripts/measure_reading.py FILE...                 files that you have

Each file is read in a process of its own, whose highest resident memory is reported.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_label_studio_export import write_export

ANNOTATORS, VOTERS, LENGTH = 200, 5, 15
TYPES = ("PER", "LOC", "ORG")


def write_crowd(path: Path, n_sentences: int, seed: int = 0) -> None:
    """A crowd JSONL file of made-up words, 20 sentences to a document."""
    dice = random.Random(seed)
    words = [f"word{number}" for number in range(60_000)]
    rows = [some_tags(dice) for _ in range(5_000)]
    names = [f"annotator-{number:03}" for number in range(ANNOTATORS)]
    with path.open("w", encoding="utf-8") as out:
        for number in range(n_sentences):
            record = {
                "id": f"doc{number // 20}-s{number % 20}",
                "doc": f"doc{number // 20}",
                "tokens": dice.choices(words, k=LENGTH),
                "gold": None,
                "annotations": dict(
                    zip(dice.sample(names, VOTERS), dice.choices(rows, k=VOTERS), strict=True)
                ),
            }
            out.write(json.dumps(record, separators=(",", ":")) + "\n")


def some_tags(dice: random.Random) -> list[str]:
    """Valid IOB2 tags with an entity of one to three tokens now and then."""
    tags: list[str] = []
    while len(tags) < LENGTH:
        kind = dice.choice(TYPES)
        tags += ["O"] * dice.randint(1, 6) + [f"B-{kind}"] + [f"I-{kind}"] * dice.randint(0, 2)
    return tags[:LENGTH]


def measure(path: str) -> dict[str, float | str]:
    """Read one file here and now; memory is that of this whole process."""
    from crowdseq.formats import read

    start, begun = time.perf_counter(), time.process_time()
    corpus = read(path).corpus
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - begun
    megabytes = Path(path).stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {
        "file": path,
        "megabytes": round(megabytes, 1),
        "corpus": repr(corpus),
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu_seconds, 2),
        "megabytes_per_cpu_second": round(megabytes / cpu_seconds, 1),
        "peak_megabytes": round(peak, 1),
        "peak_by_size": round(peak / megabytes, 2),
    }


def measure_apart(path: str) -> None:
    subprocess.run([sys.executable, __file__, "--here", path], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--label-studio", type=int, metavar="MEGABYTES")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.files[0]), indent=1))
        return
    for file in options.files:
        measure_apart(file)
    if not options.files:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "crowd.json"
            if options.label_studio:
                write_export(path, options.label_studio << 20)
            else:
                write_crowd(path, options.sentences)
            measure_apart(str(path))


if __name__ == "__main__":
    main()
