"""LearnPlan: all that is decided about a run before its corpus is read, and the run itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from crowdseq.aggregation.contract import (
    Aggregator,
    JointAggregator,
    Keeper,
    Learned,
    RunContext,
    cannot_shard,
    crf_megabytes,
)
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shards import CorpusFacts
from crowdseq.errors import Advice, AnnotationError, SettingsError
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.checkpoints import CHECKPOINT_FILE, START_ANEW, Checkpoint, fingerprint
from crowdseq.workflows.reading import GOLD_ALONE
from crowdseq.workflows.recipes import (
    DEFAULT_RESOURCES,
    Resources,
)
from crowdseq.workflows.run import Run, judged

if TYPE_CHECKING:
    from crowdseq.aggregation.companions import CompanionMaker
    from crowdseq.aggregation.stored import StoredLearned
    from crowdseq.engines.shard_files import StoredCorpus
    from crowdseq.tagging.streams import KnowledgeSource
    from crowdseq.workflows.knowing.knowledge import Knowledge, Names
    from crowdseq.workflows.text_model import TextModel

TARGETS = ("hard", "soft")


@dataclass(frozen=True)
class LearnPlan:
    """All that is decided about a run before its corpus is read; fields as the arguments of `learn`."""

    recipe: Aggregator
    resources: Resources = DEFAULT_RESOURCES
    tagger: bool = True
    targets: str = "hard"
    trainer: CrfTrainer | None = None
    knowledge: "Knowledge | None" = None
    text_model: "TextModel | None" = None

    def __post_init__(self) -> None:
        if self.targets not in TARGETS:
            raise SettingsError(f"targets is '{self.targets}', choose one of {', '.join(TARGETS)}")
        if self.resources.engine != "local" and not self.recipe.can_shard:
            raise cannot_shard(self.recipe)
        if self.knowledge is not None:
            _check_use(self.recipe, self.tagger)
        if self.text_model is not None:
            _check_text_model(self)

    def run(
        self,
        corpus: Corpus,
        *,
        progress: Progress = quiet,
        checkpoints: str | Path | None = None,
        dev: Corpus | None = None,
    ) -> Run:
        """What `learn` gives back."""
        recipe, resources = self.recipe, self.resources
        check_learnable(corpus, recipe)
        _check_dev(dev, corpus, recipe)
        begun = time.perf_counter()
        with self._engine(corpus, progress) as engine:
            context = RunContext(
                progress, engine, None, dev, resources.max_memory, companion=self._companion(checkpoints)
            )
            outcome, known = self._learn_knowing(corpus, context, checkpoints)
        consensus = judged(outcome.consensus, recipe)
        source = {**(known.record if known else {})}
        source |= self.text_model.record if self.text_model else {}
        return Run(consensus, outcome.tagger, recipe, time.perf_counter() - begun, source)

    def _usual_trainer(self) -> CrfTrainer:
        """Cut as the method is, so that a tagger does not hang on where its shards are."""
        return CrfTrainer(shard_tokens=getattr(self.recipe, "shard_tokens", CrfTrainer.shard_tokens))

    @contextmanager
    def _engine(self, corpus: Corpus, progress: Progress) -> Iterator[Engine]:
        """Where sums are made: in this process, unless another engine is asked for or memory is too small."""
        resources = self.resources
        if resources.engine == "local" and resources.max_memory is None:
            yield LocalEngine(resources.threads)
            return
        from crowdseq.engines.choosing import open_engine

        wish = resources.wish(self.megabytes(CorpusFacts.of(corpus)))
        with (
            TemporaryDirectory(prefix="crowdseq-") as folder,
            open_engine(wish, Path(folder), progress) as engine,
        ):
            yield engine

    def megabytes(self, facts: CorpusFacts) -> float:
        """About what the run takes of memory where all of the corpus is in it."""
        alone = self.recipe.megabytes(facts)
        return max(alone, crf_megabytes(facts)) if self.tagger else alone

    def run_stored(
        self,
        stored: "StoredCorpus",
        out: Path,
        *,
        progress: Progress = quiet,
        checkpoints: str | Path | None = None,
        dev: Corpus | None = None,
    ) -> "StoredLearned":
        """The same of a corpus on disk; what is settled is written to the folder `out`."""
        from crowdseq.workflows.sharded.running import learn_stored

        kept = None if checkpoints is None else Path(checkpoints)
        return learn_stored(self, stored, out, progress=progress, checkpoints=kept, dev=dev)

    def _learn_knowing(
        self, corpus: Corpus, context: RunContext, checkpoints: str | Path | None
    ) -> "tuple[Learned, Knowledge | None]":
        """What is learned, and what was known of words."""
        known = self.knowledge
        if known is None or not known.wishes:
            keeper = _keeper(checkpoints, corpus, self, known)
            sources = known.sources if known else ()
            return self._learn(corpus, replace(context, keeper=keeper, knowledge=sources)), known
        return self._learn_with_what_helps(known, corpus, context, checkpoints)

    def _companion(self, checkpoints: str | Path | None) -> "CompanionMaker | None":
        if self.text_model is None or not self.recipe.can_use_companion:
            return None
        return self.text_model.companion(None if checkpoints is None else Path(checkpoints))

    def _learn_with_what_helps(
        self, known: "Knowledge", corpus: Corpus, context: RunContext, checkpoints: str | Path | None
    ) -> "tuple[Learned, Knowledge]":
        """What was wished for is made out of the crowd's text too, and tried; rounds with it are kept."""
        from crowdseq.workflows.knowing.choosing import settle_knowledge

        with using_threads(self.resources.threads):
            made = known.fulfilled(corpus, context.progress)
        keeper = _keeper(checkpoints, corpus, self, made)
        # What takes long is left to the last run: whether vectors help is seen from the CRF alone.
        trial = self
        if self.text_model is not None:
            tagger = self.tagger and not self.recipe.can_use_knowledge
            trial = replace(self, text_model=None, tagger=tagger)

        def learn(sources: "tuple[KnowledgeSource, ...]") -> Learned:
            is_all = sources == made.sources
            kept = keeper if is_all and trial is self else None
            alone = replace(context, companion=None, keeper=kept, knowledge=sources)
            return trial._learn(
                corpus, alone if is_all else replace(alone, progress=_aside(context.progress))
            )

        has_rounds = self.recipe.can_use_knowledge and self.recipe.can_use_dev
        choice = settle_knowledge(made, learn, has_rounds=has_rounds)
        if trial is self:
            return choice.learned, choice.knowledge
        chosen = replace(context, keeper=keeper, knowledge=choice.knowledge.sources)
        return self._learn(corpus, chosen), choice.knowledge

    def _learn(self, corpus: Corpus, context: RunContext) -> Learned:
        learned = self._learn_crf(corpus, context)
        reader, tagger = self.text_model, learned.tagger
        if reader is None or not reader.is_fine_tuned or not isinstance(tagger, Tagger):
            return learned
        is_soft = self.targets == "soft" or isinstance(self.recipe, JointAggregator)
        joined = reader.join(tagger, learned.consensus, context.progress, hard=not is_soft)
        return replace(learned, tagger=joined)

    def _learn_crf(self, corpus: Corpus, context: RunContext) -> Learned:
        if isinstance(self.recipe, JointAggregator) and self.tagger:
            return self.recipe.learn(corpus, context)
        consensus = self.recipe.aggregate(corpus, context)
        if not self.tagger:
            return Learned(consensus, None)
        from crowdseq.workflows.learning.training import train_tagger  # joint methods train their own

        with using_threads(self.resources.threads):
            trainer = (self.trainer or self._usual_trainer()).knowing(context.knowledge)
            return Learned(consensus, train_tagger(consensus, self.targets, trainer, context))


