"""Tables VIII and IX: our F1 beside the paper's, for every crowd and method, and what a cell costs."""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import FOLLOWED, FURTHER, PAPER_PRESET, Crowd, row_name
from crowdseq_research.paper.tables.grid_scores import GridScores
from crowdseq_research.paper.tables.published import METHODS, PRECISIONS, TITLES, published_f1

NOT_RUN = "not run yet"
_FEWEST = 5  # annotators of the crowds that further methods learn from


def crowd_table(scores: GridScores, data: str, annotators: int) -> Table:
    """One corpus and K: `ours / the paper's`, a column for each p; the first of the six is bold."""
    crowds = [Crowd(data, annotators, precision) for precision in PRECISIONS]
    rows = [_compared(scores, crowds, method) for method in METHODS]
    rows.append(("gold labels (ceiling)", *(_shown(scores.ceiling(data)) for _ in crowds)))
    rows.append(("SA-SLC, share of the ceiling", *(_share(scores, crowd) for crowd in crowds)))
    if annotators == _FEWEST:
        rows += [
            (name, *(_shown(scores.mean(crowd, name)) for crowd in crowds))
            for name in (FOLLOWED, PAPER_PRESET, *FURTHER)
        ]
    columns = (f"K = {annotators}", *(f"p = {precision}" for precision in PRECISIONS))
    return Table(columns, tuple(rows))


def cost_table(cells: Iterable[Mapping[str, Any]]) -> Table:
    """Median seconds of one core at K = 5: consensus and tagger together."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        key = cell["key"]
        if key["annotators"] == _FEWEST and "fold" not in key and "sentences" not in key:
            seconds.setdefault((row_name(key), key["data"]), []).append(cell["cpu_seconds"])
    rows = tuple(
        (METHODS.get(name, name), *(_seconds(seconds.get((name, data))) for data in TITLES))
        for name in (*METHODS, FOLLOWED, PAPER_PRESET, *FURTHER)
    )
    return Table(("CPU seconds of a cell, K = 5", *TITLES.values()), rows)


def _compared(scores: GridScores, crowds: list[Crowd], method: str) -> tuple[str, ...]:
    cells = []
    for crowd in crowds:
        own = scores.mean(crowd, method)
        best = max((scores.mean(crowd, each) or 0.0) for each in METHODS)
        shown = _shown(own)
        if own is not None and own == best and scores.is_complete(crowd):
            shown = f"**{shown}**"
        cells.append(f"{shown} / {published_f1(*crowd, method):.2f}")
    return METHODS[method], *cells


def _share(scores: GridScores, crowd: Crowd) -> str:
    own, ceiling = scores.mean(crowd, "sa-slc"), scores.ceiling(crowd.data)
    return NOT_RUN if own is None or not ceiling else f"{100 * own / ceiling:.1f} %"


def _shown(value: float | None) -> str:
    return NOT_RUN if value is None else f"{value:.2f}"


def _seconds(values: list[float] | None) -> str:
    return NOT_RUN if not values else f"{median(values):.0f}"
