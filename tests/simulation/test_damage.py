"""Each kind of error does to a mention what its name says."""

import numpy as np
import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import CHUNK_KINDS
from crowdseq.simulation.annotators import simulate, simulate_crowd
from crowdseq.simulation.damage import choose_kinds
from crowdseq.simulation.profiles import ErrorWeights
from crowdseq.simulation.settings import CrowdSettings
from simulation.outcomes import gold_corpus, kind_counts, only, outcomes


@pytest.fixture(scope="module")
def roomy() -> Corpus:
    """Mentions of three tokens with five others on either side: every error is possible everywhere."""
    return gold_corpus(7, lengths=(3,), gaps=(5,))


def _crowd(gold: Corpus, **weights: float) -> Corpus:
    return simulate(gold, weights=only(**weights), slips=0.0, precision=0.6)


@pytest.mark.parametrize("kind", ["shrink", "extend", "shift", "type"])
@pytest.mark.parametrize("scheme", CHUNK_KINDS)
def test_the_only_error_with_a_weight_is_the_only_one_made(kind: str, scheme: str) -> None:
    gold = gold_corpus(7, lengths=(3,), gaps=(5,), kind=scheme)
    counts = kind_counts(_crowd(gold, **{kind: 1.0}))
    errors = sum(counts.values()) - counts["right"]
    assert counts[kind] > 500
    assert counts[kind] >= 0.98 * errors  # the rest is rounding, one mention for an annotator at most


def test_bounds_are_off_by_one_token_or_two(roomy: Corpus) -> None:
    for kind in ("shrink", "extend"):
        moved = {outcome.told for outcome in outcomes(_crowd(roomy, **{kind: 1.0})) if outcome.kind == kind}
        sign = 1 if kind == "shrink" else -1
        assert moved == {(sign, 0), (2 * sign, 0), (0, -sign), (0, -2 * sign)}
    shifts = {outcome.told for outcome in outcomes(_crowd(roomy, shift=1.0)) if outcome.kind == "shift"}
    assert shifts == {(1, 1), (-1, -1)}


@pytest.mark.parametrize("scheme", CHUNK_KINDS)
def test_a_split_mention_falls_into_two_marks_inside_it(scheme: str) -> None:
    gold = gold_corpus(8, lengths=(3, 4), gaps=(5,), kind=scheme)
    crowd = _crowd(gold, split=1.0)
    pieces = [outcome.told for outcome in outcomes(crowd) if outcome.kind == "split"]
    assert len(pieces) > 200
    assert all(len(pair) == 2 for pair in pieces)
    assert set(kind_counts(crowd)) <= {"right", "split", "missed", "spurious"}


@pytest.mark.parametrize("scheme", CHUNK_KINDS)
def test_a_merged_mark_covers_two_neighbours(scheme: str) -> None:
    gold = gold_corpus(9, lengths=(2,), gaps=(2,), kind=scheme)
    counts = kind_counts(_crowd(gold, merge=1.0))
    assert counts["merge"] > 200
    assert counts["merge"] % 2 == 0
    assert not counts.keys() & {"shrink", "extend", "shift", "type", "split"}


def test_neighbours_too_far_apart_are_never_merged(roomy: Corpus) -> None:
    assert kind_counts(_crowd(roomy, merge=1.0))["merge"] == 0


def test_missed_and_spurious_balance_each_other_when_nothing_is_damaged(roomy: Corpus) -> None:
    counts = kind_counts(_crowd(roomy, missed=1.0, spurious=1.0))
    assert counts.keys() == {"right", "missed", "spurious"}
    assert counts["missed"] == pytest.approx(counts["spurious"], abs=20)


def test_missed_grows_with_its_weight_and_damage_shrinks(roomy: Corpus) -> None:
    def share_missed(missed: float) -> float:
        counts = kind_counts(simulate(roomy, weights=ErrorWeights(missed=missed)))
        return counts["missed"] / (sum(counts.values()) - counts["right"] - counts["spurious"])

    assert share_missed(0.1) < 0.35 < 0.55 < share_missed(1.0)


def test_errors_come_in_the_proportion_of_their_weights(roomy: Corpus) -> None:
    crowd = simulate(
        roomy, annotators=15, weights=only(shrink=3.0, extend=1.0, type=2.0), consistency=0.0, slips=0.0
    )
    counts = kind_counts(crowd)
    total = counts["shrink"] + counts["extend"] + counts["type"]
    shares = [counts[kind] / total for kind in ("shrink", "extend", "type")]
    assert shares == pytest.approx([1 / 2, 1 / 6, 1 / 3], abs=0.03)


def test_an_error_that_a_mention_does_not_allow_is_not_drawn_for_it() -> None:
    allows = np.array([[True, False, False], [True, True, False]])
    draws = np.array([0.2, 0.2, 0.2])
    assert choose_kinds(allows, np.array([1.0, 1.0]), draws).tolist() == [0, 1, -1]


def test_each_annotator_has_types_of_their_own_to_fall_for() -> None:
    gold = gold_corpus(10, types=("A", "B", "C", "D"), sentences=400)
    crowd = simulate(gold, weights=only(type=1.0), consistency=0.0, slips=0.0, annotators=6)
    favoured = []
    for name in crowd.annotators:
        told = [
            outcome.told[0]
            for outcome in outcomes(crowd.keep_annotators([name]))
            if outcome.kind == "type" and outcome.mention[2] == "A"
        ]
        favoured.append(max(set(told), key=told.count))
    assert len(set(favoured)) > 1


def test_weights_are_wishes_and_precision_is_kept_whatever_they_are() -> None:
    gold = gold_corpus(11, types=("GENE",), lengths=(1,))  # no type and no bounds but one way to err
    for weights in (only(type=1.0), only(split=1.0, merge=1.0), only(shrink=1.0), only(missed=1.0)):
        realised = simulate_crowd(gold, CrowdSettings(weights=weights, precision=0.3)).realised
        assert realised.mean_precision == pytest.approx(0.3, abs=0.01)
