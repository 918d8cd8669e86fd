"""The crowd of Mechanical Turk (CoNLL-2003 text): what each part of SA-SLC brings, and its rivals."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import score_tags
from crowdseq.reports.tables import Table
from crowdseq.workflows.comparing import score_tagger
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reading import read
from crowdseq_research.cells.cell_file import CellFile, Tell, compute_missing
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.cells.sources import OTHER_SOURCES, is_old, origin

# Name, method, settings, whether the tagger is scored too.
ROWS: tuple[tuple[str, str, dict[str, Any], bool], ...] = (
    ("majority vote", "majority-vote", {}, True),
    ("Dawid-Skene", "dawid-skene", {}, True),
    ("BSC (seq)", "bsc", {}, True),
    ("SA-SLC, default preset", "sa-slc", {}, True),
    ("… no cross-fitting", "sa-slc", {"folds": 1}, False),
    ("… votes at full weight", "sa-slc", {"deference": 0.0}, False),
    ("… votes at a constant weight of 0.45", "sa-slc", {"deference": 0.0, "temper": 0.45}, False),
    ("… one table for plausible and other words", "sa-slc", {"plausibility": False}, False),
    ("… votes as if independent", "sa-slc", {"correlation": 0.0}, False),
    ("… start from shares of votes", "sa-slc", {"start": "votes"}, False),
    ("… no coupling of mentions", "sa-slc", {"coupling": 0.0, "surprise": 0.0}, False),
    ("… nothing of what the text foretold of them", "sa-slc", {"surprise": 0.0}, False),
    ("… no context of votes", "sa-slc", {"dependency": "off"}, False),
    (
        "… β in place of α at repeats, in sentences (Eq. 11)",
        "sa-slc",
        {"dependency": "paper", "repeat_scope": "sentence", "repeat_tokens": "all"},
        False,
    ),
    ("… β in place of α at repeats, in documents", "sa-slc", {"dependency": "paper"}, False),
    ("… α and β together", "sa-slc", {"dependency": "both"}, False),
    ("… weak back-off", "sa-slc", {"smoothing": 10.0}, False),
    ("… no document features", "sa-slc", {"document": False}, False),
    ("… rich features in the rounds", "sa-slc", {"features": "rich"}, False),
    ("… candidates as in the paper", "sa-slc", {"candidates": "paper", "upper": 2.0, "lower": 1.0}, False),
    ("… adaptive candidates", "sa-slc", {"candidates": "adaptive"}, False),
    ("… 8 rounds", "sa-slc", {"rounds": 8}, False),
    ("… 12 rounds", "sa-slc", {"rounds": 12, "tolerance": 0.0}, False),
    *(
        (f"paper preset, seed {seed}", "sa-slc", {"preset": "paper", "seed": seed}, seed == 0)
        for seed in range(5)
    ),
    ("gold (ceiling)", "gold", {}, True),
)


def run_amt(data: Path, out: Path, tell: Tell, *, quick: bool = False, renew: bool = False) -> Table:
    """All rows, from cells where they are there already; quick: the first four; renew: not from old ones."""
    _parts(data)  # what is missing is told before anything is computed
    keys = [_key(*row) for row in (ROWS[:4] if quick else ROWS)]
    file = CellFile(out / "cells" / "amt.jsonl")
    return amt_table(
        compute_missing(
            file, keys, lambda key: compute_amt(key, data), tell, is_old if renew else is_outdated
        )
    )


@lru_cache(maxsize=1)
def _parts(data: Path) -> tuple[Corpus, dict[str, Corpus]]:
    """The crowd, and the text that taggers read."""
    crowd_file = data / "amt_conll2003" / "crowd.jsonl.gz"
    if not crowd_file.is_file():
        raise FormatError(Problem("the crowd is not there, say --data FOLDER", str(crowd_file)))
    held = {name: read(data / "conll2003" / f"{name}.conll.gz") for name in ("dev", "test")}
    return read(crowd_file), held


def _key(name: str, method: str, settings: dict[str, Any], tagger: bool) -> dict[str, Any]:
    return {"data": "amt", "name": name, "method": method, "settings": settings, "tagger": tagger}


def compute_amt(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores of the consensus by part and, where the key asks for it, of the tagger."""
    crowd, held = _parts(data)
    begun = time.process_time()
    run = learn(crowd, key["method"], tagger=key["tagger"], **key["settings"])
    cell: dict[str, Any] = {
        "cpu_seconds": round(time.process_time() - begun, 1),
        **consensus_scores(run.consensus),
        **origin(run.recipe, key["method"]),
    }
    if run.tagger is not None:
        cell["tagger"] = {name: score_tagger(run.tagger, corpus)["f1"] for name, corpus in held.items()}
    return cell


def consensus_scores(consensus: Consensus) -> dict[str, Any]:
    """Strict span scores on the parts of Nguyen et al. and on all, and calibration on entity tokens."""
    corpus = consensus.corpus
    split = np.array([sentence.extras.get("split") for sentence in corpus.sentences], dtype=object)
    found: dict[str, Any] = {}
    for name in ("val", "test", "all"):
        kept = np.repeat((split == name) | (name == "all"), corpus.text.lengths)
        gold = np.where(kept, corpus.gold_tags, np.int16(-1))
        scores = score_tags(gold, consensus.tag_ids, corpus.offsets, corpus.scheme)
        found[name] = {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}
    counted = entity_tokens(corpus.gold_tags, consensus.tag_ids, corpus.scheme)
    right = consensus.tag_ids == corpus.gold_tags
    found["calibration"] = measure_calibration(consensus.token_confidence[counted], right[counted]).error
    return found


def amt_table(cells: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each cell."""
    rows = tuple(
        (
            cell["key"]["name"] + (" †" if is_old(cell) else ""),
            cell["val"]["f1"],
            cell["test"]["f1"],
            cell["all"]["f1"],
            cell["all"]["precision"],
            cell["all"]["recall"],
            cell["calibration"],
            cell.get("tagger", {}).get("dev"),
            cell.get("tagger", {}).get("test"),
            cell["cpu_seconds"],
        )
        for cell in cells
    )
    columns = (
        "",
        "val F1",
        "test F1",
        "all F1",
        "P",
        "R",
        "calibration error",
        "tagger dev",
        "tagger test",
        "CPU s",
    )
    title = "AMT crowd: strict span F1 of the consensus, and of the tagger on CoNLL-2003"
    old = "" if not any(map(is_old, cells)) else f" (†: {OTHER_SOURCES})"
    return Table(columns, rows, title + old)
