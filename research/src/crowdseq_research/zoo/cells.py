"""One cell of the zoo: a method on a draw of a crowd; what it settles on and how sure it is of it."""

import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.sources import origin
from crowdseq_research.zoo.crowds import FINAL, QUICK, ZOO, Crowd, find_crowd
from crowdseq_research.zoo.figures import consensus_figures, crowd_digest, likeness, part_scores
from crowdseq_research.zoo.rows import ROWS, known_rows

Key = dict[str, Any]


def zoo_keys(*, quick: bool = False, final: bool = False) -> list[Key]:
    """Every row on every draw of every crowd; quick: some crowds, one draw; final: the crowd that judges.

    Crowd by crowd, so that each is made once.
    """
    crowds: Iterable[Crowd] = FINAL if final else ZOO
    return [
        zoo_key(crowd, draw, row)
        for crowd in crowds
        if not quick or crowd.name in QUICK
        for draw in range(1 if quick else crowd.draws)
        for row in known_rows()
        if crowd.name in QUICK or not ROWS[row].few
    ]


def zoo_key(crowd: Crowd, draw: int, row: str) -> Key:
    """All that decides a cell."""
    method, settings, _ = ROWS[row]
    what = {"data": crowd.name, "kind": crowd.kind, "draw": draw}
    return {**what, "row": row, "method": method, "settings": settings}


def compute_zoo(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores against gold, how many tokens are marked, calibration, and processor time."""
    crowd = _crowd(data, key["data"], key["draw"])
    begun = time.process_time()
    run = learn(crowd, key["method"], tagger=False, **key["settings"])
    seconds = time.process_time() - begun
    return {
        **consensus_figures(run.consensus),
        **part_scores(run.consensus),
        "like_votes": likeness(run.consensus, _votes(data, key["data"], key["draw"])),
        "sentences": len(crowd),
        "crowd": crowd_digest(crowd),
        "cpu_seconds": round(seconds, 1),
        **origin(run.recipe, key["method"]),
    }


@lru_cache(maxsize=1)
def _crowd(data: Path, name: str, draw: int) -> Corpus:
    """The crowd is the same for every method, whatever else is in its process."""
    return find_crowd(name).make(data, draw)


@lru_cache(maxsize=1)
def _votes(data: Path, name: str, draw: int) -> Consensus:
    """Majority vote: of one annotator alone, their own labels made valid."""
    return learn(_crowd(data, name, draw), "majority-vote", tagger=False).consensus
