"""The ten folds of tables II and III: training and development parts pooled, documents kept whole."""

from pathlib import Path

import numpy as np

from crowdseq.aggregation.folds import assign_folds
from crowdseq.core.corpus import Corpus
from crowdseq.experiments.splits import load_pool

FOLDS = 10


def fold_parts(data: Path, name: str, fold: int) -> tuple[Corpus, Corpus]:
    """The nine folds to learn from and the one to read."""
    pool = load_pool(data, name)
    held = assign_folds(pool, FOLDS) == fold
    return pool.select(np.flatnonzero(~held)), pool.select(np.flatnonzero(held))
