"""Which files a run folder has, and whether they are as its manifest says."""

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
LEARN_AGAIN = Advice("restore the file, or learn again")


def check_files(folder: Path, names: tuple[str, ...]) -> Manifest | None:
    """The manifest of a run, if these files are as it says; runs of 0.1.0 have none."""
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    unlisted = [name for name in NEEDED if name not in manifest.files]
    if unlisted:
        raise FormatError(
            Problem(f"does not list {', '.join(unlisted)}", str(folder / MANIFEST), advice=LEARN_AGAIN)
        )
    problems = manifest.problems(folder, names)
    if problems:
        raise FormatError(*problems)
    return manifest
