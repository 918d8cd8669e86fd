"""The settings of SA-SLC, complete and in groups: what a recipe leaves open is filled from its preset."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from crowdseq.aggregation.contract import require
from crowdseq.core.labels import LabelScheme
from crowdseq.evaluation.crowd_profile import SILENCES
from crowdseq.methods.sa_slc.evidence import DEPENDENCIES, SCOPES
from crowdseq.numerics.chains.candidates import MODES
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FeatureSettings, feature_settings
from crowdseq.tagging.streams import KnowledgeSource

# Settings that version 0.1 did not have, with the values under which all is as it was.
AS_IN_0_1: dict[str, Any] = {
    "enough_marks": 0.0,
    "context": "early",
    "silence": "labelled",
    "kinship": False,
    "measured": False,
    "keep_alone": False,
    "bounds": 0.0,
    "calibrate": False,
}

_OF_0_1: dict[str, Any] = {
    **AS_IN_0_1,
    "dependency": "auto",
    "repeat_scope": "document",
    "repeat_tokens": "content",
    "candidates": "off",
    "upper": 1.0,
    "lower": 0.15,
    "smoothing": 100.0,
    "folds": 5,
    "temper": 1.0,
    "correlation": 0.1,
    "deference": 0.5,
    "plausibility": True,
    "coupling": 0.5,
    "surprise": 0.35,
    "start": "majority",
    "rounds": 10,
    "steps": 15,
    "document": True,
    "temperature": 2.0,
    "c2": 2.0,
}

PRESETS: dict[str, dict[str, Any]] = {
    "default": _OF_0_1
    | {
        "enough_marks": 3_500.0,
        "context": "auto",
        "silence": "auto",
        "kinship": True,
        "measured": True,
        "keep_alone": True,
        "bounds": 1.0,
        "start": "auto",
        "temperature": 1.0,
        "calibrate": True,
    },
    "0.1": _OF_0_1,
    "paper": {
        **AS_IN_0_1,
        "dependency": "paper",
        "repeat_scope": "sentence",
        "repeat_tokens": "all",
        "candidates": "paper",
        "upper": 2.0,
        "lower": 1.0,
        "smoothing": 0.0,
        "folds": 1,
        "temper": 1.0,
        "correlation": 0.0,
        "deference": 0.0,
        "plausibility": False,
        "coupling": 0.0,
        "surprise": 0.0,
        "start": "paper",
        "rounds": 10,
        "steps": 30,
        "document": False,
        "temperature": 1.0,
        "c2": 1.0,
    },
}


CONTEXTS = ("auto", "early", "late")
STARTS = ("auto", "majority", "votes", "recall", "judged", "paper")


@dataclass(frozen=True)
class OneOf:
    """A setting that is one of these words."""

    choices: tuple[str, ...]

    def check(self, name: str, value: Any) -> None:
        require(value in self.choices, f"{name} is '{value}', choose one of {', '.join(self.choices)}")


@dataclass(frozen=True)
class AtLeast:
    """A number that may not be smaller."""

    least: float

    def check(self, name: str, value: Any) -> None:
        require(value >= self.least, f"{name} is {value}, it must be at least {self.least}")


@dataclass(frozen=True)
class Above:
    """A number that must be larger."""

    bound: float

    def check(self, name: str, value: Any) -> None:
        require(value > self.bound, f"{name} is {value}, it must be above {self.bound}")


Weight = Annotated[float, AtLeast(0.0)]
Count = Annotated[int, AtLeast(1)]


@dataclass(frozen=True, kw_only=True)
class VoteSettings:
    """What votes say of the truth, and how much they weigh beside the text."""

    dependency: Annotated[str, OneOf(("auto", *DEPENDENCIES))]
    smoothing: Weight
    temper: Weight
    correlation: Weight
    measured: bool
    deference: Weight
    plausibility: bool
    enough_marks: Weight
    context: Annotated[str, OneOf(CONTEXTS)]
    silence: Annotated[str, OneOf(SILENCES)]
    kinship: bool

    def plausible(self, n_marked: int) -> float:
        """How far plausibility counts where so many tokens are marked: a tagger that has seen few cannot tell
        which words look like entities."""
        if self.enough_marks == 0.0:
            return 1.0
        return min(max(n_marked / self.enough_marks - 0.5, 0.0), 1.0)

    def dependency_in(self, scheme: LabelScheme) -> str:
        """The vote before tells where a span goes on; tags without spans have no such thing."""
        if self.dependency != "auto":
            return self.dependency
        return "off" if scheme.is_plain else "local"


@dataclass(frozen=True, kw_only=True)
class MentionSettings:
    """Which tokens are mentions of one word, and how far one mention tells of another."""

    repeat_scope: Annotated[str, OneOf(SCOPES)]
    repeat_match: Annotated[str, OneOf(("exact", "casefold"))]
    repeat_tokens: Annotated[str, OneOf(("content", "all"))]
    coupling: Weight
    surprise: Weight


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    """The CRF over the truth, and the tagger that is trained on the result."""

    features: str | FeatureSettings
    document: bool
    c2: Weight
    folds: Count
    tagger_features: str | FeatureSettings
    tagger_c2: float

    @property
    def trainer(self) -> CrfTrainer:
        """How the CRF of the rounds is trained."""
        return CrfTrainer(
            features=replace(feature_settings(self.features), document=self.document), c2=self.c2
        )

    @property
    def tagger_trainer(self) -> CrfTrainer:
        """How the tagger is trained in the end."""
        return CrfTrainer(features=self.tagger_features, c2=self.tagger_c2)


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Among which labels, from where and how long the truth is looked for, and how sure it is told."""

    candidates: Annotated[str, OneOf(MODES)]
    upper: float
    lower: Weight
    gold: bool
    start: Annotated[str, OneOf(STARTS)]
    seed: int
    rounds: Count
    tolerance: Weight
    steps: Count
    shard_tokens: Count
    temperature: Annotated[float, Above(0)]
    calibrate: bool
    keep_alone: bool
    bounds: Weight

    def settled(self, done: int) -> float:
        """How far a belief is taken to have settled after so many rounds; from half of them on it does."""
        half = self.rounds // 2
        return min(max((done + 1 - half) / max(self.rounds - half - 1, 1), 0.0), 1.0)

    @property
    def first_steps(self) -> int:
        """L-BFGS steps of the first round, which starts from nothing."""
        return 2 * self.steps


