"""Sembler: one joint round against the listing of every truth sequence, and what is special about it."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import votes_by_token
from crowdseq.engines.local import LocalEngine
from crowdseq.errors import SettingsError
from crowdseq.methods.sembler import Sembler, _Joint
from shard_worlds import as_it_stands, only_worker


@pytest.mark.parametrize("candidates", ["voted", "off"])
@pytest.mark.parametrize("seed", range(4))
def test_the_expected_truth_equals_the_listing_of_all_sequences(candidates: str, seed: int) -> None:
    world = random_corpus(seed, sentences=6, length=2, annotators=3, types=("X",), unlabelled=0.1)
    recipe = Sembler(candidates=candidates, features="basic", iterations=4)
    joint = _Joint.of(recipe, as_it_stands(world), LocalEngine())
    shard = only_worker(joint.placed)
    state, objective = joint.step(joint.step(joint.start())[0])
    assert state.judgement is not None
    confusions = state.judgement.describe()["confusions"]
    emissions, steps = (
        shard.crf.problem.emissions(state.weights),
        shard.crf.problem.transitions(state.weights),
    )
    (expected,) = joint.placed.each("truth", state.version.number)
    votes, scheme, likelihood = votes_by_token(world), world.scheme, 0.0
    for start, stop in pairwise(world.offsets.tolist()):
        free, clamped, truth = 0.0, 0.0, np.zeros((stop - start, len(scheme)))
        for path in product(range(len(scheme)), repeat=stop - start):
            if not scheme.is_valid(np.array(path, np.int16)):
                continue
            score = sum(emissions[start + t, label] for t, label in enumerate(path))
            weight = float(np.exp(score + sum(steps[a, b] for a, b in pairwise(path))))
            free += weight
            for t, label in enumerate(path):
                weight *= float(np.isfinite(shard.barred[start + t, label]))
                for vote in votes[start + t]:
                    weight *= confusions[vote.annotator, label, vote.given]
            clamped += weight
            truth[range(len(path)), path] += weight
        likelihood += float(np.log(clamped / free))
        np.testing.assert_allclose(expected[start:stop], truth / clamped, atol=1e-9)
    penalty = joint.c2 * float(state.weights @ state.weights)
    assert objective == pytest.approx(likelihood - penalty + state.judgement.credit, rel=1e-9)


@pytest.mark.parametrize("settings", [{}, {"candidates": "off"}, {"features": "basic", "c2": 0.1}])
def test_the_objective_never_falls(settings: dict[str, Any]) -> None:
    world = random_corpus(3, sentences=40, accuracy=0.6, unlabelled=0.1)
    history = np.array(Sembler(**settings, rounds=12, iterations=5, tolerance=0.0).aggregate(world).history)
    assert len(history) == 12
    assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_words_decide_where_votes_do_not() -> None:
    rows = ["Ada/B-X/B-X/B-X slept/O/O/O"] * 8
    world = corpus(*rows, "Ada/B-X/B-X/O slept/O/O/O", "Ada/B-X/?/? slept/O/?/?")
    learned = Sembler().learn(world)
    assert learned.consensus.tags[-1] == ("B-X", "O")
    assert learned.tagger is not None
    assert learned.tagger.tag(["Ada", "slept"]) == ("B-X", "O")


def test_a_token_keeps_to_its_candidates() -> None:
    world = random_corpus(2, sentences=20, accuracy=0.5, kind="plain", types=("P", "Q", "R", "S"))
    found = Sembler().aggregate(world)
    for token, votes in votes_by_token(world).items():
        given = {vote.given for vote in votes}
        assert set(np.flatnonzero(found.probabilities[token] > 0).tolist()) <= given


def test_gold_is_held_even_against_all_votes() -> None:
    world = corpus("a/B-X/O/O b/O/O/O", "c/O/O/O")
    found = Sembler(gold=True).aggregate(world)
    assert found.tags[0] == ("B-X", "O")
    assert found.probabilities[0, world.scheme.index["B-X"]] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"iterations": 0}, {"smoothing": 0.0}, {"candidates": "all"}, {"c2": -1.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Sembler(**wrong)
