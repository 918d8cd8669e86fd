"""Which claims of the paper held: each with its figures, by the paper's own choices and by our preset."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import PAPER_PRESET, row_name
from crowdseq_research.paper.tables.grid_scores import CROWDS, GridScores
from crowdseq_research.paper.tables.published import METHODS
from crowdseq_research.paper.tables.verdicts import OURS

Cells = Sequence[Mapping[str, Any]]
_TELLING = 0.005  # F1: what is less neither helps nor harms
OTHERS = tuple(method for method in METHODS if method != OURS)
# Rows of the Mechanical Turk study that tell what a part of the method brings.
DEFAULT, NO_ALPHA = "SA-SLC, default preset", "… no context of votes"
BETA_IN_SENTENCES = "… β in place of α at repeats, in sentences (Eq. 11)"
BETA_IN_DOCUMENTS = "… β in place of α at repeats, in documents"
CANDIDATES = "… candidates as in the paper"


def claims_table(results: Mapping[str, Cells]) -> Table:
    """A row for each claim of which there are cells."""
    amt = {cell["key"]["name"]: float(cell["all"]["f1"]) for cell in results.get("amt", ())}
    rows = [
        *_simulated(GridScores.of_cells(results.get("grid", ()))),
        *(row for size in (3_000, None) for row in _turk(results.get("table-x", ()), size)),
        *_part(amt, "votes hang on one's own vote before (α)", "without", NO_ALPHA, brings=True),
        *_part(amt, "and on one's own vote on an earlier mention (β)", "as printed", BETA_IN_SENTENCES),
        *_part(amt, "the same, mentions linked within documents", "with it", BETA_IN_DOCUMENTS),
        *_part(amt, "candidate labels (VLSE) do no harm", "with them", CANDIDATES),
    ]
    return Table(("claim", "with the paper's choices", "with our preset", "held"), tuple(rows))


def _simulated(scores: GridScores) -> list[tuple[str, str, str, str]]:
    """First of the six on simulated crowds."""
    ran = [crowd for crowd in CROWDS if scores.is_complete(crowd)]
    paper = [crowd for crowd in ran if scores.repeats(crowd, PAPER_PRESET)]
    if not paper:
        return []

    def first(row: str, crowds: Sequence[Any]) -> int:
        return sum(
            (scores.mean(crowd, row) or 0.0) >= max(scores.mean(crowd, other) or 0.0 for other in OTHERS)
            for crowd in crowds
        )

    wins = first(PAPER_PRESET, paper)
    return [
        (
            "first of the six on simulated crowds (tables VIII, IX; tagger)",
            f"{wins} of {len(paper)} crowds, K = 5 alone",
            f"{first(OURS, ran)} of {len(ran)} crowds",
            "yes" if wins == len(paper) else "mostly" if 2 * wins > len(paper) else "no",
        )
    ]


def _turk(cells: Cells, sentences: int | None) -> list[tuple[str, str, str, str]]:
    """First of the six on the crowd of Mechanical Turk."""
    found = {
        row_name(cell["key"]): 100 * float(cell["test"]["f1"])
        for cell in cells
        if cell["key"]["sentences"] == sentences
    }
    if not {PAPER_PRESET, OURS, *OTHERS} <= found.keys():
        return []
    best = max(OTHERS, key=lambda method: found[method])
    named = ", ".join(f"{METHODS[one]} {found[one]:.1f}" for one in dict.fromkeys((best, "dawid-skene")))
    size = "all sentences" if sentences is None else f"{sentences:,} sentences"
    return [
        (
            f"first of the six on a real crowd (table X; tagger, {size})",
            f"{found[PAPER_PRESET]:.1f}; {named}",
            f"{found[OURS]:.1f}",
            "yes" if found[PAPER_PRESET] > found[best] else "no",
        )
    ]


def _part(
    amt: Mapping[str, float], claim: str, word: str, row: str, *, brings: bool = False
) -> list[tuple[str, str, str, str]]:
    """What a part changes on the crowd of Mechanical Turk; brings: whether the row is without it."""
    if not {DEFAULT, row} <= amt.keys():
        return []
    gain = (amt[DEFAULT] - amt[row]) * (1 if brings else -1)
    held = "yes" if gain > _TELLING else "no, it harms" if gain < -_TELLING else "neither helps nor harms"
    return [(claim, "", f"AMT consensus {amt[DEFAULT]:.3f}, {word} {amt[row]:.3f}", held)]
