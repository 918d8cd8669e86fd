"""MACE: its rounds against plain loops, restarts, and spammers found."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import SlowChain, SlowSpamming, votes_by_token
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.methods.mace import ESTIMATES, Mace, start_from


def slow_tokens(recipe: Mace, world: Corpus) -> tuple[SlowChain, SlowSpamming]:
    m, k = len(world.scheme), len(world.annotators)
    smooth = recipe.smoothing / m
    vb = recipe.estimate == "vb"
    priors = (recipe.knows, recipe.guesses, recipe.habit) if vb else (smooth, smooth, smooth)
    annotators = SlowSpamming(*priors, vb, k, m)
    chain = SlowChain(
        [[token] for token in range(world.n_tokens)],
        votes_by_token(world),
        [0] * world.n_tokens,
        [1.0] * m,
        [],
        None,
        vb,
        annotators,
        even=True,
    )
    return chain, annotators


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_equals_plain_loops(estimate: str, seed: int) -> None:
    world = random_corpus(seed, sentences=12, annotators=4, accuracy=0.6, unlabelled=0.2)
    recipe, rng = Mace(estimate=estimate), np.random.default_rng(seed)
    knowing = rng.dirichlet([2.0, 2.0], len(world.annotators))
    habits = rng.dirichlet([2.0] * len(world.scheme), len(world.annotators))
    crowd, model = recipe.crowd(world)
    state = start_from(crowd, model, knowing, habits)
    slow, annotators = slow_tokens(recipe, world)
    annotators.given = (knowing, habits)
    paths = slow.independent_paths(crowd.spread(state))
    for _ in range(4):
        paths, objective = slow.round(paths)
        state, found = crowd.step(state)
        np.testing.assert_allclose(crowd.spread(state), slow.truth(paths), atol=1e-9)
        assert found == pytest.approx(objective, rel=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_the_objective_never_falls(estimate: str) -> None:
    for seed in range(8):
        world = random_corpus(seed, sentences=30, accuracy=0.4, unlabelled=0.2)
        history = np.array(Mace(estimate=estimate, restarts=1, seed=seed).aggregate(world).history)
        assert len(history) > 3
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_a_spammer_is_found() -> None:
    """Four annotators know, the fifth says the same label everywhere."""
    rng = np.random.default_rng(1)
    rows = [
        f"t{i}/{label}/{label}/{label}/{label}/{label}/P"
        for i, label in enumerate(rng.choice(list("PQR"), 90))
    ]
    world = corpus(*rows)
    found = Mace(restarts=3).aggregate(world).parameters
    assert found["knowing"][:4].min() > 0.9
    assert found["knowing"][4] < 0.2
    assert found["habits"][4].argmax() == world.scheme.index["P"]


def test_more_restarts_never_end_lower() -> None:
    world = random_corpus(5, sentences=10, accuracy=0.3)
    ends = [Mace(restarts=n).aggregate(world).history[-1] for n in (1, 4, 8)]
    assert ends == sorted(ends)


def test_restarts_differ_and_the_seed_decides() -> None:
    world = random_corpus(6, sentences=6, accuracy=0.2)
    ends = {Mace(restarts=1, rounds=1, seed=seed).aggregate(world).history[-1] for seed in range(4)}
    assert len(ends) == 4


def test_gold_is_held() -> None:
    world = corpus("a/P/Q/Q", "b/Q/Q/Q", "c/P/P/P")
    found = Mace(gold=True, restarts=2).aggregate(world)
    np.testing.assert_array_equal(found.tag_ids, world.gold_tags)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_single_annotator_is_believed_by_the_competence_of_the_prior(estimate: str) -> None:
    world = random_corpus(4, sentences=20, annotators=1, voters=1, accuracy=0.8, kind="plain")
    found = Mace(estimate=estimate, restarts=2, knows=3.0, guesses=1.0).aggregate(world)
    votes = world.annotations.votes()
    np.testing.assert_array_equal(found.tag_ids[votes.tokens], votes.labels)
    np.testing.assert_allclose(found.token_confidence[votes.tokens], 0.75)
    np.testing.assert_allclose(found.parameters["knowing"], 0.75)


def test_an_annotator_who_worked_alone_changes_no_other() -> None:
    """The fourth annotator labelled the last sentence, and nobody else did."""
    shared = ["a/?/P/P/P/?", "b/?/Q/Q/P/?", "c/?/R/R/R/?", "d/?/Q/Q/Q/?"]
    alone, without = corpus(*shared, "e/?/?/?/?/Q"), corpus(*shared)
    found, expected = (Mace(restarts=2, rounds=300).aggregate(world) for world in (alone, without))
    np.testing.assert_allclose(found.probabilities[:4], expected.probabilities, atol=1e-6)
    assert found.tags[4] == ("Q",)
    assert found.parameters["knowing"][3] == 0.5
    assert found.parameters["knowing"][0] > 0.6


def test_gold_judges_a_single_annotator() -> None:
    world = corpus("a/P/P", "b/Q/Q", "c/R/R", "d/P/P", "e/Q/Q", "f/R/R", "g/?/R")
    found = Mace(gold=True, restarts=2).aggregate(world)
    assert found.parameters["knowing"][0] > 0.6
    assert found.tags[6] == ("R",)


@pytest.mark.parametrize(
    "wrong", [{"estimate": "map"}, {"restarts": 0}, {"rounds": 0}, {"habit": 0.0}, {"noise": -1.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Mace(**wrong)
