"""report: the page of a finished run, made anew from its folder."""

import json
import sys
from pathlib import Path

from crowdseq.reports.html import report_html
from crowdseq.storage.atomic import AtomicFile, check_free
from crowdseq.workflows.metrics import run_metrics
from crowdseq.workflows.run_folder import load_run

STANDARD_OUTPUT = "-"


def run_report(folder: str | Path, *, title: str | None = None) -> str:
    """The HTML of a run folder; the title is the name of the folder unless given."""
    run = load_run(folder)
    settings = json.loads((Path(folder) / "settings.json").read_text("utf-8"))
    name = Path(folder).resolve().name
    return report_html(run.consensus, run_metrics(run), settings, title=title or f"Consensus report: {name}")


def write_report(folder: str | Path, out: str, *, title: str | None = None, force: bool = False) -> None:
    """The page of a run folder to a file, or to standard output if its name is `-`."""
    if out != STANDARD_OUTPUT:
        check_free(out, force=force)
    page = run_report(folder, title=title).encode("utf-8")
    if out == STANDARD_OUTPUT:
        sys.stdout.buffer.write(page)
        return
    with AtomicFile(out, force=force) as file:
        file.write(page)
