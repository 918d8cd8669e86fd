"""Named characters for single annotators: who reads how, and who does not read at all."""

from dataclasses import dataclass

from crowdseq.errors import SettingsError
from crowdseq.simulation.weights import USUAL_WEIGHTS, ErrorWeights

READS, OUTSIDE, BLIND, HAT = "reads", "outside", "blind", "hat"


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
