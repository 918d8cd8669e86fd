"""The sections of the page: each an experiment, with its command, its tables and what they show."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.reports.tables import as_markdown
from crowdseq_research.paper.tables.corpus_tables import PAPER_SENTENCES, dataset_table, turk_table
from crowdseq_research.paper.tables.expertise_tables import (
    KINDS,
    example_table,
    expertise_cells,
    expertise_table,
    mean_error,
)
from crowdseq_research.paper.tables.fold_tables import fold_reading, fold_scores, fold_table
from crowdseq_research.paper.tables.grid_scores import GridScores
from crowdseq_research.paper.tables.grid_tables import NOT_RUN, cost_table, crowd_table
from crowdseq_research.paper.tables.published import ANNOTATORS, TITLES
from crowdseq_research.templates import fill, paragraphs

Cells = Sequence[Mapping[str, Any]]

ROOM = "crowdseq_research.paper.page"
GRID_FIGURES = {data: f"figure-{number}-{data}.svg" for number, data in enumerate(TITLES, start=7)}
EXPERTISE_FIGURES = {
    (data, kind): f"figure-{number}-{data}-{kind}.svg"
    for number, (data, kind) in enumerate(
        ((data, kind) for data in ("conll2003", "bc2gm") for kind in KINDS), start=11
    )
}


def datasets_section(cells: Cells) -> str:
    return fill(ROOM, "datasets", table=as_markdown(dataset_table(cells)))


def folds_section(cells: Cells) -> str:
    scores = fold_scores(cells)
    return fill(ROOM, "folds", table=as_markdown(fold_table(scores)), reading=fold_reading(scores))


def grid_section(cells: Cells) -> str:
    """Tables VIII and IX and their figures, cell by cell."""
    scores = GridScores.of_cells(cells)
    corpora = (
        fill(
            ROOM,
            "grid-corpus",
            title=title,
            figure=GRID_FIGURES[data],
            tables=paragraphs(*(as_markdown(crowd_table(scores, data, number)) for number in ANNOTATORS)),
        )
        for data, title in TITLES.items()
    )
    return fill(
        ROOM,
        "grid",
        repeats=_repeats(scores),
        corpora=paragraphs(*corpora),
        costs=as_markdown(cost_table(cells)),
    )


def expertise_section(cells: Cells) -> str:
    """Figures 11-14 with tables IV-VII."""
    rows = (_expertise_row(expertise_cells(cells, data), data, kind) for data, kind in EXPERTISE_FIGURES)
    return fill(ROOM, "expertise", rows=paragraphs(*rows))


def _expertise_row(found: Mapping[str, Mapping[str, Any]], data: str, kind: str) -> str:
    if not found:
        return paragraphs(f"### {TITLES[data]}, {KINDS[kind]}", f"{NOT_RUN.capitalize()}.")
    row = next(iter(found.values()))[kind]
    errors = {preset: mean_error(cell, kind) for preset, cell in found.items()}
    told = (f"{error:.3f} with the {preset}" for preset, error in errors.items() if error is not None)
    return fill(
        ROOM,
        "expertise-row",
        title=TITLES[data],
        symbol=KINDS[kind],
        truth=row["truth"],
        context=row["context"],
        errors=" and ".join(told),
        figure=EXPERTISE_FIGURES[data, kind],
        table=as_markdown(expertise_table(found, kind)),
    )


def turk_section(cells: Cells) -> str:
    """Table X."""
    return fill(
        ROOM,
        "table-x",
        as_in_the_paper=as_markdown(turk_table(cells, PAPER_SENTENCES)),
        all_sentences=as_markdown(turk_table(cells, None)),
    )


def example_section(cells: Cells) -> str:
    """Table XI, without the words."""
    if not cells:
        return fill(ROOM, "example", shown=f"{NOT_RUN.capitalize()}.")
    shown = paragraphs(as_markdown(example_table(cells[0])), _example_reading(cells[0]))
    return fill(ROOM, "example", shown=shown)


def _example_reading(cell: Mapping[str, Any]) -> str:
    silent = [one for one in cell["annotators"] if all(tag in ("O", None) for tag in one["tags"])]
    numbered = enumerate(cell["annotators"], start=1)
    seldom = [str(number) for number, one in numbered if one["local"]["shares"].get("B-LOC", 1.0) < 0.5]
    return fill(
        ROOM,
        "example-reading",
        silent=len(silent),
        annotators=len(cell["annotators"]),
        right=sum(one == other for one, other in zip(cell["gold"], cell["consensus"], strict=True)),
        tokens=len(cell["gold"]),
        seldom=f"annotators {', '.join(seldom)}" if seldom else "no annotators",
    )


def _repeats(scores: GridScores) -> str:
    counts = {len(values) for (_, method), values in scores.found.items() if method != "gold"}
    if not counts or counts == {1}:
        return "One simulated crowd each, so far."
    return (
        f"Means of {min(counts)} to {max(counts)} simulated crowds."
        if len(counts) > 1
        else f"Means of {max(counts)} simulated crowds."
    )
