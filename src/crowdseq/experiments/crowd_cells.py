"""One cell on a simulated crowd: a method learns from it, its tagger reads text that nobody labelled."""

import resource
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import crowdseq
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import evaluate
from crowdseq.experiments.folding import fold_parts
from crowdseq.experiments.splits import load_split
from crowdseq.simulation import simulate
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.comparing import score_tagger
from crowdseq.workflows.learning import Run, learn, train_tagger

SIX = ("majority-vote", "dawid-skene", "mace", "sembler", "hmm-crowd", "sa-slc")
# The CRF behind every method that has none of its own, as in the paper, and the ceiling on gold labels.
FOLLOWER = CrfTrainer(features="rich", chunks="own", max_iterations=100)
_SCORES = ("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1")


def cell_key(
    data: str,
    annotators: int,
    precision: float,
    method: str,
    settings: Mapping[str, Any] | None = None,
    *,
    repeat: int = 0,
    fold: int | None = None,
) -> dict[str, Any]:
    """All that decides a cell; fold: the part of train and dev that is read, None for the test part."""
    key = {
        "data": data,
        "annotators": annotators,
        "precision": precision,
        "method": method,
        "settings": dict(settings or {}),
        "repeat": repeat,
    }
    return key if fold is None else {**key, "fold": fold}


def compute_cell(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores of the tagger and of the consensus, processor time and memory."""
    crowd, unseen = _parts(
        data, key["data"], key["annotators"], key["precision"], key["repeat"], key.get("fold")
    )
    begun = time.process_time()
    run, tagger = _learn(crowd, key["method"], key["settings"])
    seconds = time.process_time() - begun
    truth = evaluate(list(crowd.gold), [run.consensus.tags[place] for place in range(len(crowd))]).as_dict()
    found = score_tagger(tagger, unseen)
    return {
        "tagger": {name: found[name] for name in _SCORES},
        "consensus": {name: truth[name] for name in _SCORES},
        "cpu_seconds": round(seconds, 1),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "version": crowdseq.__version__,
    }


def _learn(crowd: Corpus, method: str, settings: Mapping[str, Any]) -> tuple[Run, Tagger]:
    if method == "gold":
        run = learn(crowd, method, tagger=False)
        return run, train_tagger(run.consensus, "hard", FOLLOWER)
    run = learn(crowd, method, trainer=FOLLOWER, **settings)
    assert run.tagger is not None
    return run, run.tagger


@lru_cache(maxsize=1)
def _parts(
    data: Path, name: str, annotators: int, precision: float, repeat: int, fold: int | None
) -> tuple[Corpus, Corpus]:
    """The crowd to learn from and the text to read; the crowd is the same for every method."""
    split = load_split(data, name)
    learned, unseen = (split.train, split.test) if fold is None else fold_parts(data, name, fold)
    crowd = simulate(learned, annotators=annotators, precision=precision, seed=repeat)
    return crowd, unseen
