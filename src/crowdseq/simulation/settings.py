"""CrowdSettings: all that decides what a simulated crowd looks like."""

from dataclasses import dataclass
from numbers import Integral

from crowdseq.errors import SettingsError
from crowdseq.simulation.profiles import USUAL_WEIGHTS, ErrorWeights, find_profile


@dataclass(frozen=True, kw_only=True)
class CrowdSettings:
    """A crowd of `annotators` ordinary persons, and of further ones with a profile.

    precision: mean strict span precision of the ordinary annotators (of a plain scheme: token accuracy).
    recall: their mean recall; None ties it to precision: each makes as many marks as there are mentions.
    spread: standard deviation of the annotators' levels, in log-odds; 0 makes all alike.
    weights: how common each kind of error is.
    consistency: how often a mention that comes back in its document is treated as it was before.
    slips: share of marks that open with I- although nothing stands before them.
    per_sentence: how many annotators see each sentence, None for all of them.
    by_document: whether those annotators are chosen for a whole document at a time.
    profiles: names of characters, one further annotator each.
    """

    annotators: int = 5
    precision: float = 0.5
    seed: int = 0
    recall: float | None = None
    spread: float = 0.8
    weights: ErrorWeights = USUAL_WEIGHTS
    consistency: float = 0.8
    slips: float = 0.01
    per_sentence: int | None = None
    by_document: bool = False
    profiles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.profiles, str):
            raise SettingsError(f"profiles is a list of names, write profiles=('{self.profiles}',)")
        object.__setattr__(self, "profiles", tuple(self.profiles))
        for name in self.profiles:
            find_profile(name)
        self._check_levels()
        self._check_sizes()

    @property
    def n_persons(self) -> int:
        return self.annotators + len(self.profiles)

    def _check_levels(self) -> None:
        _require(0 < self.precision < 1, f"precision is {self.precision}, it must be above 0 and below 1")
        if self.recall is not None:
            _require(
                0 < self.recall < 1,
                f"recall is {self.recall}, it must be above 0 and below 1 (not given, it follows precision)",
            )
        _require(0 <= self.spread <= 10, f"spread is {self.spread}, it must lie from 0 to 10")
        _require(0 <= self.consistency <= 1, f"consistency is {self.consistency}, it must lie from 0 to 1")
        _require(0 <= self.slips <= 0.5, f"slips is {self.slips}, it must lie from 0 to 0.5")

    def _check_sizes(self) -> None:
        for name in ("annotators", "seed", "per_sentence"):
            value = getattr(self, name)
            _require(
                value is None or isinstance(value, Integral), f"{name} is {value}, it must be a whole number"
            )
        _require(self.annotators >= 0, f"annotators is {self.annotators}, it must be 0 or more")
        _require(self.n_persons >= 1, "annotators is 0 and there are no profiles, ask for at least 1 person")
        _require(self.seed >= 0, f"seed is {self.seed}, it must be 0 or more")
        if self.per_sentence is not None:
            _require(
                1 <= self.per_sentence <= self.n_persons,
                f"per_sentence is {self.per_sentence}, it must lie from 1 to the {self.n_persons} annotators",
            )


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise SettingsError(message)
