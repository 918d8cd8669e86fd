"""report: the page of a finished run, made anew from its folder."""

import sys
from pathlib import Path

from crowdseq.reports.html import report_html
from crowdseq.storage.atomic import STANDARD_OUTPUT, AtomicFile, check_free
from crowdseq.workflows.run_folder import open_run


def run_report(folder: str | Path, *, title: str | None = None) -> str:
    """The HTML of a run folder; the title is the name of the folder unless given."""
    opened = open_run(folder)
    name = Path(folder).resolve().name
    heading = title or f"Consensus report: {name}"
    return report_html(opened.run.consensus, opened.run.metrics, opened.settings, title=heading)


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
