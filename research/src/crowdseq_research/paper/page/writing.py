"""reproduce: cells to the page, its figures and the tables in the results folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdseq.errors import OutputExistsError, SettingsError
from crowdseq.storage.atomic import AtomicFile
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.paper.cells.catalogue import EXPERIMENTS, cell_file
from crowdseq_research.paper.page.age import told_age
from crowdseq_research.paper.page.page import NOTE, SECTIONS, make_figures, make_page
from crowdseq_research.templates import paragraphs

Cells = Sequence[Mapping[str, Any]]


def load_results(out: Path) -> dict[str, Cells]:
    """Cells by the name of their experiment, as far as there are any."""
    found = {name: list(cell_file(out, name).load().values()) for name in EXPERIMENTS}
    return {name: cells for name, cells in found.items() if cells}


def load_study(out: Path) -> dict[str, Cells]:
    """What the page says of single parts of the method comes from the study of Mechanical Turk."""
    cells = list(CellFile(out / "cells" / "amt.jsonl").load().values())
    return {"amt": cells} if cells else {}


def write_page(out: Path, page: Path, *, force: bool = False) -> list[Path]:
    """Write the page, its figures beside it, and the tables in `out`; computes nothing.

    A file at the page's place that is not such a page is kept, unless `force`.
    """
    if page.exists() and not force and not page.read_text("utf-8").startswith(NOTE):
        raise OutputExistsError(f"{page} is there and was not written by us, say --force to replace it")
    results = load_results(out)
    shown = results | load_study(out)
    if not results:
        raise SettingsError(f"there are no cells under {out}, name the folder of the results with -o")
    figures = page.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    files = {figures / name: content for name, content in make_figures(results).items()}
    files[page] = make_page(shown).encode()
    files |= {out / f"{name}.md": tables(name, cells).encode() for name, cells in results.items()}
    for path, content in files.items():
        with AtomicFile(path, force=True) as file:
            file.write(content)
    return list(files)


def tables(name: str, cells: Cells) -> str:
    """The section of an experiment without its figures, as Markdown."""
    blocks = SECTIONS[name](cells).split("\n\n")
    shown = (block for block in blocks if not block.startswith("!["))
    return paragraphs(*shown, told_age(cells)) + "\n"
