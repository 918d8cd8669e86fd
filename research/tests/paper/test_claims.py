"""Which claims held is told from cells, and so is the age of cells."""

from typing import Any

import pytest

from cell_worlds import grid_cell
from crowdseq.methods import list_methods
from crowdseq_research.cells.sources import origin
from crowdseq_research.paper.page.age import told_age
from crowdseq_research.paper.tables.claims import DEFAULT, NO_ALPHA, OTHERS, claims_table

PAPER = {"preset": "paper"}


def turk(method: str, f1: float, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    key = {"data": "amt", "method": method, "settings": settings or {}, "sentences": None}
    return {"key": key, "test": {"f1": f1}}


def study(name: str, f1: float) -> dict[str, Any]:
    return {"key": {"data": "amt", "name": name, "method": "sa-slc", "settings": {}}, "all": {"f1": f1}}


@pytest.mark.parametrize(("paper", "held"), [(0.7, "yes"), (0.62, "no")])
def test_the_real_crowd_is_judged_by_the_papers_own_choices(paper: float, held: str) -> None:
    cells = [turk(method, 0.63) for method in OTHERS]
    cells += [turk("sa-slc", 0.9), turk("sa-slc", paper, PAPER)]
    (row,) = claims_table({"table-x": cells}).rows
    assert row[-1] == held
    assert row[2] == "90.0"


@pytest.mark.parametrize(("first", "held"), [(3, "yes"), (2, "mostly"), (1, "no")])
def test_simulated_crowds_are_counted(first: int, held: str) -> None:
    cells = []
    for number, precision in enumerate((0.1, 0.3, 0.5)):
        crowd = ("bc2gm", 5, precision)
        cells += [grid_cell(crowd, method, 60.0) for method in OTHERS]
        cells.append(grid_cell(crowd, "sa-slc", 50.0))
        cells.append(grid_cell(crowd, "sa-slc", 61.0 if number < first else 50.0, settings=PAPER))
    (row,) = claims_table({"grid": cells}).rows
    assert row[1:] == (f"{first} of 3 crowds, K = 5 alone", "0 of 3 crowds", held)


@pytest.mark.parametrize(
    ("without", "held"), [(0.7, "yes"), (0.798, "neither helps nor harms"), (0.85, "no, it harms")]
)
def test_a_part_helps_harms_or_neither(without: float, held: str) -> None:
    (row,) = claims_table({"amt": [study(DEFAULT, 0.8), study(NO_ALPHA, without)]}).rows
    assert row[-1] == held


def test_nothing_is_claimed_without_cells() -> None:
    assert claims_table({}).rows == ()


def test_cells_without_a_recipe_or_sources_are_told_old() -> None:
    cell = grid_cell(("bc2gm", 5, 0.5), "mace", 60.0)
    whole = cell | origin(list_methods()["mace"](), "mace")
    assert "1 of mace keep no recipe" in told_age([cell, whole])
    without = {name: value for name, value in whole.items() if name != "sources"}
    assert told_age([without]).startswith("1 more keep a recipe but no digest")
    assert told_age([whole]) == ""
