"""What is known of a crowd before anything is learned, from shards that each look at their own votes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from crowdseq.aggregation.canonical import FoldUnits, folds_of_parts
from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Placed, asks_only
from crowdseq.engines.shards import CorpusFacts, add_up
from crowdseq.evaluation.bound_habits import BoundCounts, BoundHabits, can_have_habits
from crowdseq.evaluation.crowd_profile import CrowdProfile, ProfileCounts, without_silence
from crowdseq.evaluation.kinship import Kin, can_have_kin, count_deviations, kin_of
from crowdseq.evaluation.pair_agreements import AgreementCounts

if TYPE_CHECKING:
    from crowdseq.evaluation.shared_deviations import DeviationCounts, Quorum


class CrowdLook:
    """The part of a worker that counts what the votes of its shard tell of the crowd.

    whole: the shard as it was given; heard: with the votes that count.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.whole = self.heard = corpus

    def hear(self, silent: BoolArray | None) -> None:
        """From now on without the silence of these annotators (K,)."""
        self.heard = self.whole if silent is None else without_silence(self.whole, silent)

    @asks_only
    def profile(self) -> ProfileCounts:
        return ProfileCounts.of(self.heard)

    @asks_only
    def agreements(self) -> AgreementCounts:
        return AgreementCounts.of(self.heard)

    @asks_only
    def deviations(self, asked: "Quorum") -> "DeviationCounts":
        return count_deviations(self.heard, asked)

    @asks_only
    def bounds(self) -> BoundCounts:
        return BoundCounts.of(self.heard)

    @asks_only
    def size(self) -> int:
        """How many sentences there are."""
        return len(self.whole)

    @asks_only
    def fold_units(self) -> FoldUnits:
        return FoldUnits.of(self.whole)


def profile_of(placed: Placed[Any]) -> CrowdProfile:
    """What the votes that count tell of the crowd; workers have a `look`."""
    return CrowdProfile.of_counts(add_up(placed.each("look.profile")))


def kin_in(placed: Placed[Any], n_annotators: int) -> tuple[Kin, ...]:
    """Annotators who depend on each other, by the votes that count."""
    if not can_have_kin(n_annotators):
        return ()
    return kin_of(
        add_up(placed.each("look.agreements")), lambda asked: add_up(placed.each("look.deviations", asked))
    )


def habits_in(placed: Placed[Any], n_annotators: int) -> BoundHabits:
    """Who draws wider than others, by the votes that count."""
    if not can_have_habits(n_annotators):
        return BoundHabits(BoundCounts.none())
    return BoundHabits(add_up(placed.each("look.bounds")))


def silent_in(placed: Placed[Any], silence: str, has_outside: bool) -> BoolArray | None:
    """(K,) whose silence is no vote, silence being `labelled`, `abstains` or what the crowd tells."""
    if silence == "labelled":
        return None
    silent = profile_of(placed).silent(silence, has_outside)
    return silent if silent.any() else None


def folds_in(placed: Placed[Any], n_folds: int) -> list[IntArray]:
    """The fold of each sentence of every shard."""
    if n_folds <= 1:
        return [np.zeros(size, np.int64) for size in placed.each("look.size")]
    return folds_of_parts(placed.each("look.fold_units"), n_folds)


def hear_crowd(placed: Placed[Any], facts: CorpusFacts, *, silence: str, kinship: bool) -> None:
    """Tell the shards which votes count."""
    kin = kin_in(placed, len(facts.annotators)) if kinship else ()
    placed.each("hear", silent_in(placed, silence, facts.scheme.outside >= 0), kin)
