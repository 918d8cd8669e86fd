"""Tables VIII and IX, figures 7-10: every method for few to many, poor to good annotators."""

from collections.abc import Mapping
from typing import Any

from crowdseq_research.paper.cells.keys import FURTHER, PAPER_SETTINGS, SIX, Crowd, cell_key
from crowdseq_research.paper.cells.splits import DATASETS

ANNOTATORS = (5, 15, 10)
PRECISIONS = (0.5, 0.1, 0.9, 0.3, 0.7)


def grid_keys(repeats: int = 1) -> list[dict[str, Any]]:
    """Cells in an order in which a part of them is already worth looking at.

    First the ceilings and the six methods of the paper; then, at K = 5, SA-SLC with the CRF of the others
    after it, its preset of the paper, and our further methods.
    """
    keys = [cell_key(Crowd(dataset.name, 5, 0.5), "gold") for dataset in DATASETS]
    crowds = [
        (Crowd(dataset.name, annotators, precision), repeat)
        for repeat in range(repeats)
        for annotators in ANNOTATORS
        for precision in PRECISIONS
        for dataset in DATASETS
    ]
    keys += [cell_key(crowd, method, repeat=repeat) for crowd, repeat in crowds for method in SIX]
    first = [crowd for crowd, repeat in crowds if crowd.annotators == ANNOTATORS[0] and repeat == 0]
    keys += [cell_key(crowd, "sa-slc", followed=True) for crowd in first]
    for method, settings in (("sa-slc", PAPER_SETTINGS), *((name, _NOTHING) for name in FURTHER)):
        keys += [cell_key(crowd, method, settings) for crowd in first]
    return keys


def quick_grid_keys(corpus: str) -> list[dict[str, Any]]:
    """The ceiling and the six methods on one corpus cut short, for poor, middling and good annotators."""
    keys = [cell_key(Crowd(corpus, 5, 0.5), "gold", sentences=_QUICK_SENTENCES)]
    return keys + [
        cell_key(Crowd(corpus, 5, precision), method, sentences=_QUICK_SENTENCES)
        for precision in (0.5, 0.1, 0.9)
        for method in SIX
    ]


_QUICK_SENTENCES = 600
_NOTHING: Mapping[str, Any] = {}
