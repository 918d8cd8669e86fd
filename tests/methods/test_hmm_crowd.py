"""HMM-Crowd: what is special about it, and its rounds against the listing of every truth sequence."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import (
    SlowAccuracies,
    SlowAnnotators,
    SlowChain,
    SlowConfusions,
    sentence_units,
    votes_by_token,
)
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.methods.dawid_skene import DawidSkene
from crowdseq.methods.hmm_crowd import ANNOTATORS, HmmCrowd

SMALL: dict[str, Any] = {"sentences": 7, "length": 2, "annotators": 3, "types": ("X",), "unlabelled": 0.1}


def slow_annotators(recipe: HmmCrowd, world: Corpus) -> SlowAnnotators:
    m, k, s = len(world.scheme), len(world.annotators), recipe.smoothing
    if recipe.annotators == "full":
        return SlowConfusions(np.full((m, m), s), False)
    classes = [0 if label == world.scheme.outside else 1 for label in range(m)]
    return SlowAccuracies(classes, s, s, False, k)


def slow_chain(recipe: HmmCrowd, world: Corpus) -> SlowChain:
    _, words = np.unique(world.text.token_ids, return_inverse=True)
    m, prior = len(world.scheme), recipe.transition_prior
    return SlowChain(
        sentence_units(world),
        votes_by_token(world),
        words.tolist(),
        [prior] * m,
        [[prior] * m for _ in range(m)],
        recipe.word_prior if recipe.words else None,
        True,
        slow_annotators(recipe, world),
    )


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("annotators", ANNOTATORS)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_equals_the_listing_of_all_sequences(annotators: str, words: bool, seed: int) -> None:
    world = random_corpus(seed, **SMALL)
    settings: dict[str, Any] = {"annotators": annotators, "words": words, "start_rounds": 0, "tolerance": 0.0}
    slow = slow_chain(HmmCrowd(**settings), world)
    paths = slow.independent_paths(label_shares(world))
    for rounds in range(1, 4):
        paths, bound = slow.round(paths)
        found = HmmCrowd(**settings, rounds=rounds).aggregate(world)
        np.testing.assert_allclose(found.probabilities, slow.truth(paths), atol=1e-9)
        assert found.history[-1] == pytest.approx(bound, rel=1e-9)


def test_it_starts_from_rounds_of_dawid_skene() -> None:
    world = random_corpus(4, **SMALL)
    first = DawidSkene(rounds=5, tolerance=0.0).aggregate(world).probabilities
    slow = slow_chain(HmmCrowd(), world)
    paths, _ = slow.round(slow.independent_paths(first))
    np.testing.assert_allclose(
        HmmCrowd(rounds=1).aggregate(world).probabilities, slow.truth(paths), atol=1e-9
    )


@pytest.mark.parametrize("annotators", ANNOTATORS)
def test_the_bound_never_falls(annotators: str) -> None:
    for seed in range(5):
        world = random_corpus(seed, sentences=30, accuracy=0.5, unlabelled=0.1)
        history = np.array(HmmCrowd(annotators=annotators, rounds=30, tolerance=0.0).aggregate(world).history)
        assert len(history) > 3
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_words_decide_where_votes_do_not() -> None:
    rows = ["Ada/B-X/B-X/B-X slept/O/O/O"] * 8
    world = corpus(*rows, "Ada/B-X/B-X/O slept/O/O/O", "Ada/B-X/?/? slept/O/?/?")
    assert HmmCrowd().aggregate(world).tags[-1] == ("B-X", "O")


def test_cv2_tells_apart_missing_and_inventing() -> None:
    """The lazy annotator says O everywhere: right where the truth is O, wrong elsewhere."""
    rows = ["a/B-X/B-X/B-X/O b/O/O/O/O c/O/O/O/O"] * 15
    world = corpus(*rows)
    accuracies = HmmCrowd(rounds=3).aggregate(world).parameters["accuracies"]
    assert accuracies.shape == (3, 3)
    assert accuracies[2, 0] > 0.95
    assert accuracies[2, 1] < 0.05
    assert accuracies[0].min() > 0.95


def test_gold_is_held() -> None:
    world = corpus("a/B-X/O/O b/O/O/O", "c/O/O/O")
    found = HmmCrowd(gold=True).aggregate(world)
    assert found.tags[0] == ("B-X", "O")
    assert found.probabilities[0, world.scheme.index["B-X"]] == 1.0


@pytest.mark.parametrize(
    "wrong", [{"annotators": "cv3"}, {"rounds": 0}, {"start_rounds": -1}, {"word_prior": 0.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        HmmCrowd(**wrong)
