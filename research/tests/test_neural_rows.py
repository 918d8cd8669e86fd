"""The rows of language models: what they ask of learn, and the page of their cells."""

from inspect import signature
from typing import Any

import crowdseq
from crowdseq_research.neural.__main__ import ROWS
from crowdseq_research.neural.page import page


def test_every_row_asks_for_what_learn_knows() -> None:
    known = set(signature(crowdseq.learn).parameters)
    assert all(set(given) <= known for given in ROWS.values())


def test_a_page_tells_the_mean_over_the_seeds_of_a_row() -> None:
    cells = [
        {
            "key": {"row": "network", "seed": seed, "tagger": False, "final": True, "model": "m"},
            "consensus val": {"f1": score, "calibration": 0.03},
            "seconds": 10 + seed,
            "megabytes": 500,
        }
        for seed, score in enumerate((0.87, 0.88))
    ]
    assert page(cells).endswith("| network | m | 2 | 0.8750 |  |  |  | 0.0300 | 11 | 500 |\n")


def test_other_crowds_stand_apart_with_what_the_model_changed() -> None:
    def cell(row: str, score: float) -> dict[str, Any]:
        told = {"agreement_without_model": 0.7, "model_in_rounds": False}
        key = {"row": row, "seed": 0, "model": "m", "tagger": False, "final": False, "crowd": "pico"}
        return {"key": key, "consensus val": {"f1": score, "calibration": 0.1}, "told": told, "seconds": 9}

    made = page([cell("vectors", 0.61), cell("vectors + network", 0.6)])
    assert made.endswith("| pico | m |  | 0.6100 | 0.6000 | -0.0100 | 0.70 | no | 9 |\n")
    assert made.count("pico") == 1
