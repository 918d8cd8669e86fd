"""simulate: a made-up crowd out of a file with gold tags."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowdseq.formats import write
from crowdseq.simulation import CrowdSettings, Simulated, simulate_crowd
from crowdseq.workflows.reading import CrowdRequest, read_crowd


@dataclass(frozen=True, kw_only=True)
class SimulateRequest(CrowdRequest):
    """Gold files, the crowd to make of them, and where it goes; target: its format, told by the name if None.

    settings: as `CrowdSettings` has them; what is None there has its default.
    """

    out: str
    settings: Mapping[str, Any]
    target: str | None = None
    force: bool = False


def simulate_files(request: SimulateRequest) -> Simulated:
    """Make up a crowd and write it."""
    chosen = {name: value for name, value in request.settings.items() if value is not None}
    settings = CrowdSettings(**chosen)
    corpus, _ = read_crowd(request, is_gold=True)
    made = simulate_crowd(corpus, settings)
    write(made.corpus, request.out, request.target, force=request.force)
    return made
