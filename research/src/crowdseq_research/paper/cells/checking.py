"""Cells computed again: does the same key still give the same scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.errors import SettingsError
from crowdseq.reports.tables import Table
from crowdseq_research.cells.cell_file import Tell
from crowdseq_research.paper.cells.catalogue import EXPERIMENTS, cell_file
from crowdseq_research.paper.cells.keys import row_name

CHECKED = {"grid": "tagger", "folds": "tagger", "table-x": "test"}
TOLERANCE = 1e-6


def check_again(
    name: str, count: int, folder: tuple[Path, Path], tell: Tell, seed: int, only: Sequence[str] = ()
) -> Table:
    """So many cells drawn at random, with their F1 then and now.

    folder: of the data, of the results. only: corpora to draw from, all if none is named.
    """
    data, out = folder
    if name not in CHECKED:
        raise SettingsError(f"--again goes with {', '.join(CHECKED)}, not with {name}")
    cells = [cell for cell in cell_file(out, name).load().values() if not only or cell["key"]["data"] in only]
    if not cells:
        raise SettingsError(f"there are no cells of {name} under {out} to compute again")
    drawn = np.random.default_rng(seed).permutation(len(cells))[:count]
    rows = []
    for done, place in enumerate(drawn.tolist(), start=1):
        rows.append(_again(cells[place], name, data))
        tell("cells computed again", done, len(drawn))
    return Table(("cell", "F1 then", "F1 now", "same"), tuple(rows), "Cells computed again")


def _again(cell: Mapping[str, Any], name: str, data: Path) -> tuple[object, ...]:
    key, part = cell["key"], CHECKED[name]
    then, now = cell[part]["f1"], EXPERIMENTS[name].compute(key, data)[part]["f1"]
    crowd = [f"{word} = {key[word]}" for word in ("annotators", "precision", "repeat", "fold") if word in key]
    what = ", ".join([key["data"], row_name(key), *crowd])
    return what, f"{then:.8f}", f"{now:.8f}", abs(then - now) <= TOLERANCE
