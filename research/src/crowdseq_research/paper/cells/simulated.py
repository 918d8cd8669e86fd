"""SA-SLC on simulated crowds: the paper's preset and its spread over seeds, beside ours and the votes."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from crowdseq.errors import FormatError, Problem
from crowdseq.evaluation.scores import score_tags
from crowdseq.reports.tables import Table
from crowdseq.simulation import simulate
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reading import read
from crowdseq_research.cells.cell_file import CellFile, Tell, compute_missing
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.cells.sources import OTHER_SOURCES, is_old, origin

DATASETS = ("conll2003", "bc2gm", "ncbi_disease", "jnlpba")
SENTENCES, ANNOTATORS, PRECISION, SEEDS = 1_500, 5, 0.5, 5


def run_simulated(data: Path, out: Path, tell: Tell, *, quick: bool = False, renew: bool = False) -> Table:
    """All cells, stored ones as they are; quick: the first corpus alone; renew: old ones anew."""
    datasets = DATASETS[:1] if quick else DATASETS
    for name in datasets:
        if not (data / name / "train.conll.gz").is_file():
            raise FormatError(Problem("the corpus is not there, say --data FOLDER", str(data / name)))
    keys = [_key(name, *row) for name in datasets for row in _rows()]
    file = CellFile(out / "cells" / "simulated.jsonl")
    return simulated_table(
        compute_missing(
            file, keys, lambda key: compute_simulated(key, data), tell, is_old if renew else is_outdated
        )
    )


def _rows() -> list[tuple[str, dict[str, Any]]]:
    paper = [("sa-slc", {"preset": "paper", "seed": seed}) for seed in range(SEEDS)]
    return [("majority-vote", {}), ("dawid-skene", {}), ("sa-slc", {}), *paper]


def _key(dataset: str, method: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": f"{dataset}, {method}",
        "data": dataset,
        "sentences": SENTENCES,
        "annotators": ANNOTATORS,
        "precision": PRECISION,
        "method": method,
        "settings": settings,
    }


def compute_simulated(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """F1 of the consensus."""
    gold = read(data / key["data"] / "train.conll.gz")
    crowd = simulate(
        gold.select(range(min(key["sentences"], len(gold)))),
        annotators=key["annotators"],
        precision=key["precision"],
        seed=0,
    )
    begun = time.process_time()
    run = learn(crowd, key["method"], tagger=False, **key["settings"])
    scores = score_tags(crowd.gold_tags, run.consensus.tag_ids, crowd.offsets, crowd.scheme)
    seconds = round(time.process_time() - begun, 1)
    return {"f1": scores.f1, "cpu_seconds": seconds, **origin(run.recipe, key["method"])}


def simulated_table(cells: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each corpus; the paper's preset as its mean and range over the seeds."""
    rows = []
    for dataset in dict.fromkeys(cell["key"]["data"] for cell in cells):
        mine = [cell for cell in cells if cell["key"]["data"] == dataset]
        paper = [cell["f1"] for cell in mine if cell["key"]["settings"].get("preset") == "paper"]
        single = {cell["key"]["method"]: cell["f1"] for cell in mine if not cell["key"]["settings"]}
        spread = f"{min(paper):.3f} to {max(paper):.3f}"
        votes = (single["majority-vote"], single["dawid-skene"])
        rows.append((dataset, *votes, single["sa-slc"], mean(paper), spread))
    columns = ("corpus", "majority vote", "Dawid-Skene", "SA-SLC", "paper preset, mean", "over 5 seeds")
    title = f"Consensus F1 on simulated crowds: {SENTENCES:,} sentences, K = {ANNOTATORS}, p = {PRECISION}"
    if old := sum(map(is_old, cells)):
        title += f" ({old} of {len(cells)} cells {OTHER_SOURCES})"
    return Table(columns, tuple(rows), title)
