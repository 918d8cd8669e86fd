"""reproduce, from the shell: what is refused, what a quick run prints, what the page command writes."""

import json
from pathlib import Path

import pytest

from cell_worlds import grid_cell
from crowdseq_research.paper.cells.catalogue import EXPERIMENTS, Choice
from crowdseq_research.paper.page.page import NOTE
from journeys.conftest import Shell


@pytest.fixture(autouse=True)
def no_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CROWDSEQ_DATA", raising=False)


def test_without_data_one_line_says_what_is_missing(shell: Shell) -> None:
    for what in ("grid", "table9", "amt", "all"):
        done = shell("reproduce", what)
        assert done.code == 2
        assert "say --data FOLDER" in done.err


def test_a_folder_without_corpora_is_wrong_input(shell: Shell, tmp_path: Path) -> None:
    done = shell("reproduce", "datasets", "--data", str(tmp_path), "-q")
    assert done.code == 3
    assert "the corpus is not there, say --data FOLDER" in done.err
    assert "Traceback" not in done.err


def test_a_quick_run_needs_no_corpora_and_is_not_done_twice(shell: Shell, tmp_path: Path) -> None:
    first = shell("reproduce", "table1", "--quick")
    assert first.code == 0
    assert "demo" in first.out
    assert "0 of 1 cells are there" in first.err
    assert "1 of 1 cells are there" in shell("reproduce", "datasets", "--quick").err
    assert [path.name for path in (tmp_path / "results").rglob("*") if path.is_file()] == [
        "quick-datasets.jsonl"
    ]


def test_the_page_is_written_from_cells_alone(shell: Shell, tmp_path: Path) -> None:
    cells = tmp_path / "results" / "cells"
    cells.mkdir(parents=True)
    (cells / "grid.jsonl").write_text(json.dumps(grid_cell(("bc2gm", 5, 0.5), "sa-slc", 61.5)) + "\n")
    done = shell("reproduce", "page")
    assert done.code == 0, done.err
    page = (tmp_path / "docs" / "reproduction.md").read_text("utf-8")
    assert page.startswith(NOTE)
    assert "61.50 / 62.29" in page
    assert "not run yet / 46.77" in page
    assert (tmp_path / "docs" / "figures" / "figure-8-bc2gm.svg").is_file()
    assert shell("reproduce", "page").code == 0


def test_a_page_of_somebody_else_is_kept(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine")
    done = shell("reproduce", "page", "--page", "mine.md")
    assert done.code == 2
    assert "say --force" in done.err
    assert (tmp_path / "mine.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "Missing argument 'WHAT'"),
        (("page",), "there are no cells under results"),
        (("page", "--again", "1"), "page computes nothing"),
        (("grid", "--again", "1", "--data", "."), "there are no cells of grid"),
        (("datasets", "--again", "1", "--data", "."), "--again goes with grid, folds, table-x"),
        (("amt", "--again", "1", "--data", "."), "there are no cells of amt"),
        (("zoo", "--again", "1", "--data", "."), "there are no cells of the zoo"),
        (("zoo", "--only", "nonsense", "--data", "."), "there is no such crowd or kind in the zoo"),
        (("zoo", "--method", "nonsense", "--data", "."), "there is no such method in the zoo"),
        (("zoo", "--final", "--quick", "--data", "."), "--final is about one large crowd"),
        (("amt", "--quick"), "amt needs corpora, say --data FOLDER, where they are\n"),
        (("amt", "--only", "jnlpba", "--data", "."), "--only does not go with amt"),
        (("grid", "--quick", "--only", "nonsense", "--data", "."), "choose of conll2003, bc2gm"),
        (("table-x", "--quick", "--only", "jnlpba", "--data", "."), "there is no such corpus here"),
        (("datasets", "--quick", "-o", "a-file"), "a-file is no folder that can be written to"),
        (("datasets", "--quick", "-o", "/proc/none"), "/proc/none is no folder that can be written to"),
    ],
)
def test_a_wrong_call_is_told_before_anything_is_computed(
    shell: Shell, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    (tmp_path / "a-file").write_text("")
    done = shell("reproduce", *words)
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "docs").exists()


def test_what_is_stored_is_shown_beside_what_was_asked_for(shell: Shell, tmp_path: Path) -> None:
    cells = tmp_path / "results" / "cells"
    cells.mkdir(parents=True)
    keys = [key for key in EXPERIMENTS["folds"].keys(Choice()) if key["data"] in ("bc2gm", "ncbi_disease")]
    scores = {"tagger": {"f1": 0.5}, "consensus": {"f1": 0.5}}
    (cells / "folds.jsonl").write_text("".join(json.dumps({"key": key, **scores}) + "\n" for key in keys))
    done = shell("reproduce", "folds", "--only", "bc2gm", "--data", str(tmp_path))
    assert done.code == 0, done.err
    assert done.out.count("50.00 ± 0.00") == 12
