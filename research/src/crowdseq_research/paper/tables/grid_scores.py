"""The cells of the grid, found by crowd and method: F1 in percent, the mean over repeats and its error."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import sqrt
from statistics import mean, stdev
from typing import Any

from crowdseq_research.paper.cells.keys import Crowd, row_name
from crowdseq_research.paper.tables.published import ANNOTATORS, METHODS, PRECISIONS, TITLES

CEILING_CROWD = (5, 0.5)  # gold labels do not depend on the crowd: its cell stands with this one


_MEASURES = ("precision", "recall", "f1")


CROWDS = tuple(Crowd(*parts) for parts in product(TITLES, ANNOTATORS, PRECISIONS))


@dataclass(frozen=True)
class GridScores:
    """Percent F1 by crowd, method and repeat; balances: precision and recall."""

    found: Mapping[tuple[Crowd, str], Mapping[int, float]]
    balances: Mapping[tuple[Crowd, str], Sequence[tuple[float, float]]] = field(default_factory=dict)

    @classmethod
    def of_cells(cls, cells: Iterable[Mapping[str, Any]], part: str = "tagger") -> "GridScores":
        """part: of the `tagger` or of the `consensus`. Cells of folds and quick runs are not in the grid."""
        found: dict[tuple[Crowd, str], dict[int, float]] = {}
        balances: dict[tuple[Crowd, str], list[tuple[float, float]]] = {}
        for cell in cells:
            key = cell["key"]
            if "fold" in key or "sentences" in key:
                continue
            place = Crowd(key["data"], key["annotators"], key["precision"]), row_name(key)
            precision, recall, f1 = (100 * (cell[part][name] or 0.0) for name in _MEASURES)
            found.setdefault(place, {})[key["repeat"]] = f1
            balances.setdefault(place, []).append((precision, recall))
        return cls(found, balances)

    def repeats(self, crowd: Crowd, method: str) -> Mapping[int, float]:
        return self.found.get((crowd, method), {})

    def mean(self, crowd: Crowd, method: str) -> float | None:
        """None when it has not been run."""
        values = self.repeats(crowd, method).values()
        return mean(values) if values else None

    def balance(self, crowd: Crowd, method: str) -> tuple[float, float] | None:
        """Mean precision and mean recall."""
        pairs = self.balances.get((crowd, method), ())
        return (mean(one for one, _ in pairs), mean(other for _, other in pairs)) if pairs else None

    def ceiling(self, data: str) -> float | None:
        """The tagger that learned from gold labels."""
        return self.mean(Crowd(data, *CEILING_CROWD), "gold")

    def is_complete(self, crowd: Crowd) -> bool:
        """Whether all six methods of the paper have been run."""
        return all(self.repeats(crowd, method) for method in METHODS)

    def gap_error(self, crowd: Crowd, one: str, other: str) -> float | None:
        """Standard error of the mean difference over the repeats that both have; None with fewer than two."""
        left, right = self.repeats(crowd, one), self.repeats(crowd, other)
        gaps = [left[repeat] - right[repeat] for repeat in left if repeat in right]
        return stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else None
