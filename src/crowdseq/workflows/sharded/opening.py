"""A run in shards opened again: as it lies, or whole and in the order of its input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq.aggregation.stored import StoredConsensus
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.errors import FormatError, Problem
from crowdseq.storage.json_file import JsonFile
from crowdseq.storage.manifest import MANIFEST, Manifest, read_manifest
from crowdseq.storage.tensors import read_tensors
from crowdseq.workflows.runs import (
    LEARN_AGAIN,
    METRICS,
    NEEDED_BESIDE_SHARDS,
    PARAMETERS,
    REPORTS,
    SETTINGS,
    TAGGER_FILES,
    check_files,
)
from crowdseq.workflows.runs.snapshot import decode_reports
from crowdseq.workflows.sharded import CONSENSUS, consensus_folder, crowd_folder
from crowdseq.workflows.sharded.sampling import InOrder

_SHARDS = ("crowd/", f"{CONSENSUS}/")


@dataclass(frozen=True, eq=False)
class OpenedShards:
    """The consensus in shards, and what `settings.json` and `metrics.json` say."""

    consensus: StoredConsensus
    settings: dict[str, Any]
    metrics: JsonFile

    @property
    def in_order(self) -> InOrder:
        """The consensus as its crowd was read."""
        return InOrder(self.consensus)


def check_sharded(folder: Path) -> Manifest:
    """The manifest, if everything that the run is opened from is as it says."""
    manifest = read_manifest(folder)
    if manifest is None:
        what = "is missing, a run in shards cannot be opened without"
        raise FormatError(Problem(what, str(folder / MANIFEST), advice=LEARN_AGAIN))
    shards = [name for name in manifest.files if name.startswith(_SHARDS)]
    check_files(folder, (*NEEDED_BESIDE_SHARDS, *TAGGER_FILES, *shards))
    return manifest


def open_shards(folder: Path) -> OpenedShards:
    """Every file is checked, none is held."""
    manifest = check_sharded(folder)
    settings, metrics = (JsonFile.read(folder / name, LEARN_AGAIN) for name in (SETTINGS, METRICS))
    corpus = StoredCorpus.open(crowd_folder(folder))
    reports = decode_reports(read_tensors(folder / REPORTS, LEARN_AGAIN))
    parameters = dict(read_tensors(folder / PARAMETERS, LEARN_AGAIN).arrays)
    told = metrics.object("parameters") if "parameters" in metrics.content else {}
    remarks = metrics.content.get("remarks")
    told |= {"remarks": remarks} if remarks else {}
    consensus = StoredConsensus(
        corpus, consensus_folder(folder), reports, {**parameters, **told}, metrics.numbers("history")
    )
    if read_manifest(folder) != manifest:
        raise FormatError(Problem("was replaced while it was read, open it again", str(folder)))
    return OpenedShards(consensus, settings.content, metrics)
