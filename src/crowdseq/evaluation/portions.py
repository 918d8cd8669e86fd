"""Long lists taken a bounded piece at a time, so that what is worked out on the way stays small."""

from collections.abc import Iterator

import numpy as np

from crowdseq.arrays import IntArray


def portions(costs: IntArray, limit: int) -> Iterator[slice]:
    """Ranges of things that together cost no more than the limit, or of one that alone costs more."""
    totals = np.cumsum(costs)
    first = 0
    while first < len(costs):
        reach = totals[first] - costs[first] + limit
        last = max(first + 1, int(np.searchsorted(totals, reach, side="right")))
        yield slice(first, last)
        first = last
