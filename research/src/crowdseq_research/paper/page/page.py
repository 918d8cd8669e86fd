"""The page as a whole, and the figures it shows: made of cells alone, so that it can be made again."""

from collections.abc import Mapping

from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.paper.page.age import told_age
from crowdseq_research.paper.page.plots import expertise_figure, grid_figure
from crowdseq_research.paper.page.sections import (
    EXPERTISE_FIGURES,
    GRID_FIGURES,
    ROOM,
    Cells,
    datasets_section,
    example_section,
    expertise_section,
    folds_section,
    grid_section,
    turk_section,
)
from crowdseq_research.paper.page.variant_reading import variants_reading
from crowdseq_research.paper.tables.claims import claims_table
from crowdseq_research.paper.tables.expertise_tables import expertise_cells
from crowdseq_research.paper.tables.grid_reading import (
    behind_reading,
    behind_table,
    ceiling_table,
    precision_table,
    published_table,
    rank_table,
    summary_table,
    winners_table,
)
from crowdseq_research.paper.tables.grid_scores import CROWDS, GridScores
from crowdseq_research.paper.tables.published import TITLES
from crowdseq_research.paper.tables.verdicts import CLOSE, Verdict, judge
from crowdseq_research.templates import fill, paragraphs, template

# The first line of every page that we wrote.
NOTE = template(ROOM, "page").partition("\n")[0]
SECTIONS = {
    "datasets": datasets_section,
    "folds": folds_section,
    "grid": grid_section,
    "expertise": expertise_section,
    "table-x": turk_section,
    "example": example_section,
}


def make_page(results: Mapping[str, Cells]) -> str:
    """Markdown; results: cells by the name of their experiment, any of which may be missing."""
    scores = GridScores.of_cells(results.get("grid", ()))
    verdicts = judge(scores)
    sections = (section(results.get(name, ())) for name, section in SECTIONS.items())
    page = fill(
        ROOM,
        "page",
        outdated=told_age([cell for cells in results.values() for cell in cells]),
        crowds=len(CROWDS),
        complete=len(verdicts),
        ceilings=_ceilings(scores),
        reading=_reading(results.get("grid", ()), scores, verdicts) if verdicts else "",
        claims=_claims(results),
        sections=paragraphs(*sections),
    )
    return page + "\n"


def make_figures(results: Mapping[str, Cells]) -> dict[str, bytes]:
    """File name to SVG."""
    scores = GridScores.of_cells(results.get("grid", ()))
    figures = {file: grid_figure(scores, data) for data, file in GRID_FIGURES.items()}
    for (data, kind), file in EXPERTISE_FIGURES.items():
        found = expertise_cells(results.get("expertise", ()), data)
        if found:
            figures[file] = expertise_figure(found, data, kind)
    return figures


def _claims(results: Mapping[str, Cells]) -> str:
    table = claims_table(results)
    return fill(ROOM, "claims", table=as_markdown(table)) if table.rows else ""


def _ceilings(scores: GridScores) -> str:
    found = {title: scores.ceiling(data) for data, title in TITLES.items()}
    told = ", ".join(f"{title} {ceiling:.2f}" for title, ceiling in found.items() if ceiling is not None)
    return f"The ceiling, our tagger trained on gold labels, is: {told}." if told else ""


def _reading(cells: Cells, scores: GridScores, verdicts: list[Verdict]) -> str:
    """What the grid says as far as it has been run: of the taggers, and of the consensus before them."""
    by_consensus = judge(GridScores.of_cells(cells, "consensus"))
    return fill(
        ROOM,
        "reading",
        summary=as_markdown(summary_table(verdicts, by_consensus)),
        close=CLOSE,
        variants=variants_reading(scores),
        by_precision=as_markdown(precision_table(verdicts)),
        winners=as_markdown(winners_table(verdicts)),
        ranks=as_markdown(rank_table(scores)),
        exceptions=paragraphs(*_exceptions(scores, verdicts)),
    )


def _exceptions(scores: GridScores, verdicts: list[Verdict]) -> list[str]:
    """Every crowd on which a count above says no."""
    behind = behind_table(scores, verdicts)
    between, above = (published_table(verdicts, comparable=comparable) for comparable in (True, False))
    return [
        _listed("another method is ahead of SA-SLC", behind),
        behind_reading(scores, verdicts) if behind.rows else "",
        _listed("the paper's SA-SLC lies between ours and our ceiling", between),
        _listed("the paper's SA-SLC is above our gold ceiling", above),
        _listed("SA-SLC stays below 97 % of the ceiling though p ≥ 0.5", ceiling_table(verdicts)),
    ]


def _listed(what: str, table: Table) -> str:
    if not table.rows:
        return f"Crowds on which {what}: none."
    return paragraphs(f"Crowds on which {what}:", as_markdown(table))
