"""Keys of cells on simulated crowds: all that decides a result, and what its row of a table is called."""

from collections.abc import Mapping
from typing import Any, NamedTuple

SIX = ("majority-vote", "dawid-skene", "mace", "sembler", "hmm-crowd", "sa-slc")
FURTHER = ("bsc", "ibcc", "crf-ma")
PAPER_SETTINGS = {"preset": "paper"}

PAPER_PRESET = "sa-slc, paper preset"
FOLLOWED = "sa-slc, then the same CRF"


class Crowd(NamedTuple):
    """A simulated crowd: on which corpus, how many annotators of which mean precision."""

    data: str
    annotators: int
    precision: float


def cell_key(
    crowd: Crowd,
    method: str,
    settings: Mapping[str, Any] | None = None,
    *,
    repeat: int = 0,
    fold: int | None = None,
    sentences: int | None = None,
    followed: bool | None = None,
) -> dict[str, Any]:
    """All that decides a cell.

    fold: the part of train and dev that is read, None for the test part. sentences: only so many are learned
    from and read, which makes a quick cell that is no part of any table. followed: the method's own tagger
    gives way to the CRF that follows the others.
    """
    key = {**crowd._asdict(), "method": method, "settings": dict(settings or {}), "repeat": repeat}
    further = {"fold": fold, "sentences": sentences, "followed": followed}
    return key | {name: value for name, value in further.items() if value is not None}


def row_name(key: Mapping[str, Any]) -> str:
    """What a row of a table is called by: the method, or a variant of ours."""
    if key.get("followed"):
        return FOLLOWED
    return PAPER_PRESET if key["settings"].get("preset") == "paper" else str(key["method"])
