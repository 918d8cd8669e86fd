"""One method, one file; importing this package fills the register."""

from crowdseq.aggregation.contract import Aggregator, registered_methods
from crowdseq.methods import (
    bsc,
    crf_ma,
    dawid_skene,
    gold,
    hmm_crowd,
    ibcc,
    mace,
    majority_vote,
    sa_slc,
    sembler,
)

__all__ = [
    "bsc",
    "crf_ma",
    "dawid_skene",
    "gold",
    "hmm_crowd",
    "ibcc",
    "mace",
    "majority_vote",
    "sa_slc",
    "sembler",
    "list_methods",
]


def list_methods() -> dict[str, type[Aggregator]]:
    """Every method by its name on the command line."""
    return dict(sorted(registered_methods().items()))
