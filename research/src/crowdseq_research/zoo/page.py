"""The page of the zoo: what the cells say, whether the default is accepted, and every figure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.cells.sources import is_old
from crowdseq_research.templates import fill, paragraphs
from crowdseq_research.zoo.acceptance import Found, acceptance_lines, acceptance_table
from crowdseq_research.zoo.crowds import ZOO
from crowdseq_research.zoo.rows import BEFORE, OURS, PAPER, ROWS, known_rows
from crowdseq_research.zoo.scores import CrowdScores, crowd_scores, shown_rows
from crowdseq_research.zoo.tables import calibration_table, kind_table, score_table, summary_table

ROOM = "crowdseq_research.zoo"
Cells = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Shown:
    """What a run has to show: cells of the zoo, and of the crowd that judges."""

    cells: Cells
    final: Cells
    quick: bool = False

    @property
    def scores(self) -> list[CrowdScores]:
        return crowd_scores(self.cells, draws=1 if self.quick else None)

    @property
    def tables(self) -> list[Table]:
        scores = self.scores
        return [summary_table(scores), kind_table(scores)] if scores else []


def zoo_page(shown: Shown) -> str:
    """The page: what the zoo says, whether the default is accepted, and every figure."""
    scores = shown.scores
    lines = [] if shown.quick else acceptance_lines(Found(shown.cells, shown.final))
    details = [score_table(scores)] if scores else []
    told = [row for row in (OURS, BEFORE, PAPER) if row in shown_rows(scores)]
    if told:
        details.append(calibration_table(scores, told))
    page = fill(
        ROOM,
        "zoo",
        crowds=len(ZOO),
        old=_told_old([*shown.cells, *shown.final]),
        rows=as_markdown(_settings_table()),
        tables="\n\n".join(map(as_markdown, shown.tables)) or "Not run yet.",
        acceptance=paragraphs(_told_judged(shown), as_markdown(acceptance_table(lines)))
        if lines
        else "Not judged by a quick run.",
        details="\n\n".join(map(as_markdown, details)),
    )
    return page + "\n"


def _settings_table() -> Table:
    rows = tuple(
        (
            name,
            ", ".join(f"{setting}={value}" for setting, value in row.settings.items()) or "defaults",
            "" if name in known_rows() else "waits for a setting that the method does not have yet",
        )
        for name, row in ROWS.items()
    )
    return Table(("row", "settings", ""), rows)


def _told_judged(shown: Shown) -> str:
    """Says so where verdicts are not about today's code."""
    ours = [cell for cell in (*shown.cells, *shown.final) if cell["key"]["row"] == OURS]
    old = sum(map(is_old, ours))
    if not old:
        return ""
    told = f"{old:,} of {len(ours):,} cells of {OURS} were computed with other sources"
    return f"**{told}: verdicts are about those.**"


def _told_old(cells: Cells) -> str:
    counts = Counter(cell["key"]["row"] for cell in cells if is_old(cell))
    if not counts:
        return f"All {len(cells):,} cells were computed with the sources of the day this page was written."
    told = ", ".join(f"{count:,} of {row}" for row, count in counts.items())
    return f"**Computed with other sources than today's, marked †: {told}** (of {len(cells):,} cells in all)."
