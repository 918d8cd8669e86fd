"""report: the page of a finished run, made anew from its folder."""

from pathlib import Path

from crowdseq.reports.html import report_html
from crowdseq.workflows.run_folder import open_run


def run_report(folder: str | Path, *, title: str | None = None) -> str:
    """The HTML of a run folder; the title is the name of the folder unless given."""
    opened = open_run(folder)
    name = Path(folder).resolve().name
    heading = title or f"Consensus report: {name}"
    return report_html(opened.run.consensus, opened.run.metrics, opened.settings, title=heading)
