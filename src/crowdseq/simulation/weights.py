"""ErrorWeights: which mistakes are common, and how many mentions they damage rather than drop."""

import math
from dataclasses import dataclass, fields

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.errors import SettingsError

SHRINK, EXTEND, SHIFT, TYPE, SPLIT, MERGE = range(6)


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
