"""Tables II and III: ten folds of each corpus, five annotators of mean precision 0.5, the six methods."""

from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.canonical import assign_folds
from crowdseq.core.corpus import Corpus
from crowdseq_research.paper.cells.keys import SIX, Crowd, cell_key
from crowdseq_research.paper.cells.splits import DATASETS, load_pool

FOLDS = 10

_ANNOTATORS, _PRECISION = 5, 0.5
_QUICK_FOLDS, _QUICK_SENTENCES = 3, 300


def fold_keys(*, quick: str | None = None) -> list[dict[str, Any]]:
    """The smallest corpus first, so that a part is soon whole; quick: a few short folds of this corpus."""
    if quick:
        return [
            cell_key(Crowd(quick, _ANNOTATORS, _PRECISION), method, fold=fold, sentences=_QUICK_SENTENCES)
            for fold in range(_QUICK_FOLDS)
            for method in SIX
        ]
    order = ("ncbi_disease", *(one.name for one in DATASETS if one.name != "ncbi_disease"))
    return [
        cell_key(Crowd(name, _ANNOTATORS, _PRECISION), method, fold=fold)
        for name in order
        for fold in range(FOLDS)
        for method in SIX
    ]


def fold_parts(data: Path, name: str, fold: int) -> tuple[Corpus, Corpus]:
    """The nine folds to learn from and the one to read: of train and dev pooled, documents kept whole."""
    pool = load_pool(data, name)
    held = assign_folds(pool, FOLDS) == fold
    return pool.select(np.flatnonzero(~held)), pool.select(np.flatnonzero(held))
