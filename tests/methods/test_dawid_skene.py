"""Dawid-Skene: its rounds against plain loops, priors and gold seeds."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import SlowChain, SlowConfusions, votes_by_token
from crowdseq.aggregation.voting import label_shares, shares_of_counts
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.evaluation.kinship import find_kin, vote_weights
from crowdseq.methods.dawid_skene import DawidSkene
from kinship_oracles import drawn_cast


def slow_tokens(recipe: DawidSkene, world: Corpus) -> SlowChain:
    m = len(world.scheme)
    return SlowChain(
        [[token] for token in range(world.n_tokens)],
        votes_by_token(world),
        [0] * world.n_tokens,
        [recipe.smoothing] * m,
        [],
        None,
        False,
        SlowConfusions(recipe.smoothing + recipe.diagonal * np.eye(m), False),
    )


@pytest.mark.parametrize("settings", [{}, {"smoothing": 0.5}, {"smoothing": 0.1, "diagonal": 2.0}])
@pytest.mark.parametrize("seed", range(3))
def test_every_round_equals_plain_loops(settings: dict[str, Any], seed: int) -> None:
    world = random_corpus(seed, sentences=12, annotators=4, accuracy=0.6, unlabelled=0.2)
    slow = slow_tokens(DawidSkene(**settings), world)
    paths = slow.independent_paths(label_shares(world))
    for rounds in range(1, 5):
        paths, objective = slow.round(paths)
        found = DawidSkene(**settings, rounds=rounds, tolerance=0.0).aggregate(world)
        np.testing.assert_allclose(found.probabilities, slow.truth(paths), atol=1e-9)
        assert found.history[-1] == pytest.approx(objective, rel=1e-9)


def test_the_objective_never_falls() -> None:
    for seed in range(20):
        world = random_corpus(seed, sentences=30, accuracy=0.4, unlabelled=0.2)
        history = np.array(DawidSkene(tolerance=0.0, diagonal=0.5).aggregate(world).history)
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_a_careful_minority_beats_a_careless_majority() -> None:
    """Two who agree everywhere are believed against three who guess."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["P", "Q", "R"], 200).tolist()
    rows = [
        f"t{i}/{label}/{label}/{label}/" + "/".join(rng.choice(["P", "Q", "R"], 3).tolist())
        for i, label in enumerate(truth)
    ]
    world = corpus(*rows)
    assert (DawidSkene().aggregate(world).tag_ids == world.gold_tags).all()


def test_gold_is_held_and_teaches() -> None:
    """A lone annotator who swaps two labels is seen through once some gold is known."""
    rows = ["a/P/Q b/Q/P"] * 10
    world = corpus(*rows, "c/?/Q d/?/P")
    assert DawidSkene().aggregate(world).tags[-1] == ("Q", "P")
    seeded = DawidSkene(gold=True).aggregate(world)
    assert seeded.tags[-1] == ("P", "Q")
    np.testing.assert_array_equal(seeded.probabilities[:2], np.eye(2))


def test_trust_before_evidence_settles_a_swap() -> None:
    """Two annotators who contradict each other: without trust in the diagonal either may be the liar."""
    rows = ["a/P/P/Q b/Q/Q/P"] * 3 + ["c/P/P/P d/Q/Q/Q"]
    found = DawidSkene(diagonal=5.0).aggregate(corpus(*rows)).parameters["confusions"]
    assert (found[:, [0, 1], [0, 1]] > 0.5).all()


def test_parameters_are_given_by_name() -> None:
    world = random_corpus(1)
    found = DawidSkene().aggregate(world).parameters
    assert found["confusions"].shape == (len(world.annotators), len(world.scheme), len(world.scheme))
    np.testing.assert_allclose(found["confusions"].sum(axis=-1), 1.0)
    np.testing.assert_allclose(found["class_shares"].sum(), 1.0)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"smoothing": 0.0}, {"diagonal": -1.0}, {"tolerance": -1e-9}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        DawidSkene(**wrong)


def slow_weighted_rounds(
    world: Corpus, weights: FloatArray, rounds: int, smoothing: float
) -> tuple[FloatArray, float]:
    """Plain EM in which a vote of weight w counts w times; the truth, and the objective."""
    votes, n_labels, size = world.annotations.votes(), len(world.scheme), len(world.annotators)
    triples = list(zip(votes.tokens, votes.annotators, votes.labels, weights, strict=True))
    counts = np.zeros((world.n_tokens, n_labels))
    for token, _, label, weight in triples:
        counts[token, label] += weight
    truth, objective = shares_of_counts(counts, counts.sum(axis=0), world.scheme), 0.0
    for _ in range(rounds):
        shares = truth.sum(axis=0) + smoothing
        shares = shares / shares.sum()
        tables = np.full((size, n_labels, n_labels), smoothing)
        for token, who, label, weight in triples:
            tables[who, :, label] += weight * truth[token]
        tables /= tables.sum(axis=2, keepdims=True)
        logs = np.tile(np.log(shares), (world.n_tokens, 1))
        for token, who, label, weight in triples:
            logs[token] += weight * np.log(tables[who, :, label])
        totals = np.log(np.exp(logs).sum(axis=1))
        truth = np.exp(logs - totals[:, None])
        objective = totals.sum() + smoothing * (np.log(tables).sum() + np.log(shares).sum())
    return truth, float(objective)


@pytest.mark.parametrize("shard_tokens", [10**6, 400])
def test_dependent_votes_count_as_plain_loops_weigh_them(shard_tokens: int) -> None:
    copies = {"c2": ("c1", 0.05), "c3": ("c1", 0.05)}
    world = drawn_cast({"c1": 0.6, "g1": 0.8, "g2": 0.85}, copies, sentences=120, seen=0.8)
    kin = find_kin(world)
    assert len(kin) == 3
    weights = vote_weights(world, kin)
    assert weights is not None
    for rounds in (1, 3):
        recipe = DawidSkene(kinship=True, rounds=rounds, tolerance=0.0, shard_tokens=shard_tokens)
        found = recipe.aggregate(world)
        truth, objective = slow_weighted_rounds(world, weights, rounds, recipe.smoothing)
        np.testing.assert_allclose(found.probabilities, truth, atol=1e-8)
        assert found.history[-1] == pytest.approx(objective, rel=1e-8)
