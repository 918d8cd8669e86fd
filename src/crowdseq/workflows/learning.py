"""learn: from a crowd to a consensus and a tagger, whatever the method; from files to a run folder too."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.contract import (
    Aggregator,
    JointAggregator,
    Keeper,
    Learned,
    RunContext,
    cannot_shard,
    crf_megabytes,
)
from crowdseq.aggregation.settling import scheme_scores
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shards import CorpusFacts
from crowdseq.errors import Advice, AnnotationError, SettingsError
from crowdseq.formats import ImportReport, read
from crowdseq.formats.files import may_hold_shards
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from crowdseq.workflows.checkpoints import CHECKPOINT_FILE, START_ANEW, Checkpoint, fingerprint
from crowdseq.workflows.reading import CrowdRequest, corpus_of, read_crowd
from crowdseq.workflows.recipes import (
    DEFAULT_RESOURCES,
    RESOURCES,
    Resources,
    check_options,
    make_recipe,
    parse_settings,
)
from crowdseq.workflows.run import Run, judged
from crowdseq.workflows.runs.saving import open_target, run_paths

if TYPE_CHECKING:
    from crowdseq.aggregation.companions import CompanionMaker
    from crowdseq.aggregation.stored import StoredLearned
    from crowdseq.engines.shard_files import StoredCorpus
    from crowdseq.tagging.streams import KnowledgeSource
    from crowdseq.workflows.knowing.knowledge import Knowledge, Names
    from crowdseq.workflows.progress import Wish
    from crowdseq.workflows.text_model import TextModel

TARGETS = ("hard", "soft")


def learn(
    corpus: Corpus | str | PathLike[str] | Iterable[Any] | Any,
    method: str = "sa-slc",
    *,
    seed: int = 0,
    tagger: bool = True,
    targets: str = "hard",
    trainer: CrfTrainer | None = None,
    progress: "Wish" = None,
    checkpoints: str | Path | None = None,
    dev: Corpus | str | PathLike[str] | None = None,
    lexicons: "Mapping[str, Names] | None" = None,
    vectors: str | PathLike[str] | None = None,
    unlabelled: Sequence[str | PathLike[str]] = (),
    text_model: str = "crf",
    model: str | PathLike[str] | None = None,
    **settings: Any,
) -> Run:
    """Consensus, annotator reports and tagger of a crowd.

    corpus: a Corpus, a path or several, a list of records, or a data frame (see `read`,
    `Corpus.from_records`, `Corpus.from_frame`, which know more settings). method: its name; settings are the
    method's own, or `threads`, `max_memory` (megabytes), `engine` (`local` or `ray`), `workers`, `address`.
    tagger: whether to train one. targets: what the CRF that follows a plain method learns from, `hard` tags
    or `soft` posteriors; a joint method trains its own.
    checkpoints: a folder where a method that can be resumed keeps every round, and goes on from there.
    dev: text with gold, not in the corpus, by which such a method chooses its best round. lexicons: by type a
    list of names, or the file of one, which the text is searched for. vectors: a file of word vectors, or
    `auto` for those of an installed package; unlabelled: files of text of the same kind, from which such
    vectors are learned; whether they help is found out first. text_model: what reads the text: the `crf`
    alone, joined by a `network` over the states of a language model, or by the `transformer` itself in the
    tagger too (extra `neural`); model: the folder of that model. progress: True for some plain lines, False
    for none, None for lines in a notebook only; or a function that is called with the stage, how much of it
    is done, and how much there is.

    >>> import crowdseq
    >>> run = crowdseq.learn([
    ...     {"tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"], "bob": ["B-PER", "O"]}},
    ... ], "majority-vote", tagger=False)
    >>> run.consensus.tags[0]
    ('B-PER', 'O')
    """
    from crowdseq.workflows.progress import progress_told

    recipe = make_recipe(method, settings, seed)
    knowledge = _gathered(
        list((lexicons or {}).items()), vectors, tuple(fspath(file) for file in unlabelled), seed
    )
    reader = _text_model(text_model, model, recipe, seed)
    plan = LearnPlan(recipe, Resources.of(settings), tagger, targets, trainer, knowledge, reader)
    crowd, known = corpus_of(corpus), None if dev is None else corpus_of(dev)
    with progress_told(progress) as told:
        return plan.run(crowd, progress=told, checkpoints=checkpoints, dev=known)


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
        with self._engine(corpus) as engine:
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
    def _engine(self, corpus: Corpus) -> Iterator[Engine]:
        """Where sums are made: in this process, unless another engine is asked for or memory is too small."""
        resources = self.resources
        if resources.engine == "local" and resources.max_memory is None:
            yield LocalEngine(resources.threads)
            return
        from crowdseq.engines.choosing import open_engine

        wish = resources.wish(self.megabytes(CorpusFacts.of(corpus)))
        with TemporaryDirectory(prefix="crowdseq-") as folder, open_engine(wish, Path(folder)) as engine:
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


def _gathered(
    lists: "list[tuple[str, Names]]",
    vectors: str | PathLike[str] | None,
    unlabelled: tuple[str, ...],
    seed: int,
) -> "Knowledge | None":
    if not (lists or vectors or unlabelled):
        return None
    from crowdseq.workflows.knowing.knowledge import gather  # few runs have any

    return gather(lists, vectors, unlabelled, seed)


def check_learnable(corpus: Corpus, recipe: Aggregator) -> None:
    """Whether there is anything to learn from, before time is spent."""
    if len(corpus) == 0:
        raise AnnotationError("there are no sentences to learn from")
    if recipe.name == "gold" and not corpus.has_gold.any():
        raise AnnotationError("no sentence has gold tags, which the method gold learns from")
    if recipe.name != "gold" and corpus.annotations.n_votes == 0:
        raise AnnotationError("no annotator labelled anything; to learn from gold tags use the method gold")


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


def _text_model(
    kind: str, model: str | PathLike[str] | None, recipe: Aggregator, seed: int
) -> "TextModel | None":
    if kind == "crf" and model is None:
        return None
    from crowdseq.workflows.text_model import open_text_model  # few runs have any

    return open_text_model(kind, model, int(getattr(recipe, "seed", seed)))


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


def train_tagger(
    consensus: Consensus, targets: str, trainer: CrfTrainer, context: RunContext = RunContext()
) -> SequenceTagger:
    """The CRF on the settled tags of a consensus, or on its posteriors."""
    corpus = consensus.corpus
    context.progress("training the tagger", 0, 1)
    wanted = consensus.tag_ids if targets == "hard" else soft_targets(consensus)
    tagger = trainer.fit(corpus, wanted, engine=context.engine)
    context.progress("training the tagger", 1, 1)
    return tagger


def soft_targets(consensus: Consensus) -> Targets:
    """Posteriors of single tokens made into those of a chain that keeps the rules of the scheme."""
    corpus = consensus.corpus
    scores = np.log(np.maximum(consensus.probabilities, np.finfo(np.float64).tiny))
    chain = marginals(Lattice(scores, corpus.offsets, *scheme_scores(corpus.scheme)))
    return Targets(chain.unary, chain.pairwise)


@dataclass(frozen=True, kw_only=True)
class LearnRequest(CrowdRequest):
    """Crowd files, the method with its settings as typed (`name=value`), and the run folder to write.

    seed, threads, max_memory, engine, workers, address, silence: None where nobody asked for a value; one
    that contradicts a typed setting of the same name is refused. dev: a file with gold by which the best
    round is chosen. resume: go on with an unfinished run. tagger, targets: as `learn` has them. lexicons: as
    typed, `TYPE=FILE`. vectors, unlabelled: as `learn` has them.
    text_model, model: as `learn` has them.
    excel_safe: as `Run.save` has it. command: what was typed, for the recipe of the run.
    """

    out: Path
    method: str = "sa-slc"
    settings: tuple[str, ...] = ()
    seed: int | None = None
    threads: int | None = None
    max_memory: float | None = None
    engine: str | None = None
    workers: int | None = None
    address: str | None = None
    silence: str | None = None
    dev: str | None = None
    resume: bool = False
    tagger: bool = True
    targets: str = "hard"
    lexicons: tuple[str, ...] = ()
    vectors: str | None = None
    unlabelled: tuple[str, ...] = ()
    text_model: str = "crf"
    model: str | None = None
    force: bool = False
    excel_safe: bool = False
    command: str | None = None

    def may_be_sharded(self, plan: LearnPlan) -> bool:
        """Whether the corpus lies in shards, or is to be cut into some before it is learned from."""
        resources = plan.resources
        is_asked = resources.engine != "local" or resources.max_memory is not None
        return is_asked or any(may_hold_shards(Path(name)) for name in self.crowd)

    def settle_piece(self, piece: str) -> tuple[int, ...]:
        """Settle only some shards of a folder of shards (`3/20`: every 20th from the third on), into a piece
        that `merge_pieces` takes; gives their numbers."""
        from crowdseq.workflows.sharded.pieces import learn_piece

        return learn_piece(self, piece)

    def plan(self) -> LearnPlan:
        """What was asked for, checked."""
        settings = self._settings()
        recipe = make_recipe(self.method, settings, self.seed or 0)
        return LearnPlan(
            recipe,
            Resources.of(settings),
            self.tagger,
            self.targets,
            knowledge=self._knowledge(),
            text_model=_text_model(self.text_model, self.model, recipe, self.seed or 0),
        )

    def _knowledge(self) -> "Knowledge | None":
        if not (self.lexicons or self.vectors or self.unlabelled):
            return None
        from crowdseq.workflows.knowing.knowledge import typed_lexicons

        return _gathered(typed_lexicons(self.lexicons), self.vectors, self.unlabelled, self.seed or 0)

    def _settings(self) -> dict[str, Any]:
        """The settings of the method, with those that have an option of their own."""
        typed = parse_settings(self.settings)
        own = {name: getattr(self, name) for name in ("seed", "silence", *RESOURCES)}
        check_options(typed, {name: value for name, value in own.items() if value is not None})
        wanted = {"threads": self.threads or os.cpu_count() or 1} | typed
        extra = {name: own[name] for name in own if name not in ("seed", "threads") and own[name] is not None}
        return wanted | extra


@dataclass(frozen=True)
class SavedRun:
    """A run that lies in its folder: itself, its files by name, and what reading its input found."""

    run: Run
    paths: dict[str, str]
    report: ImportReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """What `learn` prints as JSON."""
        return self.run.metrics | {"paths": self.paths}


def learn_files(request: LearnRequest) -> SavedRun:
    """Learn from crowd files and write a run folder; what can be refused is refused before they are read."""
    with open_target(request.out, force=request.force, resume=request.resume) as target:
        plan = request.plan()
        if request.may_be_sharded(plan):
            from crowdseq.workflows.sharded.learning import ReadCrowd, learn_sharded  # most fit into memory

            found = learn_sharded(request, plan, target)
            if not isinstance(found, ReadCrowd):
                return SavedRun(found[0], run_paths(request.out), found[1])
            corpus, source, report = found
        else:
            corpus, report = read_crowd(request)
            source = {"inputs": report.as_dict()["files"], "selection": asdict(request.reading.selection)}
        with request.listener.progress() as progress:
            dev = read(request.dev).corpus if request.dev else None
            run = plan.run(corpus, progress=progress, checkpoints=target.checkpoints, dev=dev)
        typed = {"command": request.command} if request.command else {}
        run = replace(run, source={**run.source, **source, **typed})
        run.save_at(target, excel_safe=request.excel_safe)
    return SavedRun(run, run_paths(request.out), report)
