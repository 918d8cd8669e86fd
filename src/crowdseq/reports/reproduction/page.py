"""The page as a whole, and the figures it shows: made of cells alone, so that it can be made again."""

from collections import Counter
from collections.abc import Mapping

from crowdseq.reports.reproduction import prose
from crowdseq.reports.reproduction.expertise_tables import expertise_cells
from crowdseq.reports.reproduction.grid_reading import (
    behind_reading,
    behind_table,
    ceiling_table,
    precision_table,
    published_table,
    rank_table,
    summary_table,
    winners_table,
)
from crowdseq.reports.reproduction.grid_scores import CROWDS, GridScores, row_name
from crowdseq.reports.reproduction.plots import expertise_figure, grid_figure
from crowdseq.reports.reproduction.published import TITLES
from crowdseq.reports.reproduction.recipes import is_outdated
from crowdseq.reports.reproduction.sections import (
    EXPERTISE_FIGURES,
    GRID_FIGURES,
    Cells,
    datasets_section,
    example_section,
    expertise_section,
    folds_section,
    grid_section,
    turk_section,
)
from crowdseq.reports.reproduction.variant_reading import variants_reading
from crowdseq.reports.reproduction.verdicts import CLOSE, Verdict, judge
from crowdseq.reports.tables import Table, as_markdown

NOTE = "<!-- written by `crowdseq reproduce page`; change the cells or the code, not this file -->"
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
    blocks = [
        NOTE,
        "# Reproduction",
        prose.INTRODUCTION,
        *_outdated(results),
        *_reading(scores, GridScores.of_cells(results.get("grid", ()), "consensus")),
        prose.REASONS,
        prose.CHOICES,
    ]
    for name, section in SECTIONS.items():
        blocks += section(results.get(name, ()))
    return "\n\n".join(blocks) + "\n"


def make_figures(results: Mapping[str, Cells]) -> dict[str, bytes]:
    """File name to SVG."""
    scores = GridScores.of_cells(results.get("grid", ()))
    figures = {file: grid_figure(scores, data) for data, file in GRID_FIGURES.items()}
    for (data, kind), file in EXPERTISE_FIGURES.items():
        found = expertise_cells(results.get("expertise", ()), data)
        if found:
            figures[file] = expertise_figure(found, data, kind)
    return figures


def _outdated(results: Mapping[str, Cells]) -> list[str]:
    """Says how many cells of which methods today's defaults would not give."""
    counts = Counter(
        row_name(cell["key"]) for cells in results.values() for cell in cells if is_outdated(cell)
    )
    told = ", ".join(f"{count} of {name}" for name, count in sorted(counts.items()))
    return [f"**Defaults have changed since some cells were computed: {told}.**"] if told else []


def _reading(scores: GridScores, consensus: GridScores) -> list[str]:
    """What the grid says as far as it has been run: of the taggers, and of the consensus before them."""
    verdicts = judge(scores)
    ceilings = ", ".join(
        f"{title} {ceiling:.2f}"
        for data, title in TITLES.items()
        if (ceiling := scores.ceiling(data)) is not None
    )
    blocks = [
        "## In short",
        f"Of {len(CROWDS)} crowds (4 corpora × 3 K × 5 p), {len(verdicts)} have been learned from by all six "
        "methods; what follows is about these, and grows with them.",
    ]
    if ceilings:
        blocks.append(f"The ceiling, our tagger trained on gold labels, is: {ceilings}.")
    if not verdicts:
        return blocks
    return [
        *blocks,
        as_markdown(summary_table(verdicts, judge(consensus))),
        f"Level: at most {CLOSE} F1 behind the first, or one standard error of the difference where there "
        "are repeats. Crowds on which the paper's SA-SLC is above our ceiling are left out where "
        "the two are compared. Consensus alone: judged by the labels on the crowd's own text, before any "
        "tagger.",
        *_if_any(variants_reading(scores)),
        as_markdown(precision_table(verdicts)),
        as_markdown(winners_table(verdicts)),
        "Methods that are equal share their places, in the table below and in the paper's column above.",
        as_markdown(rank_table(scores)),
        *_exceptions(scores, verdicts),
    ]


def _exceptions(scores: GridScores, verdicts: list[Verdict]) -> list[str]:
    """Every crowd on which a count above says no."""
    lists = (
        ("another method is ahead of SA-SLC", behind_table(scores, verdicts)),
        (
            "the paper's SA-SLC lies between ours and our ceiling",
            published_table(verdicts, comparable=True),
        ),
        ("the paper's SA-SLC is above our gold ceiling", published_table(verdicts, comparable=False)),
        ("SA-SLC stays below 97 % of the ceiling though p ≥ 0.5", ceiling_table(verdicts)),
    )
    blocks = [_listed(what, table) for what, table in lists]
    if lists[0][1].rows:
        blocks[0].append(behind_reading(scores, verdicts))
    return [block for listed in blocks for block in listed]


def _if_any(text: str) -> list[str]:
    return [text] if text else []


def _listed(what: str, table: Table) -> list[str]:
    if not table.rows:
        return [f"Crowds on which {what}: none."]
    return [f"Crowds on which {what}:", as_markdown(table)]
