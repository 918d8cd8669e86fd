"""report: the page of a finished run, made anew from its folder."""

import os
from pathlib import Path

from crowdseq.formats.files import is_sharded_run
from crowdseq.reports.html import report_html
from crowdseq.storage.atomic import STANDARD_OUTPUT, AtomicFile, check_free, standard_output
from crowdseq.workflows.run_folder import check_is_run, open_run


def run_report(folder: str | Path, *, title: str | None = None) -> str:
    """The HTML of a run folder; the title is the name of the folder unless given."""
    name = Path(folder).resolve().name
    heading = title or f"Consensus report: {name}"
    if is_sharded_run(Path(folder)):
        return _sharded_report(Path(folder), heading)
    opened = open_run(folder)
    return report_html(opened.run.consensus, opened.run.metrics, opened.settings, title=heading)


def _sharded_report(folder: Path, heading: str) -> str:
    """Of a run in shards, from the sample that its own page was made from."""
    from crowdseq.workflows.sharded.opening import open_shards
    from crowdseq.workflows.sharded.sampling import sample_of

    check_is_run(folder)
    opened = open_shards(folder)
    return report_html(sample_of(opened.consensus), opened.metrics.content, opened.settings, title=heading)


def write_report(
    folder: str | Path, out: str | None = None, *, title: str | None = None, force: bool = False
) -> str:
    """The page of a run folder to a file, or to standard output if its name is `-`; gives the file's name.

    out: None for a file beside the run, whose name begins with that of the folder: the page inside the run is
    part of what was saved and stays as it was.
    """
    check_is_run(Path(folder))
    target = _beside(folder) if out is None else out
    if target == STANDARD_OUTPUT:
        page = standard_output()
        page.write(run_report(folder, title=title).encode("utf-8"))
        page.flush()
        return target
    check_free(target, force=force)
    content = run_report(folder, title=title).encode("utf-8")
    with AtomicFile(target, force=force) as file:
        file.write(content)
    return target


def _beside(folder: str | Path) -> str:
    """`runs/week-12` to `runs/week-12-report.html`."""
    path = Path(folder)
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    return str(path.with_name(f"{path.name}-report.html"))
