"""The zoo run: cells that are missing are computed, and all of them shown."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crowdseq.errors import SettingsError
from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import Workers, compute_all
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.zoo.cells import compute_zoo, zoo_keys
from crowdseq_research.zoo.crowds import ZOO
from crowdseq_research.zoo.tables import calibration_table, crowd_scores, score_table, summary_table


def cell_file(out: Path, *, quick: bool = False) -> CellFile:
    """Where cells are kept; those of quick runs never mix with them."""
    return CellFile(out / "cells" / f"{'quick-' if quick else ''}zoo.jsonl")


def run_zoo(out: Path, workers: Workers, only: Sequence[str] = (), *, quick: bool = False) -> list[Table]:
    """The summary, the scores and the calibration; only: of these crowds or kinds."""
    names = {crowd.name for crowd in ZOO} | {crowd.kind for crowd in ZOO}
    for name in only:
        if name not in names:
            raise SettingsError(f"--only {name}: there is no such crowd or kind in the zoo")
    keys = [key for key in zoo_keys(quick=quick) if not only or key["data"] in only or key["kind"] in only]
    if not keys:
        raise SettingsError(f"--only {', '.join(only)}: the quick zoo has no such crowd")
    judged = replace(workers, is_outdated=is_outdated)
    scores = crowd_scores(compute_all(cell_file(out, quick=quick), keys, compute_zoo, judged))
    return [summary_table(scores), score_table(scores), calibration_table(scores)]


def zoo_page(tables: Sequence[Table]) -> str:
    """The tables as one page."""
    return "\n\n".join(as_markdown(table) for table in tables) + "\n"
