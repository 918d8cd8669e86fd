"""The page of the reproduction, its figures and tables are those that the committed cells make."""

from pathlib import Path

from crowdseq_research.paper.page.page import make_figures, make_page
from crowdseq_research.paper.page.writing import load_results, load_study, tables

ROOT = Path(__file__).resolve().parents[3]
STALE = "run `crowdseq reproduce page`"


def test_the_page_is_fresh() -> None:
    assert (ROOT / "docs" / "reproduction.md").read_text("utf-8") == make_page(
        load_results(ROOT / "results") | load_study(ROOT / "results")
    ), STALE


def test_the_tables_are_fresh() -> None:
    for name, cells in load_results(ROOT / "results").items():
        assert (ROOT / "results" / f"{name}.md").read_text("utf-8") == tables(name, cells), STALE


def test_the_figures_are_fresh() -> None:
    for name, content in make_figures(load_results(ROOT / "results")).items():
        assert (ROOT / "docs" / "figures" / name).read_bytes() == content, STALE