def _aside(progress: Progress) -> Progress:
    """Told apart from the run with vectors, which comes after it."""
    return lambda stage, done, total: progress(f"without word vectors: {stage}", done, total)


def _check_use(recipe: Aggregator, tagger: bool) -> None:
    """Whether anything reads the text that knowledge is about."""
    if recipe.can_use_knowledge or (tagger and not isinstance(recipe, JointAggregator)):
        return
    what = "" if isinstance(recipe, JointAggregator) else " without a tagger"
    raise SettingsError(
        f"method {recipe.name}{what} cannot use lexicons or word vectors, leave them out or take sa-slc"
    )


def check_learnable(corpus: Corpus, recipe: Aggregator) -> None:
    """Whether there is anything to learn from, before time is spent."""
    if len(corpus) == 0:
        raise AnnotationError("there are no sentences to learn from")
    if recipe.name == "gold" and not corpus.has_gold.any():
        raise AnnotationError("no sentence has gold tags, which the method gold learns from")
    if recipe.name != "gold" and corpus.annotations.n_votes == 0:
        raise AnnotationError("no annotator labelled anything;", GOLD_ALONE)


def _keeper(
    checkpoints: str | Path | None, corpus: Corpus, plan: LearnPlan, knowledge: "Knowledge | None"
) -> Keeper | None:
    """Where the rounds of a method that can be resumed are kept."""
    if checkpoints is None:
        return None
    if plan.recipe.can_resume:
        known: object = knowledge.fingerprint if knowledge else None
        if plan.text_model is not None:
            known = (known, plan.text_model.fingerprint)
        memory = plan.resources.max_memory
        return Checkpoint(Path(checkpoints), fingerprint(corpus, plan.recipe, memory, known))
    path = Path(checkpoints) / CHECKPOINT_FILE
    if path.exists():
        raise SettingsError(f"{path} was kept by a run of another method", START_ANEW)
    return None


