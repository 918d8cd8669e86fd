"""Experiments by name: their keys, the names of the paper, and cells that are computed again."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cell_worlds import grid_cell
from crowdseq.errors import SettingsError
from crowdseq_research import reproduce
from crowdseq_research.cells.cell_file import key_of
from crowdseq_research.cells.parallel import Workers
from crowdseq_research.paper.cells import checking
from crowdseq_research.paper.cells.catalogue import (
    EXPERIMENTS,
    TABLES,
    Choice,
    cell_file,
    chosen_keys,
    find_experiment,
    run_experiment,
    runnable,
)
from crowdseq_research.paper.cells.turk import PAPER_SENTENCES, turk_crowd
from crowdseq_research.paper.page.page import SECTIONS

QUIET = Workers(Path(), 1, lambda *_: None)


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_no_cell_is_asked_for_twice(name: str) -> None:
    keys = [key_of(key) for key in EXPERIMENTS[name].keys(Choice(repeats=2))]
    assert len(set(keys)) == len(keys)


def test_the_grid_has_every_crowd_and_method() -> None:
    keys = EXPERIMENTS["grid"].keys(Choice())
    assert len(keys) == 4 + 60 * 6 + 20 * 5
    assert len(EXPERIMENTS["folds"].keys(Choice())) == 240


@pytest.mark.parametrize("has_data", [True, False])
def test_quick_cells_are_few_and_marked(has_data: bool) -> None:
    for name in ("grid", "folds", "expertise"):
        keys = EXPERIMENTS[name].keys(Choice(quick=True, has_data=has_data))
        assert 0 < len(keys) < 20
        assert all(key["sentences"] for key in keys)
        assert {key["data"] == "demo" for key in keys} == {not has_data}


@pytest.mark.parametrize("what", [*TABLES, *EXPERIMENTS])
@pytest.mark.parametrize("has_data", [True, False])
@pytest.mark.parametrize("quick", [True, False])
def test_every_name_asks_for_cells(what: str, has_data: bool, quick: bool) -> None:
    name, choice = find_experiment(what, Choice(quick=quick, has_data=has_data))
    keys = chosen_keys(EXPERIMENTS[name].keys(choice), choice.only)
    assert keys
    if quick and not EXPERIMENTS[name].needs_data:
        assert len({key["data"] for key in keys}) == 1


def test_a_quick_run_of_all_leaves_out_what_is_not_about_the_corpus() -> None:
    assert runnable(Choice(("jnlpba",), quick=True)) == ["datasets", "folds", "grid", "expertise"]
    assert "table-x" in runnable(Choice(quick=True))


def test_every_table_and_figure_has_an_experiment_and_a_section() -> None:
    assert set(TABLES) == set(reproduce._TABLES)
    assert (
        {name for name, _ in TABLES.values()}
        == set(EXPERIMENTS)
        == set(SECTIONS)
        == set(reproduce._EXPERIMENTS)
    )
    for name, only in TABLES.values():
        assert chosen_keys(EXPERIMENTS[name].keys(Choice()), only)


def test_a_corpus_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--only nowhere: there is no such corpus here, choose of bc2gm"):
        run_experiment("grid", Choice(only=("nowhere",)), tmp_path, QUIET)
    with pytest.raises(SettingsError, match="table-x needs the crowd of Mechanical Turk"):
        run_experiment("table-x", Choice(quick=True, has_data=False), tmp_path, QUIET)


def test_all_is_what_the_data_and_the_corpora_allow() -> None:
    assert runnable(Choice()) == list(EXPERIMENTS)
    assert runnable(Choice(only=("bc2gm",))) == ["datasets", "folds", "grid", "expertise"]
    assert runnable(Choice(only=("jnlpba",))) == ["datasets", "folds", "grid"]
    assert runnable(Choice(quick=True, has_data=False)) == ["datasets", "folds", "grid", "expertise"]
    with pytest.raises(SettingsError, match="no experiment is about that corpus"):
        runnable(Choice(only=("nowhere",)))


@pytest.mark.parametrize(("now", "same"), [(80.0, True), (80.001, False)])
def test_a_cell_that_has_changed_is_found(
    now: float, same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = grid_cell(("bc2gm", 5, 0.5), "mace", 80.0)
    cell_file(tmp_path, "grid").append(cell)

    def compute(key: Any, data: Path) -> dict[str, Any]:
        assert (key, data) == (cell["key"], Path("data"))
        return grid_cell(("bc2gm", 5, 0.5), "mace", now)

    monkeypatch.setitem(checking.CHECKED, "grid", checking.Checked(compute, ("tagger.f1",)))
    table = checking.check_again("grid", (3, 0), (Path("data"), tmp_path), lambda *_: None)
    assert [row[-1] for row in table.rows] == [same]
    with pytest.raises(SettingsError, match="there are no cells of grid"):
        checking.check_again("grid", (3, 0), (Path("data"), tmp_path), lambda *_: None, ("conll2003",))


def test_the_sentences_of_table_x_are_whole_articles_but_one(shared_data: Path) -> None:
    part, whole = turk_crowd(shared_data, PAPER_SENTENCES), turk_crowd(shared_data, None)
    assert len(part) == PAPER_SENTENCES
    drawn, there = (Counter(one.doc for one in corpus.sentences) for corpus in (part, whole))
    assert sum(count != there[doc] for doc, count in drawn.items()) <= 1
