"""Persons with a profile behave as their name says."""

from collections import Counter

import numpy as np
import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.simulation.annotators import simulate, simulate_crowd
from crowdseq.simulation.profiles import PROFILES
from crowdseq.simulation.realised import RealisedAnnotator
from crowdseq.simulation.settings import CrowdSettings
from simulation.outcomes import Outcome, gold_corpus, outcomes, plain_corpus, repeated_alike


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return gold_corpus(31, sentences=400, names=8, documents=20, lengths=(1, 2, 3), gaps=(2, 5))


@pytest.fixture(scope="module")
def crowd(gold: Corpus) -> Corpus:
    return simulate(gold, annotators=0, profiles=tuple(PROFILES))


@pytest.fixture(scope="module")
def by_annotator(crowd: Corpus) -> dict[str, list[Outcome]]:
    sorted_out: dict[str, list[Outcome]] = {name: [] for name in crowd.annotators}
    for outcome in outcomes(crowd):
        sorted_out[outcome.annotator].append(outcome)
    return sorted_out


@pytest.fixture(scope="module")
def figures(gold: Corpus) -> dict[str, RealisedAnnotator]:
    made = simulate_crowd(gold, CrowdSettings(annotators=0, profiles=tuple(PROFILES)))
    return {each.annotator: each for each in made.realised.annotators}


def _errors(outcomes_of_one: list[Outcome]) -> Counter[str]:
    return Counter(outcome.kind for outcome in outcomes_of_one if outcome.kind != "right")


def test_every_reader_has_the_precision_and_recall_of_their_profile(
    figures: dict[str, RealisedAnnotator],
) -> None:
    readers = [each for each in figures.values() if each.asked_precision is not None]
    assert len(readers) == 6
    for each in readers:
        assert each.precision == pytest.approx(PROFILES[each.annotator].precision, abs=0.01)
        assert each.recall == pytest.approx(PROFILES[each.annotator].recall, abs=0.02)


def test_an_expert_is_better_than_a_careful_annotator(figures: dict[str, RealisedAnnotator]) -> None:
    expert, careful = figures["expert"], figures["careful"]
    assert (expert.precision or 0) > (careful.precision or 1) > 0.8


def test_sloppy_boundaries_are_most_of_that_annotators_errors(by_annotator: dict[str, list[Outcome]]) -> None:
    errors = _errors(by_annotator["sloppy-boundaries"])
    assert errors["shrink"] + errors["extend"] + errors["shift"] > 0.6 * errors.total()


def test_who_misses_much_marks_the_rest_well(
    by_annotator: dict[str, list[Outcome]], figures: dict[str, RealisedAnnotator]
) -> None:
    assert _errors(by_annotator["misses-much"])["missed"] > 0.5 * figures["misses-much"].mentions
    assert (figures["misses-much"].precision or 0) > 0.85


def test_who_confuses_types_finds_the_bounds(by_annotator: dict[str, list[Outcome]]) -> None:
    errors = _errors(by_annotator["confuses-types"])
    assert errors["type"] > 0.8 * errors.total()


def test_the_inconsistent_annotator_decides_anew(crowd: Corpus) -> None:
    fickle = repeated_alike(crowd.keep_annotators(["inconsistent"]))
    faithful = repeated_alike(crowd.keep_annotators(["confuses-types"]))
    assert fickle < 0.4 < 0.7 < faithful


def test_a_spammer_marks_as_much_as_anyone_and_hits_nothing(figures: dict[str, RealisedAnnotator]) -> None:
    spammer = figures["spammer"]
    assert spammer.marks > 0.9 * spammer.mentions
    assert (spammer.precision or 0) < 0.1


def test_all_o_marks_nothing(crowd: Corpus, figures: dict[str, RealisedAnnotator]) -> None:
    tags = crowd.keep_annotators(["all-o"]).annotations.tags
    assert set(tags.tolist()) == {crowd.scheme.outside}
    assert figures["all-o"].precision is None
    assert figures["all-o"].recall == 0


def test_random_uses_every_tag_alike_and_breaks_the_rules(crowd: Corpus) -> None:
    ballots = crowd.keep_annotators(["random"]).annotations
    counts = np.bincount(ballots.tags, minlength=len(crowd.scheme))
    assert counts.min() > 0.8 * counts.mean()
    valid = [crowd.scheme.is_valid(ballot.tags[0]) for ballot in ballots.ballots]
    assert np.mean(valid) < 0.2


def test_two_persons_of_one_profile_are_not_copies(gold: Corpus) -> None:
    crowd = simulate(gold, annotators=0, profiles=("inconsistent", "inconsistent"))
    first, second = (crowd.keep_annotators([name]).annotations.tags for name in crowd.annotators)
    assert np.mean(first == second) < 0.9


def test_profiles_do_not_count_for_the_promise_of_precision(gold: Corpus) -> None:
    made = simulate_crowd(gold, CrowdSettings(precision=0.3, profiles=("expert", "all-o")))
    assert made.realised.mean_precision == pytest.approx(0.3, abs=0.01)
    assert made.realised.on_target
    assert simulate_crowd(gold, CrowdSettings(annotators=0, profiles=("expert",))).realised.on_target


@pytest.mark.parametrize("kind", ["IO", "BIOES"])
def test_profiles_work_in_other_schemes(kind: str) -> None:
    made = simulate_crowd(
        gold_corpus(32, kind=kind), CrowdSettings(annotators=0, profiles=("expert", "spammer", "random"))
    )
    expert, _, spammer = made.realised.annotators
    assert expert.precision == pytest.approx(0.96, abs=0.01)
    assert (spammer.precision or 0) < 0.1


def test_profiles_work_on_plain_tags() -> None:
    gold_tags = plain_corpus(4)
    made = simulate_crowd(gold_tags, CrowdSettings(annotators=0, profiles=tuple(PROFILES)))
    accuracy = {each.annotator: each.precision for each in made.realised.annotators}
    assert accuracy["expert"] == pytest.approx(0.96, abs=0.01)
    shares = np.bincount(gold_tags.gold_tags) / gold_tags.n_tokens
    assert accuracy["all-o"] == pytest.approx(shares.max())
    assert accuracy["spammer"] == pytest.approx(float((shares**2).sum()), abs=0.06)
    assert accuracy["random"] == pytest.approx(1 / 5, abs=0.06)
