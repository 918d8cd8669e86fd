"""The cells of knowledge put together: what vectors brought on each crowd, and whether they pass."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from crowdseq.reports.tables import Table
from crowdseq.workflows.knowing.word_vectors import UNLABELLED, VECTORS
from crowdseq_research.knowledge.cells import DEV, PLAIN, TEST
from crowdseq_research.knowledge.checks import CHECK, spared
from crowdseq_research.knowledge.costs import COSTS
from crowdseq_research.knowledge.texts import AMT, CROWDS, NEWS, SEEDS, SIMULATED

Cell = Mapping[str, Any]
_NAMES = {
    AMT: "AMT, news by people",
    "pico": "PICO, medicine by people",
    "oei": "OEI, Chinese opinions by people",
    "wikigold": "wikigold, labelling functions",
    "laptop": "laptop, labelling functions",
    "weak-ncbi": "weak NCBI, labelling functions",
    "mid-conll2003": "CoNLL, simulated",
    "mid-ncbi_disease": "NCBI, simulated",
    "mid-bc2gm": "BC2GM, simulated",
    "mid-jnlpba": "JNLPBA, simulated",
}


class Found:
    """Cells by what they are of."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells

    def of(self, data: str, row: str, part: str = DEV) -> list[Cell]:
        wanted = (data, row, part)
        return [c for c in self._cells if tuple(c["key"][n] for n in ("data", "row", "part")) == wanted]

    @property
    def checks(self) -> list[Cell]:
        """Of crowds on which nothing was chosen."""
        return [cell for cell in self._cells if cell["key"]["row"] == CHECK]

    def mean(self, cells: Sequence[Cell], value: Callable[[Cell], float]) -> float | None:
        return float(np.mean([value(cell) for cell in cells])) if cells else None


def crowd_table(found: Found) -> Table:
    """Every crowd: the consensus without, with, and as chosen."""
    head = ("crowd", "without", "with", "chosen", "gain", "spared", "words known", "used for", "cells")
    rows = [row for name in CROWDS if (row := _crowd_row(name, found.of(name, VECTORS), found))]
    return Table(head, tuple(rows))


def _crowd_row(name: str, cells: Sequence[Cell], found: Found) -> tuple[object, ...] | None:
    if not cells:
        return None
    without, chosen = _both(found, cells)
    assert without is not None
    assert chosen is not None
    tried = [cell for cell in cells if "with" in cell]
    within = found.mean(tried, lambda cell: cell["with"]["score"])
    share_spared = found.mean(tried, spared)
    known = found.mean(cells, lambda cell: cell["coverage"]["marked_tokens"])
    used = ", ".join(sorted({str(cell["used"]) for cell in cells}))
    share = None if share_spared is None else f"{share_spared:.0%}"
    return (
        _NAMES[name],
        without,
        within,
        chosen,
        f"{chosen - without:+.3f}",
        share,
        f"{known:.0%}",
        used,
        len(cells),
    )


def _both(found: Found, cells: Sequence[Cell]) -> tuple[float | None, float | None]:
    """The consensus without, and as chosen."""
    without = found.mean(cells, lambda cell: cell["without"]["score"])
    return without, found.mean(cells, lambda cell: cell["chosen"]["score"])


def tagger_table(found: Found) -> Table:
    """Taggers on the dev text of their corpus."""
    rows: list[tuple[object, ...]] = []
    for name in (AMT, *SIMULATED):
        for row in (VECTORS, UNLABELLED):
            plain, known = _taggers(found, name, row)
            if plain is not None and known is not None:
                rows.append((_NAMES[name], _told(row), plain, known, f"{known - plain:+.3f}"))
    plain, known = _taggers(found, NEWS, VECTORS)
    if plain is not None and known is not None:
        rows.append(("CoNLL, gold, all of train", _told(VECTORS), plain, known, f"{known - plain:+.3f}"))
    return Table(("learned from", "what", "without", "with", "gain"), tuple(rows))


def _told(row: str) -> str:
    return "vectors" if row == VECTORS else "own text"


def acceptance_table(found: Found) -> Table:
    """What was asked for, and what was found."""
    rows: list[tuple[object, ...]] = []

    def add(
        what: str, least: float, values: tuple[float | None, float | None], cells: Sequence[Cell]
    ) -> None:
        before, after = values
        if before is not None and after is not None:
            gain = after - before
            verdict = ("met" if gain >= least else "not met") + (" so far" if len(cells) < SEEDS else "")
            rows.append((what, f"{least:+.3f}", len(cells), before, after, f"{gain:+.4f}", verdict))

    for row, least, most in ((VECTORS, 0.010, 0.040), (UNLABELLED, 0.0, 0.015)):
        cells = found.of(AMT, row)
        add(f"AMT consensus val, {_told(row)}", least, _both(found, cells), cells)
        add(f"AMT tagger on CoNLL dev, {_told(row)}", most, _taggers(found, AMT, row), cells)
    gold = found.of(NEWS, VECTORS)
    add("CRF from all CoNLL gold, dev, vectors", 0.020, _taggers(found, NEWS, VECTORS), gold)
    for name in CROWDS[1:]:
        cells = found.of(name, VECTORS)
        add(f"{_NAMES[name]}: consensus, vectors", -0.003, _both(found, cells), cells)
    return Table(("what", "asked", "cells", "without", "with", "gain", ""), tuple(rows))


def _taggers(found: Found, data: str, row: str) -> tuple[float | None, float | None]:
    """On dev text, without and with; of simulated crowds the draws that have both."""
    plain, known = found.of(data, PLAIN), found.of(data, row)
    if data in SIMULATED:
        both = {cell["key"]["seed"] for cell in plain} & {cell["key"]["seed"] for cell in known}
        plain, known = ([c for c in cells if c["key"]["seed"] in both] for cells in (plain, known))
    return found.mean(plain, lambda cell: cell["tagger"]), found.mean(known, lambda cell: cell["tagger"])


def final_table(found: Found) -> Table:
    """The parts that judge, computed when all was chosen."""
    rows: list[tuple[object, ...]] = []
    for row in (PLAIN, VECTORS, UNLABELLED):
        cells = found.of(AMT, row, TEST)
        consensus = found.mean(cells, lambda cell: cell.get("chosen", cell["without"])["score"])
        gold = found.mean(found.of(NEWS, row, TEST), lambda c: c["tagger"])
        if cells or gold is not None:
            tagger = found.mean(cells, lambda c: c["tagger"])
            rows.append(("nothing" if row == PLAIN else _told(row), consensus, tagger, gold))
    head = ("what is known", "AMT consensus, test", "AMT tagger, CoNLL test", "gold CRF, CoNLL test")
    return Table(head, tuple(rows))


def cost_table(found: Found) -> Table:
    """Commands on the whole AMT crowd, one thread, one after the other."""
    cells = found.of(AMT, COSTS)
    rows = []
    for row, cost in (cells[-1]["rows"] if cells else {}).items():
        plain = cells[-1]["rows"][PLAIN]["tokens_per_second"]
        speed = cost["tokens_per_second"]
        told = (cost["cpu_seconds"], cost["peak_mb"], cost["model_mb"], f"{speed:,}", f"{speed / plain:.2f}")
        rows.append(("nothing" if row == PLAIN else _told(row), *told))
    head = ("what is given", "processor s", "peak MB", "model MB", "tokens tagged per s", "of plain")
    return Table(head, tuple(rows))
