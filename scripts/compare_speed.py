"""Whether one version of crowdseq is slower than another: both do the same work in turn.

    python scripts/compare_speed.py OLD_SRC NEW_SRC [--data DIR] [--pairs 9]

OLD_SRC, NEW_SRC: folders that hold the package `crowdseq`. Each version runs in a process of its own that
stays alive; pieces of work are given to the two in turn, after one round that only warms up (and compiles).
Told are the medians of the paired ratios new / old, in processor time, which a busy machine disturbs least,
and in wall time. The text is the demo corpus, repeated with altered words; with --data, a folder that holds
amt_conll2003/crowd.jsonl.gz, two rounds of sa-slc on that crowd are measured as well.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COPIES = 8  # of the demo corpus
CROWD = Path("amt_conll2003") / "crowd.jsonl.gz"


def made_up_corpus() -> Any:
    """The demo corpus several times over, every third word different in each copy."""
    import crowdseq

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "demo.jsonl"
        crowdseq.write(crowdseq.demo_corpus(), str(place))
        records = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
        lines = [json.dumps(_altered(record, copy)) for copy in range(COPIES) for record in records]
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return crowdseq.read(str(place))


def _altered(record: dict[str, Any], copy: int) -> dict[str, Any]:
    tokens = [
        f"{token}{copy}" if copy and number % 3 == copy % 3 else token
        for number, token in enumerate(record["tokens"])
    ]
    return record | {"id": f"{record['id']}-{copy}", "doc": f"{record['doc']}-{copy}", "tokens": tokens}


def pieces_of_work(data: Path | None) -> dict[str, Callable[[], object]]:
    """By name, what is measured."""
    import crowdseq
    from crowdseq.methods.hmm_crowd import HmmCrowd
    from crowdseq.methods.sa_slc import SaSlc
    from crowdseq.tagging.crf import CrfTrainer

    corpus = made_up_corpus()
    tokens = [list(sentence) for sentence in corpus.text.tokens]
    tagger = CrfTrainer(max_iterations=5).fit(corpus, corpus.gold_tags)
    found: dict[str, Callable[[], object]] = {
        "training: 10 steps of L-BFGS": lambda: CrfTrainer(max_iterations=10).fit(corpus, corpus.gold_tags),
        "tagging": lambda: tagger.tag_many(tokens),
        "tagging, sentence by sentence": lambda: [tagger.tag(sentence) for sentence in tokens[:1000]],
        "probabilities of tags": lambda: tagger.marginals_many(tokens),
        "E-steps: hmm-crowd, 5 rounds": lambda: HmmCrowd(rounds=5).aggregate(corpus),
        "sa-slc, 1 round": lambda: SaSlc(rounds=1).aggregate(corpus),
    }
    if data is not None:
        crowd = crowdseq.read(str(data / CROWD))
        found["sa-slc, 2 rounds, Mechanical Turk"] = lambda: SaSlc(rounds=2).aggregate(crowd)
    return found


def serve(data: Path | None) -> None:
    """Do pieces of work as their names come in, and answer with processor and wall seconds."""
    work = pieces_of_work(data)
    print(json.dumps(list(work)), flush=True)
    for line in sys.stdin:
        cpu, wall = time.process_time(), time.perf_counter()
        work[line.rstrip("\n")]()
        print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]), flush=True)


class Version:
    """A process that works with the package in one source folder."""

    def __init__(self, source: Path, data: Path | None) -> None:
        command = [sys.executable, __file__, "--serve", *(["--data", str(data)] if data else [])]
        paths = {"PYTHONPATH": str(source.resolve())}
        self._process = subprocess.Popen(
            command, env=os.environ | paths, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.names: list[str] = self._answer()

    def measure(self, name: str) -> list[float]:
        """Processor and wall seconds of a piece of work."""
        assert self._process.stdin is not None
        print(name, file=self._process.stdin, flush=True)
        seconds: list[float] = self._answer()
        return seconds

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("one of the versions failed; what it said is above")
        return json.loads(line)


def compare(old: Version, new: Version, pairs: int) -> None:
    for name in old.names:
        old.measure(name), new.measure(name)
        ratios = []
        for number in range(pairs):
            turn = (old, new) if number % 2 == 0 else (new, old)
            taken = {version: version.measure(name) for version in turn}
            ratios.append([after / before for before, after in zip(taken[old], taken[new], strict=True)])
        cpu, wall = (statistics.median(column) for column in zip(*ratios, strict=True))
        seconds = taken[old][0]
        print(f"{name:36} cpu x {cpu:.3f}  wall x {wall:.3f}  ({pairs} pairs of {seconds:.2f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old", type=Path, nargs="?", help="source folder of the old version")
    parser.add_argument("new", type=Path, nargs="?", help="source folder of the new version")
    parser.add_argument("--data", type=Path, help="folder with amt_conll2003/crowd.jsonl.gz")
    parser.add_argument("--pairs", type=int, default=9, help="measurements of each piece of work")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve(given.data)
    if given.old is None or given.new is None:
        parser.error("name two source folders")
    old, new = Version(given.old, given.data), Version(given.new, given.data)
    try:
        compare(old, new, given.pairs)
    finally:
        old.end()
        new.end()
    return None


if __name__ == "__main__":
    main()
