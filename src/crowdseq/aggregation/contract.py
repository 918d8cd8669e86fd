"""Aggregator, JointAggregator and Learned: what every method promises; and the register of methods."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.numerics.em import Progress, quiet

if TYPE_CHECKING:  # most methods never meet a tagger
    from crowdseq.tagging.tagger import Tagger


@dataclass(frozen=True)
class Learned:
    """What learning gives back, whatever the method; `tagger` is None when only a consensus was asked for."""

    consensus: Consensus
    tagger: "Tagger | None"


class Aggregator(ABC):
    """A recipe, all settings and no state, that turns a corpus into a consensus."""

    name: ClassVar[str] = ""

    @abstractmethod
    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet) -> Consensus:
        """The consensus of the crowd; the corpus is not changed."""

    @property
    def monotone(self) -> bool:
        """Whether the history never falls under these settings."""
        return False

    @property
    def draws(self) -> bool:
        """Whether random numbers decide anything under these settings."""
        return False


class JointAggregator(Aggregator):
    """A recipe that learns a tagger together with the consensus."""

    @abstractmethod
    def learn(self, corpus: Corpus, *, progress: Progress = quiet) -> Learned:
        """Consensus and tagger at once."""

    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet) -> Consensus:
        return self.learn(corpus, progress=progress).consensus


class Keeper(Protocol):
    """Where a long run keeps what it has reached, so that it can go on after an interruption."""

    def load(self) -> Mapping[str, FloatArray] | None:
        """What was kept last, or None."""

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        """Keep this instead of what was kept before."""


@dataclass(frozen=True)
class Help:
    """What a run may be given beside its corpus: a place to keep rounds, and a dev set to choose one by."""

    keeper: Keeper | None = None
    dev: Corpus | None = None


NO_HELP = Help()


class ResumableAggregator(JointAggregator):
    """A joint recipe whose rounds can be kept and taken up again with the same result."""

    @abstractmethod
    def learn(self, corpus: Corpus, *, progress: Progress = quiet, help: Help = NO_HELP) -> Learned:
        """Consensus and tagger at once; goes on from what the keeper holds, and keeps every round."""

    @abstractmethod
    def aggregate(self, corpus: Corpus, *, progress: Progress = quiet, help: Help = NO_HELP) -> Consensus:
        """The same without the tagger."""


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


def require(condition: bool, message: str) -> None:
    """Refuse a setting; used by the methods' `__post_init__`."""
    if not condition:
        raise SettingsError(message)


def require_climb(rounds: int, tolerance: float) -> None:
    """Refuse settings under which rounds could not be climbed."""
    require(rounds >= 1, f"rounds is {rounds}, it must be at least 1")
    require(tolerance >= 0, f"tolerance is {tolerance}, it cannot be negative")


def require_prior_counts(**counts: float) -> None:
    """Refuse prior counts, given by name, that would leave a cell without any."""
    for name, value in counts.items():
        require(value > 0, f"{name} is {value}, a prior count must be above 0")


def describe_settings(recipe: Aggregator) -> dict[str, Any]:
    """The settings of a recipe by name, as they go into a run folder."""
    return {name: getattr(recipe, name) for name in getattr(recipe, "__dataclass_fields__", {})}
