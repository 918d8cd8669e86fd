"""Cells of the paper's experiments and of the studies, computed again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.errors import SettingsError
from crowdseq.reports.tables import Table
from crowdseq_research.cells.again import again_table
from crowdseq_research.cells.cell_file import CellFile, Tell
from crowdseq_research.cells.parallel import CellOf
from crowdseq_research.paper.cells.amt import compute_amt
from crowdseq_research.paper.cells.catalogue import cell_file
from crowdseq_research.paper.cells.crowd_cells import compute_cell
from crowdseq_research.paper.cells.simulated import compute_simulated
from crowdseq_research.paper.cells.turk import compute_turk


class Checked(NamedTuple):
    """How a cell is computed, and which of its figures are compared."""

    compute: CellOf
    compared: tuple[str, ...]


CHECKED = {
    "grid": Checked(compute_cell, ("tagger.f1", "consensus.f1")),
    "folds": Checked(compute_cell, ("tagger.f1", "consensus.f1")),
    "table-x": Checked(compute_turk, ("dev.f1", "test.f1", "consensus.f1")),
    "amt": Checked(compute_amt, ("val.f1", "all.f1", "calibration")),
    "simulated": Checked(compute_simulated, ("f1",)),
}
_STUDIES = ("amt", "simulated")


def check_again(
    name: str, draw: tuple[int, int], folder: tuple[Path, Path], tell: Tell, only: Sequence[str] = ()
) -> Table:
    """Cells drawn at random, with what they differ in.

    draw: how many, and the seed that says which. folder: of the data, of the results. only: corpora to draw
    from, all if none is named.
    """
    data, out = folder
    if name not in CHECKED:
        raise SettingsError(f"--again goes with {', '.join(CHECKED)} and zoo, not with {name}")
    cells = [cell for cell in _stored(name, out) if not only or cell["key"]["data"] in only]
    if not cells:
        raise SettingsError(f"there are no cells of {name} under {out} to compute again")
    checked = CHECKED[name]
    return again_table(cells, lambda key: checked.compute(key, data), checked.compared, draw, tell)


def _stored(name: str, out: Path) -> list[Mapping[str, Any]]:
    file = CellFile(out / "cells" / f"{name}.jsonl") if name in _STUDIES else cell_file(out, name)
    return list(file.load().values())