def _check_text_model(plan: LearnPlan) -> None:
    """Whether the method, or the tagger that follows it, has a use for one."""
    reader, name = plan.text_model, plan.recipe.name
    if reader is None:
        return
    if plan.resources.max_memory is not None:
        raise SettingsError("a language model cannot be held to max_memory, leave one of them out")
    if plan.recipe.can_use_companion or (reader.is_fine_tuned and plan.tagger):
        return
    advice = Advice("take {method}", method="sa-slc")
    if plan.tagger:
        advice = Advice(
            "say {text_model} for its tagger, or take {method}", text_model="transformer", method="sa-slc"
        )
    raise SettingsError(f"method {name} reads no text with the model {reader.kind},", advice)


def _check_dev(dev: Corpus | None, corpus: Corpus, recipe: Aggregator) -> None:
    """Whether rounds can be told apart by it."""
    if dev is None:
        return
    if not recipe.can_use_dev:
        raise SettingsError(f"method {recipe.name} has no rounds to choose from by a dev set")
    if not dev.has_gold.any():
        raise AnnotationError("the dev text has no gold tags, give one that has them to choose a round by")
    if dev.scheme.types and not set(dev.scheme.types) & set(corpus.scheme.types):
        theirs, ours = (", ".join(sorted(scheme.types)[:5]) for scheme in (dev.scheme, corpus.scheme))
        raise AnnotationError(
            f"the dev text shares no label with the crowd (it has {theirs}; the crowd {ours}), give another"
        )


def gather_knowledge(
    lists: "list[tuple[str, Names]]",
    vectors: str | PathLike[str] | None,
    unlabelled: tuple[str, ...],
    seed: int,
) -> "Knowledge | None":
    """What is known of words, where anything was given."""
    if not (lists or vectors is not None or unlabelled):
        return None
    from crowdseq.workflows.knowing.knowledge import gather  # few runs have any

    return gather(lists, vectors, unlabelled, seed)


def choose_text_model(
    kind: str, model: str | PathLike[str] | None, recipe: Aggregator, seed: int
) -> "TextModel | None":
    """What reads the text beside the CRF, where anything is to."""
    if kind == "crf" and model is None:
        return None
    from crowdseq.workflows.text_model import open_text_model  # few runs have any

    return open_text_model(kind, model, int(getattr(recipe, "seed", seed)))
