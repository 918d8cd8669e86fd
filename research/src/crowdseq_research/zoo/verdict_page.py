"""The study of verdicts: cells that are missing or old are computed, and all of them shown on a page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crowdseq.reports.tables import as_markdown
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import Workers, compute_all
from crowdseq_research.zoo.verdict_cells import DRAWS, METHODS, compute_verdicts, is_old, verdict_keys
from crowdseq_research.zoo.verdict_tables import by_character, by_few, summary

_QUICK = 4
_OPENING = """# Verdicts: are annotators told what they are?

{draws} drawn casts on CoNLL-2003, JNLPBA, NCBI disease and BC2GM (their test parts; the rule was made on
casts of other seeds on train parts): 2 to 14 people on 60 to 500 sentences, everybody with all of the
sentences or a share of them; in every fourth group of casts people of the package's own simulator. The
right verdict was fixed beforehand from the F1 against the truth of what somebody labelled: **good** from
.8 on, **drop** below .4, **watch** between. Those with at least 100 spans (drawn by them, or there where
they looked) count; for them "too little evidence" is wrong, too. A copy has the verdict of its F1; that
it is one is told in the reason."""


def run_verdicts(out: Path, workers: Workers, *, quick: bool = False) -> list[dict[str, Any]]:
    """The cells of all casts, or of the first few."""
    file = CellFile(out / "cells" / f"{'quick-' if quick else ''}verdicts.jsonl")
    judged = replace(workers, is_outdated=is_old)
    return compute_all(file, verdict_keys(_QUICK if quick else DRAWS), compute_verdicts, judged)


def verdict_page(cells: Sequence[Mapping[str, Any]]) -> str:
    """The page in Markdown."""
    draws = len({cell["key"]["draw"] for cell in cells})
    parts = [_OPENING.format(draws=draws), as_markdown(summary(cells))]
    parts += [as_markdown(by_character(cells, METHODS[0])), as_markdown(by_few(cells, METHODS[0]))]
    parts += [as_markdown(by_character(cells, METHODS[1]))]
    recipe = "Recipe: `crowdseq reproduce verdicts --data DATA`, cells in `cells/verdicts.jsonl`"
    return "\n\n".join([*parts, f"{recipe}, commit {', '.join(_commits(cells))}."]) + "\n"


def _commits(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({str(cell.get("commit", "unknown")) for cell in cells})
