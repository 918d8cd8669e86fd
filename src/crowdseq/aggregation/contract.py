"""Aggregator, JointAggregator, RunContext and Learned: what every method is given and promises."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from crowdseq.aggregation.settling import settle
from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shards import CorpusFacts
from crowdseq.errors import SettingsError
from crowdseq.evaluation.crowd_profile import SILENCES
from crowdseq.numerics.em import Note, Progress, quiet
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.streams import KnowledgeSource

if TYPE_CHECKING:
    from crowdseq.aggregation.companions import CompanionMaker
    from crowdseq.aggregation.stored import StoredConsensus, StoredLearned
    from crowdseq.engines.shard_files import StoredCorpus


@dataclass(frozen=True)
class Learned:
    """What learning gives back, whatever the method; `tagger` is None when only a consensus was asked for."""

    consensus: Consensus
    tagger: SequenceTagger | None


class Keeper(Protocol):
    """Where a long run keeps its rounds, so that it can go on after an interruption."""

    def load(self) -> Mapping[str, FloatArray] | None:
        """What was kept last, or None."""

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        """Keep this instead of what was kept before."""


@dataclass(frozen=True, eq=False)
class RunContext:
    """All that a run is given beside its data and settings; only the last two and `dev` change results.

    progress: told the stage, and how much of it is done. engine: where sums are made. keeper: where rounds
    are kept. dev: text with gold by which a round is chosen. max_memory: megabytes that a run may take.
    knowledge: what is known of words beyond the corpus. companion: what reads the text beside the CRF. out:
    the folder for what is settled of a corpus on disk. note: told every round and its objective.
    """

    progress: Progress = quiet
    engine: Engine = LocalEngine()
    keeper: Keeper | None = None
    dev: Corpus | None = None
    max_memory: float | None = None
    knowledge: tuple[KnowledgeSource, ...] = ()
    companion: "CompanionMaker | None" = None
    out: Path | None = None
    note: Note | None = None

    @property
    def folder(self) -> Path:
        """Where workers write what is settled."""
        if self.out is None:
            raise SettingsError("a corpus on disk needs a folder for what is settled of it")
        return self.out


class Aggregator(ABC):
    """A recipe, all settings and no state, that turns a corpus into a consensus.

    can_resume, can_use_dev, can_bound_memory: whether the keeper, the dev text and the memory bound of a run
    mean anything to the method; where they do not, giving them is refused before the run. can_use_knowledge:
    the same of what is known of words, can_use_companion of what reads the text beside the CRF.
    can_shard: whether it needs no more of a corpus than sums over its shards. later_settings: those that
    version 0.1.0 did not have, with values under which the method works as it did.
    """

    name: ClassVar[str] = ""
    can_resume: ClassVar[bool] = False
    can_use_dev: ClassVar[bool] = False
    can_bound_memory: ClassVar[bool] = False
    can_shard: ClassVar[bool] = False
    can_use_knowledge: ClassVar[bool] = False
    can_use_companion: ClassVar[bool] = False
    later_settings: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        """The consensus of the crowd; the corpus is not changed."""

    def megabytes(self, facts: CorpusFacts) -> float:
        """About what a run takes at once of a corpus in memory."""
        return 1e-6 * (_BYTES_OF_VOTE * facts.n_votes + _BYTES_OF_LABEL * facts.n_tokens * len(facts.scheme))

    def aggregate_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredConsensus":
        """The same of a corpus on disk; what is settled is written into the context's folder."""
        raise cannot_shard(self, stored, context)

    @property
    def monotone(self) -> bool:
        """Whether the history never falls under these settings."""
        return False

    @property
    def draws(self) -> bool:
        """Whether random numbers decide anything under these settings."""
        return False


class ShardedAggregator(Aggregator):
    """A recipe that needs no more of a corpus than sums over its shards, wherever they are."""

    can_resume = True
    can_bound_memory = True
    can_shard = True

    @abstractmethod
    def settle_crowd(self, corpus: "Corpus | StoredCorpus", context: RunContext) -> Any:
        """The consensus of a corpus in memory, or of one on disk."""

    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        if corpus.n_tokens == 0:
            return settle(corpus, np.zeros((0, len(corpus.scheme))))
        consensus: Consensus = self.settle_crowd(corpus, context)
        return consensus

    def aggregate_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredConsensus":
        if len(stored.shards) == 1:
            from crowdseq.aggregation.stored import store_consensus

            return store_consensus(self.aggregate(stored.open_shard(0), context), stored, context.folder)
        consensus: StoredConsensus = self.settle_crowd(stored, context)
        return consensus


