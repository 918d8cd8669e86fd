"""One cell of verdicts: everybody in a drawn cast, how good they are, and what they are told.

The right verdict is fixed before anything is learned, from the F1 against the truth of what somebody
labelled: good from .8 on, drop below .4, watch between.
"""

import subprocess
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import crowdseq
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.span_work import SpanWork
from crowdseq.evaluation.verdicts import DROP, GOOD, LEAST_GOOD, LEAST_WATCH, WATCH
from crowdseq.methods import list_methods
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.recipes import recipe_of
from crowdseq_research.cells.sources import digest_of
from crowdseq_research.zoo.verdict_casts import Cast, draw_cast

METHODS = ("sa-slc", "majority-vote")
DRAWS = 32


def verdict_keys(draws: int = DRAWS, part: str = "judgement") -> list[dict[str, Any]]:
    """A cell for every cast and method."""
    return [
        {"data": part, "draw": draw, "method": method, "settings": {}}
        for draw in range(draws)
        for method in METHODS
    ]


def compute_verdicts(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Everybody in a cast: character, spans and F1 against the truth, verdict and interval."""
    cast = _cast(data, key["data"], key["draw"])
    run = learn(cast.corpus, key["method"], tagger=False, **key["settings"])
    spans, f1 = true_scores(cast.corpus)
    people = [
        {
            "character": cast.characters[report.annotator],
            "spans": int(spans[number]),
            "f1": round(float(f1[number]), 4),
            "verdict": report.verdict,
            **{name: report.evidence.get(name) for name in ("value", "low", "high")},
            "kin": len(report.evidence["kin"]),
        }
        for number, report in enumerate(run.annotators)
    ]
    return {
        "people": people,
        "sentences": len(cast.corpus),
        "version": crowdseq.__version__,
        "sources": verdict_sources(key["method"]),
        "recipe": recipe_of(run.recipe),
        "commit": commit(),
    }


@lru_cache(maxsize=1)
def _cast(data: Path, part: str, draw: int) -> Cast:
    return draw_cast(data, part, draw)


def verdict_sources(method: str) -> str:
    """The digest of a method and of what makes verdicts."""
    return digest_of(list_methods()[method].__module__, "crowdseq.evaluation.verdicts")


def is_old(cell: Mapping[str, Any]) -> bool:
    """Whether other sources than today's computed a cell."""
    return bool(cell.get("sources") != verdict_sources(cell["key"]["method"]))


def true_scores(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """(K,) spans, drawn or there, the larger number; and F1 against gold on all that each one labelled."""
    work = SpanWork.of(corpus, corpus.gold_tags, least_seen=1)
    truth = work.settled.astype(np.float64)
    wanted, drawn = work.wanted(truth), work.n_drawn
    return np.maximum(drawn, wanted), 2.0 * work.hits(truth) / np.maximum(drawn + wanted, 1.0)


def right_verdict(f1: float) -> str:
    """What somebody of this F1 against the truth should be told."""
    return GOOD if f1 >= LEAST_GOOD else DROP if f1 < LEAST_WATCH else WATCH


@cache
def commit() -> str:
    """The version of the sources that is checked out, if they are under version control."""
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
