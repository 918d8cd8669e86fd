"""One method, one file; importing this package fills the register."""

from crowdseq.aggregation.contract import Aggregator, registered_methods
from crowdseq.methods import dawid_skene, majority_vote

__all__ = ["dawid_skene", "majority_vote", "list_methods"]


def list_methods() -> dict[str, type[Aggregator]]:
    """Every method by its name on the command line."""
    return dict(sorted(registered_methods().items()))
