"""IBCC: its rounds against plain loops, and what beliefs do that points do not."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import SlowChain, SlowConfusions, votes_by_token
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.methods.dawid_skene import DawidSkene
from crowdseq.methods.ibcc import Ibcc


def slow_tokens(recipe: Ibcc, world: Corpus) -> SlowChain:
    """Every token a unit of its own: the starts are then the shares of labels."""
    m = len(world.scheme)
    wrong = recipe.off_diagonal / (m - 1)
    prior = np.full((m, m), wrong) + (recipe.diagonal - wrong) * np.eye(m)
    return SlowChain(
        [[token] for token in range(world.n_tokens)],
        votes_by_token(world),
        [0] * world.n_tokens,
        [recipe.share_prior] * m,
        [],
        None,
        True,
        SlowConfusions(prior, True),
    )


@pytest.mark.parametrize("seed", range(4))
def test_every_round_equals_plain_loops(seed: int) -> None:
    world = random_corpus(seed, sentences=12, annotators=4, accuracy=0.6, unlabelled=0.2)
    slow = slow_tokens(Ibcc(), world)
    paths = slow.independent_paths(label_shares(world))
    for rounds in range(1, 5):
        paths, bound = slow.round(paths)
        found = Ibcc(rounds=rounds, tolerance=0.0).aggregate(world)
        np.testing.assert_allclose(found.probabilities, slow.truth(paths), atol=1e-9)
        assert found.history[-1] == pytest.approx(bound, rel=1e-9)


def test_the_bound_never_falls() -> None:
    for seed in range(20):
        world = random_corpus(seed, sentences=30, accuracy=0.4, unlabelled=0.2)
        history = np.array(Ibcc(tolerance=0.0).aggregate(world).history)
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_little_evidence_weighs_less_than_with_points() -> None:
    """An annotator with one agreeing vote is certain under Dawid-Skene, not under a belief."""
    rows = ["a/P/P/P/? b/Q/Q/Q/?"] * 10
    world = corpus(*rows, "c/P/P/P/P d/Q/?/?/Q")
    belief = Ibcc(off_diagonal=1.0, diagonal=1.0).aggregate(world).token_confidence[-1]
    point = DawidSkene().aggregate(world).token_confidence[-1]
    assert belief < point


def test_gold_is_held_and_teaches() -> None:
    rows = ["a/P/Q b/Q/P"] * 10
    world = corpus(*rows, "c/?/Q d/?/P")
    assert Ibcc().aggregate(world).tags[-1] == ("Q", "P")
    assert Ibcc(gold=True).aggregate(world).tags[-1] == ("P", "Q")


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"off_diagonal": 0.0}, {"diagonal": -1.0}, {"share_prior": 0.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Ibcc(**wrong)
