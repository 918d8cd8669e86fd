"""One cell on a simulated crowd: a method learns from it, its tagger reads text that nobody labelled."""

import resource
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import evaluate
from crowdseq.simulation import simulate
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.workflows.comparing import score_tagger
from crowdseq.workflows.learning import learn
from crowdseq.workflows.learning.training import train_tagger
from crowdseq.workflows.run import Run
from crowdseq_research.cells.sources import origin
from crowdseq_research.paper.cells.folds import fold_parts
from crowdseq_research.paper.cells.splits import load_split

# The CRF behind every method that has none of its own, as in the paper, and the ceiling on gold labels.
FOLLOWER = CrfTrainer(features="rich", chunks="own", max_iterations=100)
_SCORES = ("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1")


def compute_cell(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores of the tagger and of the consensus, processor time and memory."""
    crowd, unseen = cell_crowd(key, data)
    begun = time.process_time()
    run, tagger = learn_with_tagger(crowd, key["method"], key["settings"], key.get("followed", False))
    seconds = time.process_time() - begun
    return {
        "tagger": tagger_scores(tagger, unseen),
        "consensus": consensus_scores(run.consensus),
        "cpu_seconds": round(seconds, 1),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        **origin(run.recipe, key["method"]),
    }


def tagger_scores(tagger: SequenceTagger, unseen: Corpus) -> dict[str, Any]:
    """Precision, recall and F1, micro and macro, on text with gold."""
    found = score_tagger(tagger, unseen)
    return {name: found[name] for name in _SCORES}


def consensus_scores(consensus: Consensus) -> dict[str, Any]:
    """The same for the consensus, against the gold of the crowd's own text."""
    corpus = consensus.corpus
    found = evaluate(list(corpus.gold), [consensus.tags[place] for place in range(len(corpus))]).as_dict()
    return {name: found[name] for name in _SCORES}


def learn_with_tagger(
    crowd: Corpus, method: str, settings: Mapping[str, Any], followed: bool = False
) -> tuple[Run, SequenceTagger]:
    """What a method learns from a crowd, and its own tagger or the CRF that follows it."""
    if method == "gold" or followed:
        run = learn(crowd, method, tagger=False, **settings)
        return run, train_tagger(run.consensus, "hard", FOLLOWER)
    run = learn(crowd, method, trainer=FOLLOWER, **settings)
    assert run.tagger is not None
    return run, run.tagger


class _CrowdKey(NamedTuple):
    """The part of a cell's key that decides the crowd."""

    name: str
    annotators: int
    precision: float
    repeat: int
    fold: int | None
    sentences: int | None


def cell_crowd(key: Mapping[str, Any], data: Path) -> tuple[Corpus, Corpus]:
    """The crowd to learn from and the text to read; the crowd is the same for every method."""
    crowd = key["data"], key["annotators"], key["precision"], key["repeat"]
    return _parts(data, _CrowdKey(*crowd, key.get("fold"), key.get("sentences")))


@lru_cache(maxsize=1)
def _parts(data: Path, key: _CrowdKey) -> tuple[Corpus, Corpus]:
    if key.fold is None:
        split = load_split(data, key.name)
        learned, unseen = split.train, split.test
    else:
        learned, unseen = fold_parts(data, key.name, key.fold)
    if key.sentences is not None:
        learned, unseen = (first_sentences(part, key.sentences) for part in (learned, unseen))
    crowd = simulate(learned, annotators=key.annotators, precision=key.precision, seed=key.repeat)
    return crowd, unseen


def first_sentences(corpus: Corpus, count: int) -> Corpus:
    """So many from the beginning, or all."""
    return corpus.select(range(min(count, len(corpus))))
