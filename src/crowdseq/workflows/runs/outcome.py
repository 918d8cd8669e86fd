"""Outcome: what was learned, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crowdseq.aggregation.contract import Aggregator, Learned


@dataclass(frozen=True)
class Outcome(Learned):
    """What was learned, with the recipe, the time it took, and where the data came from."""

    recipe: Aggregator
    seconds: float = 0.0
    source: Mapping[str, Any] = field(default_factory=dict)
