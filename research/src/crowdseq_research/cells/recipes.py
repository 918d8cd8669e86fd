"""The settings a cell was computed with, and whether they are still those that its key stands for."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from crowdseq.methods import list_methods


def recipe_of(method: Any) -> dict[str, Any]:
    """Every setting of a method (a dataclass) as JSON has it; a cell keeps this, since defaults change."""
    return dict(json.loads(json.dumps(asdict(method))))


def is_outdated(cell: Mapping[str, Any]) -> bool:
    """Whether a default has changed since; cells that keep no recipe are taken as they are.

    A setting that came later or is gone says nothing: what it was before cannot be told from the cell.
    """
    kept = cell.get("recipe")
    if not isinstance(kept, dict):
        return kept is not None
    key = cell["key"]
    today = recipe_of(list_methods()[key["method"]](**key["settings"]))
    return any(today[name] != value for name, value in kept.items() if name in today)
