"""Runs whose crowd and consensus lie in shards: learned, saved and read without ever being held whole."""

from pathlib import Path

from crowdseq.formats.files import RUN_SHARDS, is_sharded_run

CONSENSUS = "consensus"


def crowd_folder(run: Path) -> Path:
    """Where the shards of the crowd lie."""
    return run / RUN_SHARDS


def consensus_folder(run: Path) -> Path:
    """Where what is settled of each shard lies."""
    return run / CONSENSUS


__all__ = ["CONSENSUS", "consensus_folder", "crowd_folder", "is_sharded_run"]
