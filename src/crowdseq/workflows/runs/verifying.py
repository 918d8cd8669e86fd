"""verify_run: whether a run folder is as it was written."""

from dataclasses import dataclass
from pathlib import Path

from crowdseq.errors import FormatError, Problem
from crowdseq.storage.manifest import MANIFEST, files_below, read_manifest
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.files import NEEDED, TAGGER_FILES

LIVE = "decisions.sqlite"  # changes as reviewers decide, with its journal beside it


@dataclass(frozen=True)
class Verified:
    """problems: why the run cannot be opened. notes: what was changed or added without harm to it."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def verify_run(folder: str | Path) -> Verified:
    """Open a run and compare every file with its manifest; nothing is raised for a damaged one."""
    place = Path(folder)
    try:
        load_run(place)
        manifest = read_manifest(place)
    except FormatError as error:
        return Verified(error.problems, ())
    if manifest is None:
        return Verified((), (f"there is no {MANIFEST}: the files were only compared with each other",))
    others = sorted(set(manifest.files) - {*NEEDED, *TAGGER_FILES})
    changed = [f"{Path(one.file).name} {one.what}" for one in manifest.problems(place, others)]
    added = sorted(files_below(place) - set(manifest.files) - {MANIFEST})
    return Verified(
        (),
        (*changed, *(f"{name} was added to the run" for name in added if not name.startswith(LIVE))),
    )
