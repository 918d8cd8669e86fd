"""Which mistakes are common, and named characters for single annotators: who reads how, and who does not."""

import math
from dataclasses import dataclass, fields

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.errors import SettingsError

SHRINK, EXTEND, SHIFT, TYPE, SPLIT, MERGE = range(6)
READS, OUTSIDE, BLIND, HAT = "reads", "outside", "blind", "hat"


@dataclass(frozen=True, kw_only=True)
class ErrorWeights:
    """How common each kind of error is, relative to the others.

    shrink, extend, shift: the right mention with wrong bounds. type: the right bounds with a wrong type.
    split: one mention marked as two. merge: two neighbours marked as one. missed: a mention left unmarked.
    spurious: a mark where there is no mention. The defaults follow what a real crowd did on news text, with
    fewer missed mentions, because recall is set apart.
    """

    shrink: float = 0.12
    extend: float = 0.10
    shift: float = 0.03
    type: float = 0.20
    split: float = 0.03
    merge: float = 0.02
    missed: float = 0.35
    spurious: float = 0.15

    def __post_init__(self) -> None:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            if not (math.isfinite(value) and value >= 0):
                raise SettingsError(f"the weight of {name} errors is {value}, it must be 0 or more")
        if not any(values.values()):
            raise SettingsError("all weights of errors are 0, give at least one kind a weight")

    @property
    def damages(self) -> FloatArray:
        """(6,) weights of the kinds that turn a mention into a wrong mark."""
        return np.array([self.shrink, self.extend, self.shift, self.type, self.split, self.merge])

    def damaged(self, lost: int, wrong: int) -> int:
        """How many of the lost mentions to damage, when so many wrong marks are wanted.

        Missed and spurious give way: what damage leaves open on either side is theirs, so that precision and
        recall can both be kept whatever the weights are.
        """
        damage = float(self.damages.sum())
        if damage == 0:
            return 0
        of_lost = lost * damage / (damage + self.missed)
        of_wrong = wrong * damage / (damage + self.spurious)
        return round(min(of_lost, of_wrong))


USUAL_WEIGHTS = ErrorWeights()


@dataclass(frozen=True, kw_only=True)
class Profile:
    """How one annotator works.

    manner: `reads` the text; leaves all `outside`; marks `blind`, as often and as long as real mentions are,
    but anywhere; draws every tag from a `hat`. The numbers only matter to those who read.
    """

    summary: str
    manner: str = READS
    precision: float = 0.5
    recall: float = 0.5
    consistency: float = 0.8
    slips: float = 0.01
    weights: ErrorWeights = USUAL_WEIGHTS


_BOUNDS = ErrorWeights(
    shrink=0.45, extend=0.40, shift=0.15, type=0.02, split=0.05, merge=0.03, missed=0.10, spurious=0.03
)
_TYPES = ErrorWeights(
    shrink=0.02, extend=0.02, shift=0.0, type=1.0, split=0.0, merge=0.0, missed=0.05, spurious=0.05
)

PROFILES: dict[str, Profile] = {
    "expert": Profile(summary="hardly ever errs", precision=0.96, recall=0.94, consistency=0.95, slips=0.0),
    "careful": Profile(
        summary="errs now and then, in every way", precision=0.86, recall=0.82, consistency=0.9, slips=0.002
    ),
    "sloppy-boundaries": Profile(
        summary="finds the mentions, with a word too many or too few",
        precision=0.45,
        recall=0.42,
        slips=0.1,
        weights=_BOUNDS,
    ),
    "misses-much": Profile(summary="overlooks most, marks the rest well", precision=0.9, recall=0.35),
    "confuses-types": Profile(
        summary="finds the mentions, takes one type for another", precision=0.5, recall=0.48, weights=_TYPES
    ),
    "inconsistent": Profile(
        summary="decides anew each time a mention comes back", precision=0.6, recall=0.55, consistency=0.0
    ),
    "spammer": Profile(summary="marks at random, without reading", manner=BLIND),
    "all-o": Profile(summary="leaves everything unmarked", manner=OUTSIDE),
    "random": Profile(summary="draws the tag of every token from a hat", manner=HAT),
}


def find_profile(name: str) -> Profile:
    """The profile of this name."""
    if name not in PROFILES:
        raise SettingsError(f"profile '{name}' is unknown, choose one of {', '.join(PROFILES)}")
    return PROFILES[name]
