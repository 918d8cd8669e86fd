"""Crowds on which the threshold of the choice was not set, and how often it was right there."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdseq.reports.tables import Table

CHECK = "check"
# Names of the zoo with the draws that are taken: other draws, sizes, casts and corpora than it was set on.
CHECKED: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("amt-100", (0, 1, 2)), ("amt-500", (0, 1, 2)), ("amt-500-by-2", (0, 1)), ("wikigold-300", (0, 1, 2)),
    ("mid-conll2003", (3, 4)), ("poor-conll2003", (0, 1)), ("good-conll2003", (0, 1)),
    ("even-conll2003", (0, 1)), ("many-conll2003", (0,)), ("two-conll2003", (0, 1)), ("five-mid", (0, 1)),
    ("three-good", (0,)), ("great-and-bad", (0,)), ("two-and-blanks", (0,)), ("noisy-bad", (0,)),
    ("families", (0,)), ("each-alone", (0,)), ("two-disagree", (0,)),
    ("pico-40-abstracts", (0, 1)), ("laptop-500", (0, 1, 2)),
    ("mid-ncbi_disease", (3, 4)), ("poor-ncbi_disease", (0, 1)), ("good-ncbi_disease", (0, 1)),
    ("even-ncbi_disease", (0, 1)), ("four-mid-ncbi", (0, 1)), ("mid-bc2gm", (3,)), ("poor-bc2gm", (0,)),
    ("good-bc2gm", (0,)), ("even-bc2gm", (0, 1)), ("two-bc2gm", (0,)), ("mid-jnlpba", (3,)),
    ("poor-jnlpba", (0,)), ("good-jnlpba", (0,)), ("even-jnlpba", (0, 1)), ("copies-jnlpba", (0, 1)),
)  # fmt: skip
_NO_MATTER = 0.003  # differences that are neither a gain nor a loss
Cell = Mapping[str, Any]


def check_table(cells: Sequence[Cell]) -> Table:
    """Every crowd: what vectors bring in the rounds, how much they spare, and what the choice makes of it."""
    head = ("crowd", "draws", "without", "with", "difference", "spared", "used in", "chosen", "verdict")
    rows = []
    for name, _ in CHECKED:
        own = [cell for cell in cells if cell["key"]["data"] == name and "with" in cell]
        if own:
            rows.append(_row(name, own))
    return Table(head, tuple(rows))


def summary_table(cells: Sequence[Cell]) -> Table:
    """Of all draws: what it would bring to use vectors never, always, by choice, and by knowing the gold."""
    tried = [cell for cell in cells if "with" in cell]
    if not tried:
        return Table(("vectors in the rounds", "mean gain", "worst", "worse by more than .003"), ())
    ways = {
        "never": [0.0 for _ in tried],
        "always": [_difference(cell) for cell in tried],
        "as chosen": [_difference(cell) if _is_used(cell) else 0.0 for cell in tried],
        "if gold were known": [max(_difference(cell), 0.0) for cell in tried],
    }
    rows = [
        (name, f"{np.mean(gains):+.4f}", f"{min(gains):+.3f}", sum(gain < -_NO_MATTER for gain in gains))
        for name, gains in ways.items()
    ]
    return Table(("vectors in the rounds", "mean gain", "worst", "worse by more than .003"), tuple(rows))


def verdicts(cells: Sequence[Cell]) -> dict[str, int]:
    """How many draws were judged rightly, left a gain, or were harmed."""
    told = [verdict(cell) for cell in cells if "with" in cell]
    return {name: told.count(name) for name in ("right", "gain left", "harm")}


def verdict(cell: Cell) -> str:
    """Whether it was right to use vectors in the rounds, or not to."""
    if _is_used(cell):
        return "harm" if _difference(cell) < -_NO_MATTER else "right"
    return "gain left" if _difference(cell) > _NO_MATTER else "right"


def _row(name: str, cells: Sequence[Cell]) -> tuple[object, ...]:
    without, within, chosen = (
        float(np.mean([cell[which]["score"] for cell in cells])) for which in ("without", "with", "chosen")
    )
    shares = [spared(cell) for cell in cells]
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    span = low if low == high else f"{low} to {high}"
    counts = {what: count for what, count in verdicts(cells).items() if count}
    told = ", ".join(what if len(counts) == 1 else f"{count} {what}" for what, count in counts.items())
    used = sum(map(_is_used, cells))
    return (
        name, len(cells), without, within, f"{within - without:+.3f}", span,
        f"{used} of {len(cells)}", chosen, told,
    )  # fmt: skip


def _is_used(cell: Cell) -> bool:
    return str(cell["used"]).startswith("rounds")


def _difference(cell: Cell) -> float:
    return float(cell["with"]["score"] - cell["without"]["score"])


def spared(cell: Cell) -> float:
    """By which share what the text alone misses shrinks with vectors."""
    missed = [1.0 - cell[which]["agreement"] for which in ("without", "with")]
    return float(1.0 - missed[1] / max(missed[0], 1e-9))
