"""One cell of the zoo: a method on a draw of a crowd; what it settles on and how sure it is of it."""

import hashlib
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import crowdseq
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import score_tags
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.recipes import recipe_of
from crowdseq_research.zoo.crowds import QUICK, ZOO, find_crowd

# Rows of the table: what they are called, the method, its settings. Those of the rivals were chosen on
# development crowds with the same care as ours; `rivals.md` beside the results tells what was tried.
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "majority-vote": ("majority-vote", {}),
    "dawid-skene": ("dawid-skene", {}),
    "ibcc": ("ibcc", {}),
    "mace": ("mace", {}),
    "hmm-crowd": ("hmm-crowd", {}),
    "bsc": ("bsc", {}),
    "sembler": ("sembler", {}),
    "crf-ma": ("crf-ma", {}),
    "sa-slc, paper preset": ("sa-slc", {"preset": "paper"}),
    "sa-slc": ("sa-slc", {}),
}


def zoo_keys(*, quick: bool = False) -> list[dict[str, Any]]:
    """Every row on every draw of every crowd; quick: some crowds, one draw."""
    return [
        {
            "data": crowd.name,
            "kind": crowd.kind,
            "draw": draw,
            "row": row,
            "method": method,
            "settings": settings,
        }
        for crowd in ZOO
        if not quick or crowd.name in QUICK
        for draw in range(1 if quick else crowd.draws)
        for row, (method, settings) in ROWS.items()
    ]


def compute_zoo(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores against gold, how many spans there are, calibration, and processor time."""
    crowd = _crowd(data, key["data"], key["draw"])
    begun = time.process_time()
    run = learn(crowd, key["method"], tagger=False, **key["settings"])
    seconds = time.process_time() - begun
    return {
        **consensus_figures(run.consensus),
        "cpu_seconds": round(seconds, 1),
        "version": crowdseq.__version__,
        "sources": source_digest(),
        "recipe": recipe_of(run.recipe),
    }


@lru_cache(maxsize=1)
def _crowd(data: Path, name: str, draw: int) -> Corpus:
    """The crowd is the same for every method, whatever else is in its process."""
    return find_crowd(name).make(data, draw)


def consensus_figures(consensus: Consensus) -> dict[str, Any]:
    """score: strict span F1, or accuracy of tags without spans; settled and gold: numbers of spans."""
    corpus = consensus.corpus
    known = corpus.gold_tags >= 0
    right = consensus.tag_ids == corpus.gold_tags
    if corpus.scheme.outside < 0 or corpus.scheme.is_plain:
        error = measure_calibration(consensus.token_confidence[known], right[known]).error
        return {"score": float(right[known].mean()), "calibration": error}
    scores = score_tags(corpus.gold_tags, consensus.tag_ids, corpus.offsets, corpus.scheme)
    counted = known & entity_tokens(corpus.gold_tags, consensus.tag_ids, corpus.scheme)
    error = (
        measure_calibration(consensus.token_confidence[counted], right[counted]).error
        if counted.any()
        else None
    )
    settled = int(np.isin(consensus.tag_ids, np.flatnonzero(corpus.scheme.type_ids >= 0)).sum())
    return {
        "score": scores.f1 or 0.0,
        "precision": scores.precision,
        "recall": scores.recall,
        "calibration": error,
        "settled_tokens": settled,
    }


@lru_cache(maxsize=1)
def source_digest() -> str:
    """A digest of the sources that a result comes from."""
    root = Path(crowdseq.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
