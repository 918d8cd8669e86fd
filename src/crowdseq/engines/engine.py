"""Engine: where the sums of a run are made."""

from typing import Protocol


class Engine(Protocol):
    """Where the sums of a run are made."""

    @property
    def threads(self) -> int:
        """How many threads of this machine may work at a time."""
