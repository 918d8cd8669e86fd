"""Tables II and III: ten folds of each corpus, five annotators of mean precision 0.5, the six methods."""

from typing import Any

from crowdseq.experiments.crowd_cells import SIX, cell_key
from crowdseq.experiments.folding import FOLDS
from crowdseq.experiments.splits import DATASETS

_ANNOTATORS, _PRECISION = 5, 0.5
_QUICK_FOLDS, _QUICK_SENTENCES = 3, 300


def fold_keys(*, quick: str | None = None) -> list[dict[str, Any]]:
    """The smallest corpus first, so that a part is soon whole; quick: a few short folds of this corpus."""
    if quick:
        return [
            cell_key(quick, _ANNOTATORS, _PRECISION, method, fold=fold, sentences=_QUICK_SENTENCES)
            for fold in range(_QUICK_FOLDS)
            for method in SIX
        ]
    order = ("ncbi_disease", *(one.name for one in DATASETS if one.name != "ncbi_disease"))
    return [
        cell_key(name, _ANNOTATORS, _PRECISION, method, fold=fold)
        for name in order
        for fold in range(FOLDS)
        for method in SIX
    ]