class JointAggregator(Aggregator):
    """A recipe that learns a tagger together with the consensus."""

    def learn_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredLearned":
        """Consensus and tagger at once, of a corpus on disk."""
        raise cannot_shard(self, stored, context)

    def aggregate_stored(self, stored: "StoredCorpus", context: RunContext) -> "StoredConsensus":
        return self.learn_stored(stored, context).consensus

    @abstractmethod
    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        """Consensus and tagger at once."""

    def aggregate(self, corpus: Corpus, context: RunContext = RunContext()) -> Consensus:
        return self.learn(corpus, context).consensus


# Measured at a million tokens: arrays of single votes, and beliefs (T, M) with what is made of them.
_BYTES_OF_VOTE, _BYTES_OF_LABEL, _BYTES_OF_FEATURES = 90, 60, 1600

Method = TypeVar("Method", bound=type[Aggregator])
_METHODS: dict[str, type[Aggregator]] = {}


def method(name: str) -> Callable[[Method], Method]:
    """Register a class under its name on the command line."""

    def register(made: Method) -> Method:
        made.name = name
        _METHODS[name] = made
        return made

    return register


def registered_methods() -> dict[str, type[Aggregator]]:
    """Name to class, for all that were imported so far."""
    return dict(_METHODS)


def store_learned(learned: Learned, stored: "StoredCorpus", context: RunContext) -> "StoredLearned":
    """What was learned in memory of a corpus on disk that is one shard."""
    from crowdseq.aggregation.stored import StoredLearned, store_consensus

    return StoredLearned(store_consensus(learned.consensus, stored, context.folder), learned.tagger)


class Estimating(Protocol):
    """What can tell about how much memory it takes."""

    def megabytes(self, facts: CorpusFacts) -> float: ...


def check_memory(recipe: Estimating, facts: CorpusFacts, context: RunContext, n_shards: int = 1) -> None:
    """Refuse a run that would need more than it may take; elsewhere than in this process shards come one by
    one."""
    needed = recipe.megabytes(facts)
    if not isinstance(context.engine, LocalEngine):
        needed /= max(n_shards, 1)
    if context.max_memory is not None and needed > context.max_memory:
        raise too_little_memory(needed, context.max_memory, "or cut it into smaller shards")


def too_little_memory(needed: float, allowed: float, advice: str) -> SettingsError:
    """What is said of a run that cannot fit."""
    return SettingsError(
        f"this run needs about {needed:,.0f} MB, more than max_memory allows ({allowed:,.0f} MB): "
        f"allow more, {advice}"
    )


def crf_megabytes(facts: CorpusFacts) -> float:
    """About what training a CRF takes at once of a corpus in memory."""
    return 1e-6 * facts.n_tokens * (_BYTES_OF_FEATURES + _BYTES_OF_LABEL * len(facts.scheme))


def cannot_shard(recipe: Aggregator, *_: object) -> SettingsError:
    """What a method says that needs the whole corpus in memory."""
    return SettingsError(
        f"method {recipe.name} needs the whole corpus in memory of one process: run it on files or a single "
        "shard with the engine local and without a bound of memory, or take sa-slc"
    )


def require(condition: bool, message: str) -> None:
    """Refuse a setting; used by the methods' `__post_init__`."""
    if not condition:
        raise SettingsError(message)


def require_rounds(rounds: int, tolerance: float) -> None:
    """Refuse settings under which no round could be made."""
    require(rounds >= 1, f"rounds is {rounds}, it must be at least 1")
    require(tolerance >= 0, f"tolerance is {tolerance}, it cannot be negative")


def require_shard_tokens(shard_tokens: int) -> None:
    """Refuse a size in which no shard could hold a token; used by the methods' `__post_init__`."""
    require(shard_tokens >= 1, f"shard_tokens is {shard_tokens}, it must be at least 1")


def require_silence(silence: str) -> None:
    """Refuse what silence cannot mean."""
    require(silence in SILENCES, f"silence is '{silence}', choose one of {', '.join(SILENCES)}")


def require_prior_counts(**counts: float) -> None:
    """Refuse prior counts, given by name, that would leave a cell without any."""
    for name, value in counts.items():
        require(value > 0, f"{name} is {value}, a prior count must be above 0")


def describe_settings(recipe: Aggregator) -> dict[str, Any]:
    """The settings of a recipe by name, as they go into a run folder."""
    return {name: getattr(recipe, name) for name in getattr(recipe, "__dataclass_fields__", {})}
