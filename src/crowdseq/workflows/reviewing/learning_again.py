"""learn_again: a new run beside the old one, which knows what reviewers decided."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.contract import Aggregator, JointAggregator, RunContext
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.local import LocalEngine
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.em import Progress, quiet
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.private import private_path, sync_folder
from crowdseq.store.database import copy_database
from crowdseq.store.entries import AUDIT
from crowdseq.store.replaying import SentenceState
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.learning.plan import LearnPlan
from crowdseq.workflows.learning.training import train_tagger
from crowdseq.workflows.recipes import Resources
from crowdseq.workflows.reviewing.changes import Changes, changes_between
from crowdseq.workflows.reviewing.exporting import states_of_run
from crowdseq.workflows.reviewing.laying_over import LaidOver, decided_consensus, lay_over
from crowdseq.workflows.reviewing.progress import FINISH
from crowdseq.workflows.run import Run
from crowdseq.workflows.run_folder import OpenedRun, open_run
from crowdseq.workflows.runs import CHANGES, DECISIONS, GUIDELINE

if TYPE_CHECKING:
    from crowdseq.workflows.knowing.knowledge import Knowledge
    from crowdseq.workflows.text_model import TextModel

_KNOWN = ("lexicons", "vectors", "unlabelled")  # what a run records of what it knew of words
_NUMBERED = re.compile(r"(.+)-([0-9]+)")


@dataclass(frozen=True)
class LearnedAgain:
    """folder: the new run. held: whether the method held the decisions as gold while it learned; else they
    were laid over its result. changes: what is other than before, by mention, and why."""

    folder: Path
    held: bool
    decided_tokens: int
    changes: Changes

    @property
    def note(self) -> str:
        """One line on what became of the decisions."""
        if self.held:
            return f"{self.decided_tokens:,} decided tokens were held while learning"
        return (
            f"the method cannot hold decided labels while it learns: {self.decided_tokens:,} decided tokens "
            "were laid over its result"
        )


def can_hold_gold(recipe: Aggregator) -> bool:
    """Whether a method can keep known labels fixed while it learns."""
    return "gold" in getattr(recipe, "__dataclass_fields__", {})


def learn_again(
    folder: str | Path, *, progress: Progress = quiet, threads: int = 1, out: Path | None = None
) -> LearnedAgain:
    """Learn a run anew with the decisions of its reviewers; the old run and its decisions stay as they are.

    out: the new run folder, by default the next free name such as RUN-2.
    """
    place = Path(folder)
    opened = open_run(place)
    target = next_name(place) if out is None else out
    states = _read_by_people(states_of_run(place, opened.run.consensus))
    old = opened.run.consensus
    laid = lay_over(old.corpus, old.tag_ids, states)
    if not laid.is_decided.any():
        raise AnnotationError("nothing was decided yet, so there is nothing new to learn from")
    again = _learn(opened, laid, states, RunContext(progress, LocalEngine(threads)))
    again = replace(again, source=_source(opened.settings, place, laid))
    again.save(target)
    _copy_decisions(place, target)
    before, _ = decided_consensus(old, states)
    changes = changes_between(before, again.consensus, states)
    with AtomicFile(target / CHANGES, force=True) as file:
        file.write(changes.encode())
    return LearnedAgain(target, can_hold_gold(opened.run.recipe), int(laid.is_decided.sum()), changes)


def _read_by_people(states: Mapping[int, SentenceState]) -> dict[int, SentenceState]:
    """What was accepted unread teaches nothing; what was audited was read."""
    made = {}
    for number, state in states.items():
        kept = tuple(one for one in state.decisions if one.action == AUDIT or one.shown.get("page") != FINISH)
        if kept:
            made[number] = replace(state, entries=kept)
    return made


def _learn(
    opened: OpenedRun, laid: LaidOver, states: Mapping[int, SentenceState], context: RunContext
) -> Run:
    recipe, corpus = opened.run.recipe, opened.run.consensus.corpus
    wants_tagger = opened.run.tagger is not None
    is_held = can_hold_gold(recipe)
    if is_held:
        is_known = bool(getattr(recipe, "gold", False))
        recipe = replace(recipe, gold=True)  # type: ignore[type-var]
        seeded = _seeded(corpus, laid, is_known)
    else:
        seeded = corpus
    is_joint = isinstance(recipe, JointAggregator)
    known, reader = _knowledge(opened), _text_model(opened)
    plan = LearnPlan(
        recipe,
        Resources(context.engine.threads),
        tagger=wants_tagger and is_joint,
        knowledge=known if is_joint else None,
        text_model=reader if is_joint else None,
    )
    made = plan.run(seeded, progress=context.progress)
    consensus, _ = decided_consensus(_on(corpus, made.consensus), states)
    tagger = made.tagger
    if wants_tagger and not is_joint:
        trainer = CrfTrainer().knowing(known.sources if known else ())
        tagger = train_tagger(consensus, "hard", trainer, context)
        if reader is not None and reader.is_fine_tuned and isinstance(tagger, Tagger):
            tagger = reader.join(tagger, consensus, context.progress, hard=True)
    return replace(made, consensus=consensus, tagger=tagger)


def _text_model(opened: OpenedRun) -> "TextModel | None":
    """What read the text of the run beside the CRF: the same language model, if it still lies there."""
    told = opened.settings.get("text_model")
    if not isinstance(told, dict):
        return None
    from crowdseq.workflows.text_model import open_text_model

    found = open_text_model(str(told.get("kind")), told.get("model"), int(told.get("seed", 0)))
    if found is not None and found.fingerprint != told.get("sha256"):
        raise SettingsError(f"the run was learned with another model than {told.get('model')} holds now")
    return found


def _knowledge(opened: OpenedRun) -> "Knowledge | None":
    """What the run knew of words: its tagger holds it."""
    known = {name: opened.settings[name] for name in _KNOWN if name in opened.settings}
    if not known:
        return None
    from crowdseq.workflows.knowing.knowledge import Knowledge, is_used

    if not isinstance(opened.run.tagger, Tagger):
        if not is_used(known):
            return None
        raise SettingsError(
            "the run used lists or vectors and has no tagger that holds them: learn from files again"
        )
    return Knowledge(opened.run.tagger.features.knowledge, known)


def _seeded(corpus: Corpus, laid: LaidOver, keeps_gold: bool) -> Corpus:
    """The crowd with decided tokens as its gold, and its own gold beside them only if it was held before."""
    own = corpus.gold_tags if keeps_gold else np.full_like(corpus.gold_tags, -1)
    gold = np.where(laid.is_decided, laid.tag_ids, own).astype(corpus.gold_tags.dtype)
    counts = np.add.reduceat(np.append(gold >= 0, False), corpus.offsets[:-1]) if len(corpus) else np.zeros(0)
    has_gold = (counts > 0) & (corpus.text.lengths > 0)
    return Corpus(corpus.scheme, corpus.text, corpus.annotations, gold, has_gold)


def _on(corpus: Corpus, consensus: Consensus) -> Consensus:
    """The consensus on the crowd as it was read, with the gold that it came with."""
    return replace(consensus, corpus=corpus)


def _source(settings: Mapping[str, Any], place: Path, laid: LaidOver) -> dict[str, Any]:
    kept = {name: settings[name] for name in ("inputs", "selection", *_KNOWN) if name in settings}
    return kept | {"again": {"of": place.name, "decided_tokens": int(laid.is_decided.sum())}}


def _copy_decisions(old: Path, new: Path) -> None:
    """The decisions for the new run too, whole or not at all."""
    part = private_path(new / DECISIONS)
    try:
        copy_database(old / DECISIONS, part)
        part.replace(new / DECISIONS)
    finally:
        part.unlink(missing_ok=True)
    if (old / GUIDELINE).is_file():
        with AtomicFile(new / GUIDELINE, force=True) as file:
            file.write((old / GUIDELINE).read_bytes())
    sync_folder(new)


def next_name(folder: Path) -> Path:
    """RUN-2 beside RUN, RUN-3 beside RUN-2, or the first after it that is free."""
    absolute = folder.absolute()
    numbered = _NUMBERED.fullmatch(absolute.name)
    stem, number = (numbered[1], int(numbered[2])) if numbered else (absolute.name, 1)
    while True:
        number += 1
        made = folder.with_name(f"{stem}-{number}") if folder.name else absolute.with_name(f"{stem}-{number}")
        if not made.exists():
            return made


@dataclass(frozen=True)
class AgainStatus:
    """How far a background run is. folder, note, changes: once it is done; problem: if it failed."""

    stage: str
    done: int
    total: int
    is_running: bool
    problem: str = ""
    folder: str = ""
    note: str = ""
    changes: int = 0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
