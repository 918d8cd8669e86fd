"""Table X: taggers that learned from the crowd of Mechanical Turk, on CoNLL test, by every method."""

import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.workflows.reading import read
from crowdseq_research.cells.sources import origin
from crowdseq_research.paper.cells.crowd_cells import consensus_scores, learn_with_tagger, tagger_scores
from crowdseq_research.paper.cells.keys import FURTHER, PAPER_SETTINGS, SIX

PAPER_SENTENCES = 3_000
_QUICK_SENTENCES = 600
_SEED = 2021


def turk_keys(*, quick: bool = False) -> list[dict[str, Any]]:
    """Every method on as many sentences as the paper has, and on all of them."""
    rows: list[tuple[str, dict[str, Any]]] = [(method, {}) for method in ("gold", *SIX)]
    if quick:
        return [turk_key(method, settings, _QUICK_SENTENCES) for method, settings in rows]
    rows += [("sa-slc", PAPER_SETTINGS), *((method, {}) for method in FURTHER)]
    return [turk_key(*row, sentences) for sentences in (PAPER_SENTENCES, None) for row in rows]


def turk_key(method: str, settings: Mapping[str, Any], sentences: int | None) -> dict[str, Any]:
    """sentences: how many are drawn, None for all."""
    return {"data": "amt", "method": method, "settings": dict(settings), "sentences": sentences}


def compute_turk(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores of the tagger on CoNLL dev and test, and of the consensus."""
    crowd = turk_crowd(data, key["sentences"])
    begun = time.process_time()
    run, tagger = learn_with_tagger(crowd, key["method"], key["settings"])
    seconds = time.process_time() - begun
    return {
        **{part: tagger_scores(tagger, _held_out(data, part)) for part in ("dev", "test")},
        "consensus": consensus_scores(run.consensus),
        "n_sentences": len(crowd),
        "cpu_seconds": round(seconds, 1),
        **origin(run.recipe, key["method"]),
    }


@lru_cache(maxsize=2)
def turk_crowd(data: Path, sentences: int | None) -> Corpus:
    """The crowd, or so many of its sentences: whole articles drawn with a fixed seed, the last one cut."""
    file = data / "amt_conll2003" / "crowd.jsonl.gz"
    if not file.is_file():
        raise FormatError(Problem("the crowd is not there, say --data FOLDER", str(file)))
    crowd = read(file)
    if sentences is None:
        return crowd
    documents = np.asarray(crowd.text.document_of)
    drawn = np.random.default_rng(_SEED).permutation(np.unique(documents))
    places = np.concatenate([np.flatnonzero(documents == document) for document in drawn])
    return crowd.select(np.sort(places[:sentences]))


@lru_cache(maxsize=2)
def _held_out(data: Path, part: str) -> Corpus:
    return read(data / "conll2003" / f"{part}.conll.gz")
