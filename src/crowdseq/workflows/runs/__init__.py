"""Which files a run folder has, and whether they are as its manifest says."""

import hashlib
from pathlib import Path

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.storage.manifest import MANIFEST, Manifest, read_manifest

SETTINGS, METRICS, CROWD, LABELS = "settings.json", "metrics.json", "crowd.jsonl.gz", "consensus.jsonl"
POSTERIORS, PARAMETERS = "posteriors.safetensors", "parameters.safetensors"
TAGGER_FILES = ("tagger/model.json", "tagger/weights.safetensors")
SUGGESTIONS, SNAPSHOT = "suggestions.jsonl", "snapshot.safetensors"
LARGE = 200_000  # tokens; a run with fewer opens at once without a snapshot
# What reviewers change while a run stands; outside of its manifest.
DECISIONS, GUIDELINE, CHANGES = "decisions.sqlite", "guideline.md", "changes.json"
AUDIT_FRAME = "audit.safetensors"
LIVE = ("decisions.", GUIDELINE, CHANGES, AUDIT_FRAME)
# What a run is opened from; the other files are made from these, for people.
NEEDED = (SETTINGS, CROWD, LABELS, POSTERIORS, PARAMETERS, METRICS)
# The same of a run whose crowd lies in shards; these are checked beside.
SHARDS, REPORTS = "crowd/index.json", "reports.safetensors"
NEEDED_BESIDE_SHARDS = (SETTINGS, PARAMETERS, REPORTS, METRICS)
LEARN_AGAIN = Advice("restore the file, or learn again")


def labels_digest(folder: Path) -> str:
    """The labels of a run folder, as a digest; of a run in shards that of the digests of its shards."""
    if (folder / SHARDS).is_file():
        manifest = read_manifest(folder)
        files = sorted(manifest.files.items()) if manifest is not None else []
        parts = [f"{name} {entry.sha256}" for name, entry in files if name.startswith("consensus/")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with (folder / LABELS).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(folder: Path, names: tuple[str, ...]) -> Manifest | None:
    """The manifest of a run, if these files are as it says; runs of 0.1.0 have none."""
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    needed = NEEDED_BESIDE_SHARDS if SHARDS in manifest.files else NEEDED
    unlisted = [name for name in needed if name not in manifest.files]
    if unlisted:
        raise FormatError(
            Problem(f"does not list {', '.join(unlisted)}", str(folder / MANIFEST), advice=LEARN_AGAIN)
        )
    problems = manifest.problems(folder, names)
    if problems:
        raise FormatError(*problems)
    return manifest
