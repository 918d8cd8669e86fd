"""Cells and the settings they were computed with."""

import json
from pathlib import Path

import pytest

import cell_worlds
from cell_worlds import grid_cell
from crowdseq.methods import list_methods
from crowdseq.methods.sa_slc import SaSlc
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import Workers, compute_all
from crowdseq_research.cells.recipes import is_outdated, recipe_of
from crowdseq_research.paper.page.page import make_page

CELL = grid_cell(("bc2gm", 5, 0.5), "sa-slc", 60.0)
TODAY = recipe_of(list_methods()["sa-slc"]())


@pytest.mark.parametrize("name", sorted(list_methods()))
def test_a_recipe_survives_its_file(name: str) -> None:
    recipe = recipe_of(list_methods()[name]())
    cell = grid_cell(("bc2gm", 5, 0.5), name, 60.0) | {"recipe": json.loads(json.dumps(recipe))}
    assert not is_outdated(cell)


def test_a_changed_default_makes_a_cell_outdated_and_the_page_says_so() -> None:
    old = CELL | {"recipe": TODAY | {"rounds": TODAY["rounds"] + 1}}
    assert is_outdated(old)
    assert "Defaults have changed since some cells were computed: 1 of sa-slc." in make_page({"grid": [old]})
    assert "Defaults have changed" not in make_page({"grid": [CELL | {"recipe": TODAY}]})


def test_settings_of_the_key_are_no_change() -> None:
    paper = grid_cell(("bc2gm", 5, 0.5), "sa-slc", 60.0, settings={"preset": "paper"})
    assert not is_outdated(paper | {"recipe": recipe_of(SaSlc(preset="paper"))})
    assert is_outdated(paper | {"recipe": TODAY})


def test_settings_that_came_or_went_and_cells_without_a_recipe_are_let_pass() -> None:
    assert not is_outdated(CELL)
    assert is_outdated(CELL | {"recipe": "SaSlc()"})
    assert not is_outdated(CELL | {"recipe": {name: TODAY[name] for name in list(TODAY)[:3]} | {"gone": 1}})


def test_an_outdated_cell_is_computed_again(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    for key in cell_worlds.KEYS[:2]:
        file.append({"key": key, "square": "old" if key["number"] else "kept"})
    workers = Workers(tmp_path, 1, lambda *_: None, lambda cell: cell["square"] == "old")
    cells = compute_all(file, cell_worlds.KEYS[:2], cell_worlds.wait_a_little, workers)
    assert [cell["square"] for cell in cells] == ["kept", 1]
    assert [cell["square"] for cell in file.load().values()] == ["kept", 1]
