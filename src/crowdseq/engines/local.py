"""LocalEngine: the sums of a run are made in this process."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LocalEngine:
    """Makes all sums in this process, on so many threads; their number changes no result."""

    threads: int = 1
