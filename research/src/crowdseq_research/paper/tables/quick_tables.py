"""What a quick run found: its cells in one table, which is no table of the paper."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import row_name
from crowdseq_research.paper.tables.expertise_tables import KINDS, expertise_table


def quick_tables(cells: Sequence[Mapping[str, Any]]) -> list[Table]:
    """Scores of taggers, counts of a corpus, or rows of α and β, by what the cells hold."""
    if "parts" in cells[0]:
        return [_counts_table(cells)]
    if "local" in cells[0]:
        found = {row_name(cell["key"]): cell for cell in cells}
        return [expertise_table(found, kind) for kind in KINDS]
    return [_score_table(cells)]


def _counts_table(cells: Sequence[Mapping[str, Any]]) -> Table:
    rows = tuple(
        (
            cell["key"]["data"],
            part,
            *(counts[name] for name in ("documents", "sentences", "tokens", "entities")),
        )
        for cell in cells
        for part, counts in cell["parts"].items()
    )
    return Table(("corpus", "part", "documents", "sentences", "tokens", "entities"), rows)


def _score_table(cells: Sequence[Mapping[str, Any]]) -> Table:
    """F1 in percent of the tagger and of the consensus."""
    rows = []
    for cell in cells:
        key = cell["key"]
        crowd = [str(key.get(name, "")) for name in ("annotators", "precision", "fold")]
        scores = [cell.get("tagger", cell.get("test"))["f1"], cell["consensus"]["f1"]]
        shown = [f"{100 * (score or 0.0):.2f}" for score in scores]
        rows.append((key["data"], key["sentences"], *crowd, row_name(key), *shown))
    columns = ("corpus", "at most sentences", "K", "p", "fold", "method", "tagger F1", "consensus F1")
    return Table(columns, tuple(rows))
