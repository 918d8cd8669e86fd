"""Figures: the same bytes for the same cells, small, and with every method."""

import xml.etree.ElementTree as ElementTree

import pytest

from cell_worlds import expertise_cell, grid_cell
from crowdseq_research.paper.cells.keys import Crowd
from crowdseq_research.paper.page.plots import expertise_figure, grid_figure
from crowdseq_research.paper.tables.grid_scores import GridScores
from crowdseq_research.paper.tables.published import METHODS, PRECISIONS


@pytest.fixture
def scores() -> GridScores:
    crowds = [Crowd("bc2gm", 5, precision) for precision in PRECISIONS[1:]]
    cells = [grid_cell(crowd, name, 40.0 + 50 * crowd.precision) for crowd in crowds for name in METHODS]
    return GridScores.of_cells([*cells, grid_cell(("bc2gm", 5, 0.5), "gold", 90.0)])


def test_a_figure_is_the_same_every_time_and_small(scores: GridScores) -> None:
    figure = grid_figure(scores, "bc2gm")
    assert figure == grid_figure(scores, "bc2gm")
    assert len(figure) < 100_000
    text = " ".join(part.strip() for part in ElementTree.fromstring(figure).itertext() if part.strip())
    for word in (*METHODS.values(), "gold labels", "BC2GM", "K = 15"):
        assert word in text
    assert b"<dc:date>" not in figure


def test_rows_of_annotators_are_drawn_with_what_gold_says(scores: GridScores) -> None:
    assert scores.found
    found = {"default preset": expertise_cell(0.7, 0.9), "paper preset": expertise_cell(0.6, 0.9)}
    figure = expertise_figure(found, "bc2gm", "local")
    assert figure == expertise_figure(found, "bc2gm", "local")
    for word in (b"annotator 2", b"paper preset", b"counted with gold", b"I-GENE"):
        assert word in figure


def test_settings_of_the_user_change_nothing_and_stay(scores: GridScores) -> None:
    import matplotlib

    plain = grid_figure(scores, "bc2gm")
    with matplotlib.rc_context({"font.size": 20.0}):
        assert grid_figure(scores, "bc2gm") == plain
        assert matplotlib.rcParams["font.size"] == 20.0
