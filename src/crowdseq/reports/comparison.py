"""Methods side by side as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.reports.tables import Table

_SCORES = ("precision", "recall", "f1")


def comparison_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The best consensus first; what could not be measured is n/a."""
    ordered = sorted(
        rows, key=lambda row: (row["method"] == "gold", -_f1(row, "consensus"), -_f1(row, "tagger"))
    )
    columns = (
        "method",
        *(f"consensus {name}" for name in ("P", "R", "F1")),
        *(f"tagger {name}" for name in ("P", "R", "F1")),
        "calibration error",
        "seconds",
        "MB",
    )
    return Table(columns, tuple(_cells(row) for row in ordered), "strict spans; gold is the ceiling")


def _cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    scores = [(row[part] or {}).get(name) for part in ("consensus", "tagger") for name in _SCORES]
    seconds, memory = row["seconds"], row["memory_mb"]
    return (
        row["method"],
        *scores,
        row["calibration"],
        None if seconds is None else f"{seconds:.1f}",
        None if memory is None else f"{memory:.0f}",
    )


def _f1(row: Mapping[str, Any], part: str) -> float:
    return float((row[part] or {}).get("f1") or 0.0)
