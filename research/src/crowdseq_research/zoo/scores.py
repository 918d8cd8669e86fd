"""The zoo's cells put together: means over the draws of a crowd, by row."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crowdseq_research.cells.sources import is_old
from crowdseq_research.zoo.crowds import ZOO, Crowd
from crowdseq_research.zoo.rows import ROWS

Cell = Mapping[str, Any]


class Score(NamedTuple):
    """Of one row on one crowd; old: some of it was computed with other sources than today's."""

    value: float
    calibration: float | None
    draws: int
    empty: bool
    old: bool


class CrowdScores(NamedTuple):
    """The rows of which every draw is there."""

    crowd: Crowd
    sentences: int
    rows: Mapping[str, Score]

    @property
    def best(self) -> float:
        return max(score.value for score in self.rows.values())

    def behind(self, row: str) -> float:
        return self.best - self.rows[row].value


def is_empty(cell: Cell) -> bool:
    """Whether nothing is marked, though annotators marked something and gold has something."""
    return cell.get("settled_tokens") == 0 and cell["drawn_tokens"] > 0 and cell["gold_tokens"] > 0


def crowd_scores(cells: Iterable[Cell], *, draws: int | None = None) -> list[CrowdScores]:
    """In the order of the list; draws: how many make a crowd whole, as many as the list says if None."""
    found: dict[str, dict[str, list[Cell]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        found[cell["key"]["data"]][cell["key"]["row"]].append(cell)
    return [
        CrowdScores(crowd, _sentences(rows), {row: _score(rows[row]) for row in ROWS if row in rows})
        for crowd in ZOO
        if (rows := _whole_rows(found[crowd.name], draws or crowd.draws))
    ]


def _whole_rows(rows: Mapping[str, list[Cell]], draws: int) -> dict[str, list[Cell]]:
    return {row: cells for row, cells in rows.items() if len(cells) == draws}


def _sentences(rows: Mapping[str, Sequence[Cell]]) -> int:
    return round(float(np.mean([cell["sentences"] for cells in rows.values() for cell in cells])))


def _score(cells: Sequence[Cell]) -> Score:
    errors = [cell["calibration"] for cell in cells if cell["calibration"] is not None]
    return Score(
        float(np.mean([cell["score"] for cell in cells])),
        float(np.mean(errors)) if errors else None,
        len(cells),
        any(map(is_empty, cells)),
        any(map(is_old, cells)),
    )


def shown_rows(scores: Sequence[CrowdScores]) -> list[str]:
    """The rows that any crowd has, in the order of the list."""
    return [row for row in ROWS if any(row in one.rows for one in scores)]


def common_rows(scores: Sequence[CrowdScores]) -> list[str]:
    """The rows that every crowd has: only these can be ranked."""
    return [row for row in ROWS if scores and all(row in one.rows for one in scores)]


def kind_weights(scores: Sequence[CrowdScores]) -> list[float]:
    """One for each crowd, so that every kind weighs the same."""
    kinds = [one.crowd.kind for one in scores]
    return [1.0 / kinds.count(kind) for kind in kinds]
