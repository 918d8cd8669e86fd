"""Which cells are older than the code, as far as the cells themselves tell."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.paper.cells.keys import row_name

Cells = Iterable[Mapping[str, Any]]


def told_age(cells: Cells) -> str:
    """Empty when every cell keeps its recipe and sources, and no default has changed since."""
    made = [cell for cell in cells if "method" in cell["key"]]
    changed = _counts(cell for cell in made if is_outdated(cell))
    unknown = _counts(cell for cell in made if "recipe" not in cell)
    told = []
    if changed:
        told.append(f"**Defaults have changed since some cells were computed: {changed}.**")
    if unknown:
        told.append(
            f"**Old cells: {unknown} keep no recipe.** They were computed before recipes were kept, by code "
            "that has changed since, so that computing them again gives somewhat other figures."
        )
    without = sum("recipe" in cell and "sources" not in cell for cell in made)
    if without:
        told.append(f"{without:,} more keep a recipe but no digest of the sources (version 0.1.0 or before).")
    return " ".join(told)


def _counts(cells: Cells) -> str:
    counts = Counter(row_name(cell["key"]) for cell in cells)
    return ", ".join(f"{count} of {name}" for name, count in sorted(counts.items()))
