"""The knowledge run: cells that are missing or of other sources are computed, and all of them shown."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from crowdseq.errors import SettingsError
from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.cells.cell_file import CellFile, key_of
from crowdseq_research.cells.parallel import Workers, compute_all
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.knowledge.cells import compute_knowledge, knowledge_keys, knowledge_sources
from crowdseq_research.knowledge.checks import CHECKED, check_table, summary_table, verdicts
from crowdseq_research.knowledge.tables import (
    Found,
    acceptance_table,
    cost_table,
    crowd_table,
    final_table,
    tagger_table,
)
from crowdseq_research.templates import fill

ROOM = "crowdseq_research.knowledge"


def is_old(cell: Mapping[str, Any]) -> bool:
    """Whether today's code would not give the cell, or cannot be known to."""
    return is_outdated(cell) or cell.get("sources") != knowledge_sources(cell["key"]["method"])


def run_knowledge(
    out: Path, workers: Workers, only: tuple[str, ...], *, quick: bool, final: bool, renew: bool
) -> Found:
    """Computes what is missing; only: crowds by name. All cells that are there are given back."""
    file = CellFile(out / "cells" / f"{'quick-' if quick else ''}knowledge.jsonl")
    keys = knowledge_keys(quick=quick, final=final)
    unknown = set(only) - {key["data"] for key in keys}
    if unknown:
        raise SettingsError(f"--only {', '.join(sorted(unknown))}: there is no such crowd here")
    chosen = [key for key in keys if not only or key["data"] in only]
    compute_all(
        file, chosen, compute_knowledge, replace(workers, is_outdated=is_old if renew else is_outdated)
    )
    known = {key_of(key) for last in (False, True) for key in knowledge_keys(quick=quick, final=last)}
    return Found([cell for name, cell in file.load().items() if name in known])


def knowledge_tables(found: Found) -> list[Table]:
    tables = (acceptance_table, crowd_table, tagger_table, cost_table, final_table)
    return [table for make in tables if (table := make(found)).rows]


def knowledge_page(found: Found) -> str:
    """The page of results."""
    blocks: dict[str, Callable[[Found], Table]] = {
        "acceptance": acceptance_table,
        "crowds": crowd_table,
        "taggers": tagger_table,
        "costs": cost_table,
        "final": final_table,
        "checks": lambda found: check_table(found.checks),
        "summary": lambda found: summary_table(found.checks),
    }
    told = {name: make(found) for name, make in blocks.items()}
    shown = {name: as_markdown(table) if table.rows else "Not computed yet." for name, table in told.items()}
    counts = {name.replace(" ", "_"): str(count) for name, count in verdicts(found.checks).items()}
    counts |= {"n_checked": str(len(found.checks)), "n_draws": str(sum(len(draws) for _, draws in CHECKED))}
    return fill(ROOM, "knowledge", **shown, **counts) + "\n"