Group = TypeVar("Group", VoteSettings, MentionSettings, TextSettings, SearchSettings)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All of them, known to be sound."""

    votes: VoteSettings
    mentions: MentionSettings
    text: TextSettings
    search: SearchSettings

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Settings":
        """From the settings of a recipe by name, none left open; refuses what no run could work with."""
        made = cls(
            votes=_group(VoteSettings, values),
            mentions=_group(MentionSettings, values),
            text=_group(TextSettings, values),
            search=_group(SearchSettings, values),
        )
        upper, lower = made.search.upper, made.search.lower
        require(upper >= lower, f"upper is {upper}, it cannot be below lower, {lower}")
        _ = made.text.trainer, made.text.tagger_trainer  # they check features and penalties
        return made

    def knowing(self, sources: tuple[KnowledgeSource, ...]) -> "Settings":
        """The same, with features from these sources in the rounds and in the tagger."""
        if not sources:
            return self
        tagger = replace(feature_settings(self.text.tagger_features), knowledge=sources)
        text = replace(self.text, tagger_features=tagger)
        seen = tuple(shown for source in sources if (shown := source.in_rounds) is not None)
        if seen:
            text = replace(text, features=replace(feature_settings(self.text.features), knowledge=seen))
        return replace(self, text=text)

    @property
    def is_plain_em(self) -> bool:
        """Whether every part of the objective is what the rounds maximise, so that it never falls."""
        votes, mentions = self.votes, self.mentions
        added = (votes.correlation, votes.deference, votes.smoothing, mentions.coupling, mentions.surprise)
        whole = votes.temper == 1.0 and votes.context == "early" and not votes.plausibility
        return self.text.folds == 1 and whole and not any(added)


def filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a recipe by name, those that are None taken from its preset."""
    preset = values["preset"]
    require(preset in PRESETS, f"preset is '{preset}', choose one of {', '.join(PRESETS)}")
    chosen = PRESETS[preset]
    return {name: chosen.get(name) if value is None else value for name, value in values.items()}


def _group(group: type[Group], values: Mapping[str, Any]) -> Group:
    hints = get_type_hints(group, include_extras=True)
    return group(**{name: _checked(name, values[name], hint) for name, hint in hints.items()})


def _checked(name: str, value: Any, hint: Any) -> Any:
    """A value that passed the checks of its declaration, as the kind of number that it declares."""
    kind, *checks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for check in checks:
        check.check(name, value)
    return kind(value) if kind in (bool, int, float) else value
