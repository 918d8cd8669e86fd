"""Learning from a corpus on disk: what `LearnPlan.run_stored` does."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.aggregation.contract import JointAggregator, RunContext
from crowdseq.aggregation.settling import scheme_scores
from crowdseq.aggregation.stored import StoredConsensus, StoredLearned, read_settled
from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.choosing import open_engine
from crowdseq.engines.engine import Engine
from crowdseq.engines.shard_files import StoredCorpus, StoredShard
from crowdseq.errors import SettingsError
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.numerics.em import Progress
from crowdseq.storage.private import remove_tree
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.targets import Targets
from crowdseq.workflows.checkpoints import Checkpoint, stored_fingerprint
from crowdseq.workflows.sharded.steps import told_engine

if TYPE_CHECKING:
    from crowdseq.workflows.learning.plan import LearnPlan


def learn_stored(
    plan: "LearnPlan",
    stored: StoredCorpus,
    out: Path,
    *,
    progress: Progress,
    checkpoints: Path | None,
    dev: Corpus | None,
) -> StoredLearned:
    """Consensus and tagger; what is settled goes to `out`, states of shards beside it for the time."""
    check_stored(plan)
    known = plan.knowledge
    keeper = None
    if checkpoints is not None and plan.recipe.can_resume:
        fingerprint = stored_fingerprint(stored, plan.recipe, None, known.fingerprint if known else None)
        keeper = Checkpoint(checkpoints, fingerprint)
    states = out.with_name(f"{out.name}-states")
    # States are read back as objects: none that this run did not write, and no other user can write any.
    remove_tree(states)
    states.mkdir(mode=0o700, parents=True)
    resources = plan.resources
    try:
        with open_engine(resources.wish(plan.megabytes(stored.facts)), states, progress) as engine:
            teller = RoundTeller(progress, engine, stored.facts.n_tokens)
            sources = known.sources if known else ()
            told = told_engine(engine, progress)
            context = RunContext(
                progress, told, keeper, dev, resources.max_memory, sources, out=out, note=teller
            )
            return _learn(plan, stored, context)
    finally:
        remove_tree(states)


def check_stored(plan: "LearnPlan") -> None:
    """What asks for the whole text in memory is refused."""
    if plan.text_model is not None:
        raise SettingsError("a language model needs the corpus in memory of one process, leave it out")
    if plan.knowledge is not None and plan.knowledge.wishes:
        raise SettingsError("word vectors need the corpus in memory of one process, leave them out")


def _learn(plan: "LearnPlan", stored: StoredCorpus, context: RunContext) -> StoredLearned:
    if isinstance(plan.recipe, JointAggregator) and plan.tagger:
        return plan.recipe.learn_stored(stored, context)
    consensus = plan.recipe.aggregate_stored(stored, context)
    if not plan.tagger:
        return StoredLearned(consensus, None)
    with using_threads(context.engine.threads):
        trainer = (plan.trainer or CrfTrainer()).knowing(context.knowledge)
        return StoredLearned(consensus, train_stored_tagger(consensus, plan.targets, trainer, context))


def train_stored_tagger(
    consensus: StoredConsensus, targets: str, trainer: CrfTrainer, context: RunContext
) -> SequenceTagger:
    """The CRF on the settled tags of a consensus on disk, or on its posteriors."""
    context.progress("training the tagger", 0, 1)
    stored = consensus.corpus
    if len(stored.shards) == 1:
        tagger = trainer.fit(
            *settled_targets(consensus.folder, targets, stored.shards[0]), engine=context.engine
        )
    else:
        wanted = partial(settled_targets, consensus.folder, targets)
        tagger = trainer.fit_stored(
            stored.shards, wanted, stored.facts.scheme, context.engine, context.max_memory
        )
    context.progress("training the tagger", 1, 1)
    return tagger


def settled_targets(folder: Path, targets: str, shard: StoredShard) -> tuple[Corpus, IntArray | Targets]:
    """A shard and what a tagger learns from it: `hard` tags or `soft` posteriors."""
    corpus, settled = shard.corpus, read_settled(folder, shard).arrays
    if targets == "hard":
        return corpus, settled["tag_ids"]
    scores = np.log(np.maximum(settled["probabilities"], np.finfo(np.float64).tiny))
    chain = marginals(Lattice(scores, corpus.offsets, *scheme_scores(corpus.scheme)))
    return corpus, Targets(chain.unary, chain.pairwise)


@dataclass
class RoundTeller:
    """Tells after each round how far it came: objective, speed, workers, and what went between them."""

    progress: Progress
    engine: Engine
    n_tokens: int
    clock: Callable[[], float] = time.perf_counter
    _sent: tuple[int, int] = (0, 0)
    _last: float = field(default=0.0)

    def __post_init__(self) -> None:
        self._last = self.clock()

    def __call__(self, what: str, number: int, objective: float) -> None:
        now = self.clock()
        speed = self.n_tokens / max(now - self._last, 1e-9)
        told = f"{what} {number}: objective {objective:,.1f}, {speed:,.0f} tokens/s"
        traffic = getattr(self.engine, "traffic", None)
        if traffic is not None:
            out, back = traffic.out - self._sent[0], traffic.back - self._sent[1]
            workers = len(getattr(self.engine, "actors", ()))
            told += f", {workers} workers, {out / 1e6:,.1f} MB to them, {back / 1e6:,.1f} MB back"
            told += f", {traffic.replaced} replaced" if traffic.replaced else ""
            self._sent = (traffic.out, traffic.back)
        self._last = now
        self.progress(told, 1, 1)
