"""report: the page of a finished run, made anew from its folder."""

import json
from pathlib import Path

from crowdseq.reports.html import report_html
from crowdseq.workflows.metrics import run_metrics
from crowdseq.workflows.run_folder import load_run


def run_report(folder: str | Path, *, title: str | None = None) -> str:
    """The HTML of a run folder; the title is the name of the folder unless given."""
    run = load_run(folder)
    settings = json.loads((Path(folder) / "settings.json").read_text("utf-8"))
    name = Path(folder).resolve().name
    return report_html(run.consensus, run_metrics(run), settings, title=title or f"Consensus report: {name}")
