"""Cells that cost nothing but a little time, and a run of them that can be killed from outside."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import Workers, compute_all

KEYS = [{"data": "none", "method": "wait", "number": number} for number in range(8)]


def wait_a_little(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Notes in the folder which process computed which cell."""
    time.sleep(float(os.environ.get("CELL_SECONDS", "0.15")))
    with (data / "log").open("a") as log:
        log.write(f"{os.getpid()} {key['number']}\n")
    return {"square": key["number"] ** 2}


def run(folder: Path) -> list[dict[str, Any]]:
    """All cells, two at a time."""
    workers = Workers(folder, 2, lambda *_: None)
    return compute_all(CellFile(folder / "cells.jsonl"), KEYS, wait_a_little, workers)


def grid_cell(crowd: tuple[str, int, float], method: str, f1: float, **further: Any) -> dict[str, Any]:
    """A cell of the grid with this F1 (in percent) of the tagger."""
    data, annotators, precision = crowd
    key = {
        "data": data,
        "annotators": annotators,
        "precision": precision,
        "method": method,
        "settings": {},
        "repeat": 0,
    }
    scores = {"f1": f1 / 100, "precision": f1 / 100, "recall": f1 / 100}
    return {"key": key | further, "tagger": scores, "consensus": scores, "cpu_seconds": 2.0}


def expertise_cell(estimated: float, true: float) -> dict[str, Any]:
    """A cell of two annotators, the second without votes; numbers: the share of the right label of α."""
    row = {
        source: [{"votes": 4.0, "shares": [0.0, right, 1.0 - right]}, {"votes": 0.0, "shares": None}]
        for source, right in (("estimated", estimated), ("true", true))
    }
    return {
        "key": {"data": "bc2gm", "method": "sa-slc", "settings": {}},
        "annotators": ["a01", "a02"],
        "tags": ["O", "I-GENE", "B-GENE"],
        "local": {"truth": "I-GENE", "context": "B-GENE", **row},
        "repeat": {"truth": "B-GENE", "context": "B-GENE", **row},
    }


if __name__ == "__main__":
    run(Path(sys.argv[1]))
