"""Who depends on whom, told from the votes alone."""

from dataclasses import replace

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation import tetrads
from crowdseq.evaluation.kinship import Kin, find_kin, kin_weights
from crowdseq.evaluation.pair_agreements import Agreements
from crowdseq.evaluation.tetrads import twins
from kinship_oracles import drawn_cast, slow_agreement, slow_expected, slow_weights

FIVE = {"a": 0.9, "b": 0.8, "c": 0.75, "d": 0.7, "e": 0.85}


def _names(corpus: Corpus, kin: tuple[Kin, ...]) -> set[tuple[str, str]]:
    return {(corpus.annotators[pair.first], corpus.annotators[pair.second]) for pair in kin}


@pytest.mark.parametrize("changes", [0.0, 0.06])
@pytest.mark.parametrize("seen", [1.0, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_copies_of_a_poor_annotator_are_found_and_nobody_else(changes: float, seen: float, seed: int) -> None:
    """Three against two good ones: the majority is theirs, their agreement gives them away."""
    world = drawn_cast(
        {"c1": 0.6, "g1": 0.85, "g2": 0.85},
        {"c2": ("c1", changes), "c3": ("c1", changes)},
        seen=seen,
        seed=seed,
    )
    kin = find_kin(world)
    assert _names(world, kin) == {("c1", "c2"), ("c1", "c3"), ("c2", "c3")}
    assert all(pair.agreement > 0.8 > pair.expected and pair.dependence > 0.4 for pair in kin)


def test_two_families_are_told_apart() -> None:
    world = drawn_cast(
        {"c1": 0.7, "d1": 0.6, "g1": 0.8, "g2": 0.75},
        {"c2": ("c1", 0.05), "c3": ("c1", 0.05), "d2": ("d1", 0.05)},
        seed=5,
    )
    assert _names(world, find_kin(world)) == {("c1", "c2"), ("c1", "c3"), ("c2", "c3"), ("d1", "d2")}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "skills",
    [FIVE, dict.fromkeys("abcdef", 0.97), {"g": 0.95, **dict.fromkeys("abcd", 0.55)}],
    ids=["mixed", "all great", "one great"],
)
def test_people_who_label_on_their_own_are_no_kin(skills: dict[str, float], seed: int) -> None:
    assert find_kin(drawn_cast(skills, seed=seed)) == ()


def test_of_three_nothing_is_said() -> None:
    assert find_kin(drawn_cast({"a": 0.7, "b": 0.8}, {"c": ("a", 0.0)})) == ()


def test_copies_that_are_all_but_one_are_not_guessed_at() -> None:
    copies = dict.fromkeys(("b", "c", "d"), ("a", 0.0))
    assert find_kin(drawn_cast({"a": 0.7, "e": 0.8}, copies)) == ()


def test_too_few_spans_say_nothing() -> None:
    assert find_kin(drawn_cast(FIVE, {"f": ("c", 0.0)}, sentences=9)) == ()


def test_nobody_and_nothing() -> None:
    assert find_kin(random_corpus(0, sentences=0)) == ()
    assert find_kin(random_corpus(0, sentences=5, annotators=5, voters=0)) == ()


@pytest.mark.parametrize("copied", [True, False])
def test_plain_tags_are_compared_beyond_chance(copied: bool) -> None:
    world = random_corpus(
        3, sentences=150, annotators=6, voters=6, kind="plain", types=("A", "B", "C", "D"), accuracy=0.7
    )
    tags = world.annotations.tags.copy()
    if copied:
        for place, ballot in enumerate(world.annotations.ballots):
            start = world.annotations.block_offsets[place]
            block = tags[start : start + ballot.tags.size].reshape(ballot.tags.shape)
            block[4] = block[1]
    world = replace(world, annotations=replace(world.annotations, tags=tags))
    assert [pair[:2] for pair in find_kin(world)] == ([(1, 4)] if copied else [])


@pytest.mark.parametrize("unlabelled", [0.0, 0.2])
def test_agreement_is_what_a_slow_count_gives(unlabelled: float) -> None:
    world = random_corpus(4, sentences=60, annotators=6, voters=4, unlabelled=unlabelled)
    agreements = Agreements.of(world)
    for first in range(6):
        for second in range(first):
            value, shared = slow_agreement(world, first, second)
            assert agreements.shared[first, second] == pytest.approx(shared)
            assert agreements.values[first, second] == pytest.approx(value, abs=1.5 / (shared + 1.0))
            lent = agreements.values[first, second] * (shared + 1.0) - value * shared
            assert lent == pytest.approx(agreements.values[0, 0])  # who never met has what is lent alone


def test_what_witnesses_foretell_is_what_a_slow_search_gives() -> None:
    world = drawn_cast({**FIVE, "f": 0.5, "g": 0.6}, {"h": ("b", 0.05)}, seed=2)
    agreements = Agreements.of(world)
    first, second = agreements.candidates()
    nobody = np.zeros(agreements.values.shape, np.bool_)
    expected, _ = tetrads._foretold(agreements, nobody, first, second)
    slow = [slow_expected(agreements, k, m) for k, m in zip(first.tolist(), second.tolist(), strict=True)]
    assert np.isfinite(expected).any()
    np.testing.assert_allclose(expected, slow)


def test_names_and_order_do_not_matter() -> None:
    skills, copies = {"c1": 0.65, **FIVE}, {"c2": ("c1", 0.06), "c3": ("c1", 0.06)}
    world = drawn_cast(skills, copies, sentences=150, seed=3)
    shuffled = world.select(np.random.default_rng(0).permutation(len(world)))
    assert find_kin(shuffled) == find_kin(world)
    order = np.random.default_rng(1).permutation(len(world.annotators)).tolist()
    turned = replace(world, annotations=world.annotations.keep_annotators(order))
    renamed = {(*sorted((order[pair.first], order[pair.second])), *pair[2:]) for pair in find_kin(turned)}
    assert renamed == {tuple(pair) for pair in find_kin(world)}
    assert len(renamed) == 3


def test_weights_are_what_a_slow_sum_gives() -> None:
    world = drawn_cast({"c1": 0.6, **FIVE}, {"c2": ("c1", 0.0)}, sentences=40, seen=0.7, seed=1)
    numbers = {name: number for number, name in enumerate(world.annotators)}
    kin = (
        Kin(numbers["c1"], numbers["c2"], 1.0, 0.4, 1.0),
        Kin(numbers["a"], numbers["c2"], 0.9, 0.4, 0.5),
    )
    weights = kin_weights(world, kin)
    np.testing.assert_allclose(weights, slow_weights(world, kin))
    assert set(np.round(weights, 6)) == {1.0, 0.5, round(1 / 1.5, 6), 0.4}
    assert kin_weights(world, ()).tolist() == [1.0] * len(world.annotations.voters)


def test_a_single_difference_among_many_spans_is_one() -> None:
    line = "Ada/?/B-PER/B-PER slept/?/O/O"
    same, differing = corpus(*[line] * 150), corpus(*[line] * 149, "Ada/?/B-PER/O slept/?/O/O")
    assert Agreements.of(same).are_alike[0, 1]
    assert not Agreements.of(differing).are_alike[0, 1]


def test_twins_with_whom_nobody_has_much_in_common_are_kin() -> None:
    """No witness can tell of them, as nobody else marks what they mark."""
    values = np.array(
        [
            [0.0, 1.0, 0.05, 0.04, 0.06],
            [1.0, 0.0, 0.05, 0.04, 0.06],
            [0.05, 0.05, 0.0, 0.8, 0.7],
            [0.04, 0.04, 0.8, 0.0, 0.75],
            [0.06, 0.06, 0.7, 0.75, 0.0],
        ]
    )
    shared = np.full((5, 5), 150.0)
    np.fill_diagonal(shared, 0.0)
    assert [pair[:2] for pair in twins(Agreements(values, shared, values == 1.0))] == [(0, 1)]
    assert not twins(Agreements(values, shared / 2.0, values == 1.0))
    some_other = values.copy()
    some_other[0, 2] = some_other[2, 0] = 0.6
    assert not twins(Agreements(some_other, shared, values == 1.0))
    differing = values.copy()
    differing[0, 1] = differing[1, 0] = 0.98
    assert not twins(Agreements(differing, shared, differing == 1.0))
    everybody = np.ones((5, 5))
    assert not twins(Agreements(everybody, shared, everybody == 1.0))
