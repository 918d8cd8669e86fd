"""Table I (the corpora) and table X (the crowd of Mechanical Turk)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import FURTHER, PAPER_PRESET, row_name
from crowdseq_research.paper.tables.grid_tables import NOT_RUN
from crowdseq_research.paper.tables.published import METHODS, TABLE_1, TABLE_10, TITLES

PARTS = ("train", "dev", "test")
PAPER_SENTENCES = 3_000
_MEASURES = ("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1")


def dataset_table(cells: Iterable[Mapping[str, Any]]) -> Table:
    """A row for each part of a corpus."""
    found = {cell["key"]["data"]: cell for cell in cells}
    rows = [
        row
        for data, title in TITLES.items()
        for row in (_dataset_rows(title, data, found[data]) if data in found else [_missing_row(title, data)])
    ]
    columns = (
        "corpus",
        "part",
        "in the paper",
        "documents",
        "sentences",
        "of another official part",
        "tokens",
        "entities",
        "labels",
    )
    return Table(columns, tuple(rows))


def _dataset_rows(title: str, data: str, cell: Mapping[str, Any]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for place, part in enumerate(PARTS):
        counts = cell["parts"][part]
        documents = f"{counts['documents']:,}" if cell["has_documents"] else "unknown"
        rows.append(
            (
                title,
                part,
                TABLE_1[data][place],
                documents,
                *(counts[name] for name in ("sentences", "borrowed", "tokens", "entities")),
                f"{cell['labels']} ({TABLE_1[data][3]})",
            )
        )
    return rows


def _missing_row(title: str, data: str) -> tuple[object, ...]:
    return (title, "all", sum(TABLE_1[data][:3]), NOT_RUN, *(None,) * 4, f"({TABLE_1[data][3]})")


def turk_table(cells: Sequence[Mapping[str, Any]], sentences: int | None) -> Table:
    """Scores on CoNLL test; with as many sentences as in the paper its own stand behind a slash."""
    found = {row_name(cell["key"]): cell for cell in cells if cell["key"]["sentences"] == sentences}
    beside = TABLE_10 if sentences == PAPER_SENTENCES else {}
    rows = tuple(
        (METHODS.get(name, name), *_turk_row(found.get(name), beside.get(name)))
        for name in (*METHODS, PAPER_PRESET, *FURTHER, "gold")
    )
    head = "all sentences" if sentences is None else f"{sentences:,} sentences"
    return Table((head, "P", "R", "F1", "macro P", "macro R", "macro F1", "consensus F1"), rows)


def _turk_row(cell: Mapping[str, Any] | None, published: tuple[float, ...] | None) -> list[str]:
    """The paper does not say which mean it takes; its figures stand beside the micro ones."""
    shown = [NOT_RUN] * 7
    if cell is not None:
        values = [cell["test"][name] for name in _MEASURES] + [cell["consensus"]["f1"]]
        shown = [f"{100 * value:.2f}" for value in values]
    for place, value in enumerate(published or ()):
        shown[place] += f" / {value:.2f}"
    return shown
