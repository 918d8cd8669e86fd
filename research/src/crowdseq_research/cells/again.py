"""Cells computed again: does the same key still give the same figures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdseq.reports.tables import Table
from crowdseq_research.cells.cell_file import Compute, Tell

TOLERANCE = 1e-6
_UNNAMED = ("settings", "method", "kind", "name")


def again_table(
    cells: Sequence[Mapping[str, Any]],
    compute: Compute,
    compared: Sequence[str],
    draw: tuple[int, int],
    tell: Tell,
) -> Table:
    """Some cells, what they differ in now, and in the last column whether they are the same.

    compared: names of figures, those inside of others with dots. draw: how many cells, and a seed.
    """
    count, seed = draw
    chosen = np.random.default_rng(seed).permutation(len(cells))[:count].tolist()
    rows = []
    for done, place in enumerate(chosen, start=1):
        then, now = cells[place], compute(cells[place]["key"])
        others = [name for name in compared if not is_same(figure(then, name), figure(now, name))]
        told = "; ".join(f"{name}: {figure(then, name)} then, {figure(now, name)} now" for name in others)
        rows.append(
            (
                _name(then["key"]),
                "sources" in then and then["sources"] == now.get("sources"),
                told,
                not others,
            )
        )
        tell("cells computed again", done, len(chosen))
    return Table(("cell", "same sources", "differs in", "same"), tuple(rows), "Cells computed again")


def figure(cell: Mapping[str, Any], name: str) -> Any:
    """`tagger.f1` is the f1 of the tagger; None where there is none."""
    found: Any = cell
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def is_same(then: Any, now: Any) -> bool:
    """Numbers may differ in what rounding leaves."""
    if isinstance(then, float | int) and isinstance(now, float | int):
        return abs(then - now) <= TOLERANCE
    return bool(then == now)


def _name(key: Mapping[str, Any]) -> str:
    """The row, or the method with its settings; then the rest of the key."""
    settings = "".join(f" {name}={value}" for name, value in key.get("settings", {}).items())
    what = key.get("row") or f"{key.get('name') or key.get('method', '')}{settings}"
    rest = [
        str(value) if name == "data" else f"{name} = {value}"
        for name, value in key.items()
        if name not in (*_UNNAMED, "row")
    ]
    return ", ".join([str(what), *rest])
