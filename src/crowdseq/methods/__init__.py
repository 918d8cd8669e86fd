"""One method, one file; importing this package fills the register."""

from crowdseq.aggregation.contract import Aggregator, registered_methods
from crowdseq.methods import (
    bsc,
    dawid_skene,
    gold,
    hmm_crowd,
    ibcc,
    mace,
    majority_vote,
)

__all__ = [
    "bsc",
    "dawid_skene",
    "gold",
    "hmm_crowd",
    "ibcc",
    "mace",
    "majority_vote",
    "list_methods",
]


def list_methods() -> dict[str, type[Aggregator]]:
    """Every method by its name on the command line."""
    return dict(sorted(registered_methods().items()))
