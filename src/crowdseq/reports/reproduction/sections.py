"""The sections of the page: each an experiment, with its command, its tables and what they show."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.reports.reproduction import prose
from crowdseq.reports.reproduction.corpus_tables import PAPER_SENTENCES, dataset_table, turk_table
from crowdseq.reports.reproduction.expertise_tables import (
    KINDS,
    example_table,
    expertise_cells,
    expertise_table,
    mean_error,
)
from crowdseq.reports.reproduction.fold_tables import fold_reading, fold_scores, fold_table
from crowdseq.reports.reproduction.grid_scores import GridScores
from crowdseq.reports.reproduction.grid_tables import NOT_RUN, cost_table, crowd_table
from crowdseq.reports.reproduction.published import ANNOTATORS, TITLES
from crowdseq.reports.tables import as_markdown

Cells = Sequence[Mapping[str, Any]]

GRID_FIGURES = {data: f"figure-{number}-{data}.svg" for number, data in enumerate(TITLES, start=7)}
EXPERTISE_FIGURES = {
    (data, kind): f"figure-{number}-{data}-{kind}.svg"
    for number, (data, kind) in enumerate(
        ((data, kind) for data in ("conll2003", "bc2gm") for kind in KINDS), start=11
    )
}


def datasets_section(cells: Cells) -> list[str]:
    return [
        "## Table I: the corpora",
        "`crowdseq reproduce datasets --data DIR`",
        prose.DATASETS,
        as_markdown(dataset_table(cells)),
    ]


def folds_section(cells: Cells) -> list[str]:
    scores = fold_scores(cells)
    blocks = [
        "## Tables II and III: ten folds",
        "`crowdseq reproduce folds --data DIR` (`--only CORPUS` for one corpus)",
        prose.FOLDS,
        as_markdown(fold_table(scores)),
        fold_reading(scores),
    ]
    return [block for block in blocks if block]


def grid_section(cells: Cells) -> list[str]:
    """Tables VIII and IX and their figures, cell by cell."""
    scores = GridScores.of_cells(cells)
    blocks = [
        "## Tables VIII and IX, figures 7-10: every method, crowd and corpus",
        "`crowdseq reproduce grid --data DIR [--jobs N] [--repeats N]`",
        f"Strict span F1 in percent of the tagger on the test part, ours / the paper's. {_repeats(scores)}",
        prose.GRID,
    ]
    for data, title in TITLES.items():
        blocks += [f"### {title}", f"![F1 by precision on {title}](figures/{GRID_FIGURES[data]})"]
        blocks += [as_markdown(crowd_table(scores, data, annotators)) for annotators in ANNOTATORS]
    blocks += [
        "### What a cell costs",
        prose.COST,
        as_markdown(cost_table(cells)),
    ]
    return blocks


def expertise_section(cells: Cells) -> list[str]:
    """Figures 11-14 with tables IV-VII."""
    blocks = [
        "## Tables IV-VII, figures 11-14: what is learned of the annotators",
        "`crowdseq reproduce expertise --data DIR`",
        prose.EXPERTISE,
    ]
    for data in ("conll2003", "bc2gm"):
        found = expertise_cells(cells, data)
        for kind, symbol in KINDS.items():
            blocks.append(f"### {TITLES[data]}, {symbol}")
            if not found:
                blocks.append(f"{NOT_RUN.capitalize()}.")
                continue
            blocks += _expertise_blocks(found, data, kind)
    return blocks


def _expertise_blocks(found: Mapping[str, Mapping[str, Any]], data: str, kind: str) -> list[str]:
    row = next(iter(found.values()))[kind]
    errors = {preset: mean_error(cell, kind) for preset, cell in found.items()}
    told = " and ".join(
        f"{error:.3f} with the {preset}" for preset, error in errors.items() if error is not None
    )
    return [
        f"Truth {row['truth']}, own label {row['context']}. On average over the annotators, the share of "
        f"the right label is off by {told}.",
        f"![{KINDS[kind]} of five annotators on {TITLES[data]}](figures/{EXPERTISE_FIGURES[data, kind]})",
        as_markdown(expertise_table(found, kind)),
    ]


def turk_section(cells: Cells) -> list[str]:
    """Table X."""
    return [
        "## Table X: a real crowd",
        "`crowdseq reproduce table-x --data DIR`",
        prose.TURK,
        as_markdown(turk_table(cells, PAPER_SENTENCES)),
        as_markdown(turk_table(cells, None)),
    ]


def example_section(cells: Cells) -> list[str]:
    """Table XI, without the words."""
    shown = (
        [as_markdown(example_table(cells[0])), _example_reading(cells[0])]
        if cells
        else [f"{NOT_RUN.capitalize()}."]
    )
    return [
        "## Table XI: one sentence",
        "`crowdseq reproduce example --data DIR` (prints the words, which may not be passed on)",
        prose.EXAMPLE,
        *shown,
    ]


def _example_reading(cell: Mapping[str, Any]) -> str:
    silent = [one for one in cell["annotators"] if all(tag in ("O", None) for tag in one["tags"])]
    numbered = enumerate(cell["annotators"], start=1)
    seldom = [number for number, one in numbered if one["local"]["shares"].get("B-LOC", 1.0) < 0.5]
    right = sum(one == other for one, other in zip(cell["gold"], cell["consensus"], strict=True))
    return (
        f"{len(silent)} of {len(cell['annotators'])} annotators marked nothing; the consensus agrees with "
        f"gold on {right} of {len(cell['gold'])} tokens. After their own O, {_listing(seldom)} mark fewer "
        "than half of the places. The first three were shown a text in which the places carried a mark "
        "already, as the release of the data tells, and left most as O; the method is not told so, and finds "
        "it in the votes."
    )


def _listing(numbers: list[int]) -> str:
    return f"annotators {', '.join(map(str, numbers))}" if numbers else "no annotators"


def _repeats(scores: GridScores) -> str:
    counts = {len(values) for (_, method), values in scores.found.items() if method != "gold"}
    if not counts or counts == {1}:
        return "One simulated crowd each, so far."
    return (
        f"Means of {min(counts)} to {max(counts)} simulated crowds."
        if len(counts) > 1
        else f"Means of {max(counts)} simulated crowds."
    )
