"""learn: from a crowd to a consensus and a tagger, whatever the method."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.contract import Aggregator, Help, JointAggregator, Learned, ResumableAggregator
from crowdseq.aggregation.settling import scheme_scores
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from crowdseq.workflows.checkpoints import CHECKPOINT_FILE, Checkpoint, fingerprint
from crowdseq.workflows.recipes import make_recipe
from crowdseq.workflows.run import Run

TARGETS = ("hard", "soft")


def learn(
    corpus: Corpus,
    method: str = "sa-slc",
    *,
    seed: int = 0,
    tagger: bool = True,
    targets: str = "hard",
    trainer: CrfTrainer | None = None,
    progress: Progress = quiet,
    checkpoints: str | Path | None = None,
    dev: Corpus | None = None,
    **settings: Any,
) -> Run:
    """Consensus and tagger of a corpus.

    method: its name; settings are the method's own. tagger: whether to train one. targets: what the CRF that
    follows a plain method learns from, `hard` tags or `soft` posteriors; a joint method trains its own.
    checkpoints: a folder where a method that can be resumed keeps every round, and goes on from there.
    dev: text with gold, not in the corpus, by which such a method chooses its best round.
    """
    if targets not in TARGETS:
        raise SettingsError(f"targets is '{targets}', choose one of {', '.join(TARGETS)}")
    recipe = make_recipe(method, settings, seed)
    check_learnable(corpus, recipe)
    if not isinstance(recipe, ResumableAggregator):
        _check_no_rounds_wanted(method, dev, checkpoints)
    elif dev is not None:
        _check_dev(dev, corpus)
    begun = time.perf_counter()
    if isinstance(recipe, ResumableAggregator):
        keeper = None if checkpoints is None else Checkpoint(Path(checkpoints), fingerprint(corpus, recipe))
        given = Help(keeper, dev)
        if tagger:
            outcome = recipe.learn(corpus, progress=progress, help=given)
        else:
            outcome = Learned(recipe.aggregate(corpus, progress=progress, help=given), None)
    elif isinstance(recipe, JointAggregator) and tagger:
        outcome = recipe.learn(corpus, progress=progress)
    else:
        consensus = recipe.aggregate(corpus, progress=progress)
        follower = trainer or CrfTrainer()
        outcome = Learned(consensus, train_tagger(consensus, targets, follower, progress) if tagger else None)
    return Run(outcome.consensus, outcome.tagger, recipe, time.perf_counter() - begun)


def check_learnable(corpus: Corpus, recipe: Aggregator) -> None:
    """Whether there is anything to learn from, before time is spent."""
    if len(corpus) == 0:
        raise AnnotationError("there are no sentences to learn from")
    if recipe.name == "gold" and not corpus.has_gold.any():
        raise AnnotationError("no sentence has gold tags, which the method gold learns from")
    if recipe.name != "gold" and corpus.annotations.n_votes == 0:
        raise AnnotationError("no annotator labelled anything; to learn from gold tags use the method gold")


def _check_no_rounds_wanted(method: str, dev: Corpus | None, checkpoints: str | Path | None) -> None:
    if dev is not None:
        raise SettingsError(f"method {method} has no rounds to choose from by a dev set")
    kept = None if checkpoints is None else Path(checkpoints) / CHECKPOINT_FILE
    if kept is not None and kept.exists():
        raise SettingsError(f"{kept} was kept by a run of another method, start anew with --force")


def _check_dev(dev: Corpus, corpus: Corpus) -> None:
    """Whether rounds can be told apart by it."""
    if not dev.has_gold.any():
        raise AnnotationError("the dev text has no gold tags, give one that has them to choose a round by")
    if dev.scheme.types and not set(dev.scheme.types) & set(corpus.scheme.types):
        theirs, ours = (", ".join(sorted(scheme.types)[:5]) for scheme in (dev.scheme, corpus.scheme))
        raise AnnotationError(
            f"the dev text shares no label with the crowd (it has {theirs}; the crowd {ours}), give another"
        )


def train_tagger(
    consensus: Consensus, targets: str, trainer: CrfTrainer, progress: Progress = quiet
) -> Tagger:
    """The CRF on the settled tags of a consensus, or on its posteriors."""
    corpus = consensus.corpus
    progress("training the tagger", 0, 1)
    tagger = trainer.fit(corpus, consensus.tag_ids if targets == "hard" else soft_targets(consensus))
    progress("training the tagger", 1, 1)
    return tagger


def soft_targets(consensus: Consensus) -> Targets:
    """Posteriors of single tokens made into those of a chain that keeps the rules of the scheme."""
    corpus = consensus.corpus
    scores = np.log(np.maximum(consensus.probabilities, np.finfo(np.float64).tiny))
    found = marginals(Lattice(scores, corpus.offsets, *scheme_scores(corpus.scheme)))
    return Targets(found.unary, found.pairwise)
