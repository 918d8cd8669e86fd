"""The zoo as tables: every crowd by every row, and what they say of each row."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crowdseq.reports.tables import Table
from crowdseq_research.zoo.cells import ROWS
from crowdseq_research.zoo.crowds import ZOO

LEVEL = 0.01  # scores this near to the best are level with it
_EMPTY = 0


class Scores(NamedTuple):
    """Means over the draws of one crowd, by row."""

    name: str
    kind: str
    score: dict[str, float]
    calibration: dict[str, float | None]
    empty: frozenset[str]

    @property
    def best(self) -> float:
        return max(self.score.values())


def crowd_scores(cells: Iterable[Mapping[str, Any]]) -> list[Scores]:
    """The crowds of which every row has every draw, in the order of the list."""
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        found[cell["key"]["data"]][cell["key"]["row"]].append(cell)
    return [
        _scores(crowd.name, crowd.kind, found[crowd.name])
        for crowd in ZOO
        if crowd.name in found and len({len(found[crowd.name].get(row, ())) for row in ROWS}) == 1
    ]


def _scores(name: str, kind: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Scores:
    errors = {
        row: [cell["calibration"] for cell in cells if cell["calibration"] is not None]
        for row, cells in rows.items()
    }
    return Scores(
        name,
        kind,
        {row: float(np.mean([cell["score"] for cell in cells])) for row, cells in rows.items()},
        {row: float(np.mean(values)) if values else None for row, values in errors.items()},
        frozenset(
            row
            for row, cells in rows.items()
            if any(cell.get("settled_tokens", 1) == _EMPTY for cell in cells)
        ),
    )


def score_table(scores: Sequence[Scores]) -> Table:
    """F1 (accuracy where there are no spans) of every row on every crowd."""
    rows = tuple((one.kind, one.name, *(one.score[row] for row in ROWS)) for one in scores)
    return Table(("kind", "crowd", *ROWS), rows, "The zoo: strict span F1 of the consensus")


def summary_table(scores: Sequence[Scores]) -> Table:
    """What the zoo says of each row; every kind weighs the same."""
    weights = kind_weights(scores)
    ranks = [_ranks(one) for one in scores]
    rows = []
    for row in ROWS:
        behind = [one.best - one.score[row] for one in scores]
        worst = int(np.argmax(behind))
        below = [one.score["majority-vote"] - one.score[row] for one in scores]
        rows.append(
            (
                row,
                float(np.average([one.score[row] for one in scores], weights=weights)),
                float(np.average([rank[row] for rank in ranks], weights=weights)),
                sum(gap <= 0 for gap in behind),
                sum(gap <= LEVEL for gap in behind),
                sum(gap > LEVEL for gap in below),
                sum(row in one.empty for one in scores),
                behind[worst],
                scores[worst].name,
            )
        )
    columns = (
        "", "mean", "mean rank", "first", "within 1 F1", "below majority vote", "empty", "furthest behind",
        "where",
    )  # fmt: skip
    return Table(columns, tuple(rows), f"What {len(scores)} crowds say of each method")


def kind_weights(scores: Sequence[Scores]) -> list[float]:
    """One for each crowd, so that every kind weighs the same."""
    kinds = [one.kind for one in scores]
    return [1.0 / kinds.count(kind) for kind in kinds]


def _ranks(one: Scores) -> dict[str, float]:
    """1 for the best; rows that tie share the mean of their ranks."""
    values = np.array([one.score[row] for row in ROWS])
    return {
        row: float((values > value).sum() + ((values == value).sum() + 1) / 2)
        for row, value in zip(ROWS, values, strict=True)
    }


def calibration_table(scores: Sequence[Scores]) -> Table:
    """Calibration error on entity tokens of every row on every crowd."""
    rows = tuple((one.kind, one.name, *(one.calibration[row] for row in ROWS)) for one in scores)
    return Table(("kind", "crowd", *ROWS), rows, "Calibration error on entity tokens")
