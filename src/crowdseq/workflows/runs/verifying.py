"""verify_run, check_run: whether a run folder is as it was written, and its decisions are sound."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files import is_sharded_run
from crowdseq.storage.manifest import MANIFEST, files_below, read_manifest
from crowdseq.workflows.run_folder import check_is_run, load_run
from crowdseq.workflows.runs import DECISIONS, LIVE, NEEDED, NEEDED_BESIDE_SHARDS, TAGGER_FILES

_IN_SHARDS = ("crowd/", "consensus/")


@dataclass(frozen=True)
class Verified:
    """problems: why the run cannot be opened. notes: what was changed or added without harm to it."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def verify_run(folder: str | Path) -> Verified:
    """Open a run and compare every file with its manifest; nothing is raised for a damaged one."""
    place = Path(folder)
    try:
        if is_sharded_run(place):
            _open_shards(place)
        else:
            load_run(place)
        manifest = read_manifest(place)
    except FormatError as error:
        return Verified(error.problems, ())
    if manifest is None:
        return Verified((), (f"there is no {MANIFEST}: the files were only compared with each other",))
    opened = {*NEEDED, *NEEDED_BESIDE_SHARDS, *TAGGER_FILES}
    others = sorted(name for name in set(manifest.files) - opened if not name.startswith(_IN_SHARDS))
    changed = [f"{Path(one.file).name} {one.what}" for one in manifest.problems(place, others)]
    added = sorted(files_below(place) - set(manifest.files) - {MANIFEST})
    return Verified(
        (),
        (*changed, *(f"{name} was added to the run" for name in added if not name.startswith(LIVE))),
    )


def _open_shards(folder: Path) -> None:
    from crowdseq.workflows.sharded.opening import open_shards

    check_is_run(folder)
    open_shards(folder)


@dataclass(frozen=True)
class CheckedRun:
    """What was found in a run folder without harm to it, and what became of its decisions.

    entries: how many its log of decisions has, None without one. salvaged: what was lost of a damaged log, in
    words; empty if it was sound.
    """

    notes: tuple[str, ...]
    entries: int | None = None
    salvaged: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What `check` says of a run as JSON."""
        return {"notes": list(self.notes), "decisions": self.entries, "salvaged": self.salvaged or None}

    def in_words(self) -> list[str]:
        """A line for everything that there is to say."""
        if self.salvaged:
            return [*self.notes, f"{DECISIONS} was damaged: {self.salvaged}"]
        told = [] if self.entries is None else [f"{DECISIONS} is sound, {self.entries:,} entries"]
        return [*self.notes, *told]


def check_run(folder: str | Path) -> CheckedRun:
    """Verify a run and its decisions; a damaged log of decisions is salvaged, a damaged run is an error."""
    verified = verify_run(folder)
    if verified.problems:
        raise FormatError(*verified.problems)
    if not (Path(folder) / DECISIONS).exists():
        return CheckedRun(verified.notes)
    from crowdseq.store.checking import salvage, verify

    found = verify(folder)
    if found.is_sound:
        return CheckedRun(verified.notes, found.entries)
    saved = salvage(folder)
    return CheckedRun(verified.notes, saved.saved, saved.in_words())
