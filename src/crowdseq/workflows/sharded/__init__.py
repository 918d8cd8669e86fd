"""Runs whose crowd and consensus lie in shards: learned, saved and read without ever being held whole."""

from pathlib import Path

from crowdseq.formats.files import RUN_SHARDS, is_sharded_run
from crowdseq.workflows.runs import METRICS, PARAMETERS, SETTINGS

CONSENSUS, REPORTS = "consensus", "reports.safetensors"
# What a sharded run is opened from, beside its shards.
NEEDED = (SETTINGS, METRICS, PARAMETERS, REPORTS)


def crowd_folder(run: Path) -> Path:
    """Where the shards of the crowd lie."""
    return run / RUN_SHARDS


def consensus_folder(run: Path) -> Path:
    """Where what is settled of each shard lies."""
    return run / CONSENSUS


__all__ = ["CONSENSUS", "NEEDED", "REPORTS", "consensus_folder", "crowd_folder", "is_sharded_run"]
