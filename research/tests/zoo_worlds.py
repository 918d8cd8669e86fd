"""Cells of the zoo that nobody computed."""

from typing import Any

from crowdseq.methods import list_methods
from crowdseq_research.cells.sources import origin
from crowdseq_research.zoo.cells import zoo_key
from crowdseq_research.zoo.crowds import FINAL, ZOO, find_crowd
from crowdseq_research.zoo.rows import ROWS

SHOWN = tuple(name for name, row in ROWS.items() if not row.few)


def zoo_cell(name: str, row: str, draw: int = 0, **figures: Any) -> dict[str, Any]:
    """A cell of today's sources with the score 0.5, and what is told otherwise."""
    key = zoo_key(find_crowd(name), draw, row)
    usual = {
        "score": 0.5,
        "calibration": 0.1,
        "settled_tokens": 3,
        "drawn_tokens": 9,
        "gold_tokens": 4,
        "like_votes": 1.0,
        "sentences": 600,
        "crowd": "0",
    }
    recipe = list_methods()[key["method"]](**key["settings"])
    return {"key": key, **usual, **origin(recipe, key["method"]), **figures}


def cells_of(name: str, scores: dict[str, float], **figures: Any) -> list[dict[str, Any]]:
    """Every row on every draw of a crowd; a draw is 0.01 better than the one before."""
    crowd = next(crowd for crowd in (*ZOO, *FINAL) if crowd.name == name)
    return [
        zoo_cell(name, row, draw, score=scores.get(row, 0.5) + 0.01 * draw, **figures)
        for row in SHOWN
        for draw in range(crowd.draws)
    ]
