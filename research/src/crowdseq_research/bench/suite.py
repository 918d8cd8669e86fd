"""The whole bench: our tagger beside python-crfsuite, how cost grows, the E-step and the methods."""

import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crowdseq.errors import FormatError, Problem
from crowdseq.workflows.reading import read
from crowdseq_research.bench.estep import estep_rows
from crowdseq_research.bench.growth import label_growth, token_growth
from crowdseq_research.bench.methods import method_rows
from crowdseq_research.bench.rivals import RivalTagger
from crowdseq_research.bench.tagging import memory_rows, start_row, tagging_rows
from crowdseq_research.bench.training import TrainingBench

FORMAT_VERSION = 1

Tell = Callable[[str], None]


def run_bench(data: Path, tell: Tell, repeats: int = 5) -> dict[str, Any]:
    """All that bench.json holds, on the CoNLL-2003 folder in `data`; `tell` hears what is being measured."""
    train_file, test_file = data / "conll2003" / "train.conll.gz", data / "conll2003" / "test.conll.gz"
    for file in (train_file, test_file):
        if not file.is_file():
            raise FormatError(Problem("the bench needs CoNLL-2003, say --data FOLDER", str(file)))
    train, test = read(train_file, format="conll"), read(test_file, format="conll")
    with tempfile.TemporaryDirectory() as folder:
        bench = TrainingBench(train, Path(folder), tell, repeats)
        rows = [*bench.evaluation(), *bench.scaling(), *bench.beside_chaine()]
        trained, tagger, rival = bench.training(test)
        tell("tagging raw tokens")
        rows += [*trained, *tagging_rows(tagger, RivalTagger(rival), test, repeats)]
        tell("peak memory of a training process on each side")
        rows += memory_rows(train_file)
        tell("second start of the command line")
        rows.append(start_row(tagger, Path(folder)))
    tell("growth with tokens and labels")
    growth = {"tokens": token_growth(train, repeats), "labels": label_growth(train, repeats)}
    tell("the E-step and the consensus methods")
    return {
        "format_version": FORMAT_VERSION,
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "spin_test_cores": min(row.cores for row in rows if row.cores is not None),
        "rows": [{**asdict(row), "verdict": row.verdict} for row in rows],
        "growth": growth,
        "estep": estep_rows(repeats),
        "methods": [
            {**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in method_rows(tell, repeats)
        ],
    }
