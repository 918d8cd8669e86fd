"""BSC: what is special about it, and its rounds against the listing of every truth sequence."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowd_oracles import (
    SlowAccuracies,
    SlowAnnotators,
    SlowChain,
    SlowConfusions,
    SlowSpamming,
    sentence_units,
    votes_by_token,
)
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.methods.bsc import ANNOTATORS, Bsc

SMALL: dict[str, Any] = {"sentences": 7, "length": 2, "annotators": 3, "types": ("X",), "unlabelled": 0.1}


def slow_annotators(recipe: Bsc, world: Corpus) -> SlowAnnotators:
    """The same model of annotators, in loops."""
    m, k = len(world.scheme), len(world.annotators)
    right, wrong = recipe.cells + recipe.diagonal, recipe.cells * max(m - 1, 1)
    if recipe.annotators == "acc":
        return SlowAccuracies([0] * m, right, wrong, True, k)
    if recipe.annotators == "cv":
        return SlowAccuracies(list(range(m)), right, wrong, True, k)
    if recipe.annotators == "spam":
        return SlowSpamming(right, recipe.cells, recipe.cells, True, k, m)
    prior = recipe.cells + recipe.diagonal * np.eye(m)
    if recipe.annotators == "cm":
        return SlowConfusions(prior, True)
    allowed = np.vstack([world.scheme.allowed, world.scheme.starts[None, :]])
    return SlowConfusions(prior, True, np.where(allowed, 1.0, recipe.slips))


def slow_chain(recipe: Bsc, world: Corpus) -> SlowChain:
    tokens = [word for sentence in world.text.tokens for word in sentence]
    kinds = [word if tokens.count(word) >= recipe.rare_words else "rare" for word in tokens]
    _, words = np.unique(kinds, return_inverse=True)  # all words of these worlds have one shape
    return SlowChain(
        sentence_units(world),
        votes_by_token(world),
        words.tolist(),
        np.where(world.scheme.starts, recipe.transitions, 0.0).tolist(),
        np.where(world.scheme.allowed, recipe.transitions, 0.0).tolist(),
        recipe.word_prior if recipe.words else None,
        True,
        slow_annotators(recipe, world),
    )


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("annotators", ANNOTATORS)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_equals_the_listing_of_all_sequences(annotators: str, words: bool, seed: int) -> None:
    world = random_corpus(seed, **SMALL)
    recipe = Bsc(annotators=annotators, words=words, cells=0.7, diagonal=1.5, slips=0.2, tolerance=0.0)
    slow = slow_chain(recipe, world)
    paths = slow.independent_paths(label_shares(world))
    for rounds in range(1, 4):
        paths, bound = slow.round(paths)
        found = Bsc(**{**vars(recipe), "rounds": rounds}).aggregate(world)
        np.testing.assert_allclose(found.probabilities, slow.truth(paths), atol=1e-9)
        # The first guess lets neighbours break the scheme, which no round after it does.
        assert found.history[-1] == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("annotators", ANNOTATORS)
@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "plain"])
def test_the_bound_never_falls(annotators: str, kind: str) -> None:
    for seed in range(5):
        world = random_corpus(seed, sentences=30, accuracy=0.5, unlabelled=0.1, kind=kind)
        history = np.array(Bsc(annotators=annotators, rounds=30, tolerance=0.0).aggregate(world).history)
        assert len(history) > 3
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_the_vote_before_explains_a_boundary_error() -> None:
    """One annotator always opens spans a token late: with `seq` their I after O is read as what it is."""
    rows = ["a/B-X/B-X/B-X/O b/I-X/I-X/I-X/B-X c/O/O/O/O d/O/O/O/O"] * 12
    world = corpus(*rows, "a/B-X/?/?/O b/I-X/?/?/B-X c/O/?/?/O d/O/?/?/O")
    found = Bsc(annotators="seq", words=False, cells=0.1, diagonal=0.5).aggregate(world)
    assert found.tags[-1][:2] == ("B-X", "I-X")


def test_rare_words_of_one_shape_are_one() -> None:
    """Two names that occur once each learn from other names, not from other rare words."""
    rows = [f"{name}/B-X/B-X/B-X {verb}/O/O/O" for name, verb in zip("ABCDEFGH", "stuvwxyz", strict=True)]
    world = corpus(*rows, "Z/B-X/?/? q/O/?/?")
    assert Bsc(rare_words=2).aggregate(world).tags[-1] == ("B-X", "O")


def test_gold_is_held_and_teaches() -> None:
    """A lone annotator who swaps two labels is seen through once some gold is known."""
    rows = ["a/P/Q b/Q/P"] * 10
    world = corpus(*rows, "c/?/Q d/?/P")
    plain = Bsc(annotators="cm", words=False, cells=0.1, diagonal=0.3).aggregate(world)
    seeded = Bsc(annotators="cm", words=False, cells=0.1, diagonal=0.3, gold=True).aggregate(world)
    assert plain.tags[-1] == ("Q", "P")
    assert seeded.tags[-1] == ("P", "Q")
    np.testing.assert_array_equal(seeded.probabilities[:2], np.eye(2))


def test_gold_that_breaks_the_scheme_is_not_held() -> None:
    world = corpus("a/O/O/O b/I-X/O/O", "a/B-X/O/O b/O/O/O", scheme="IOB2")
    found = Bsc(gold=True).aggregate(world)
    assert np.isfinite(found.probabilities).all()
    assert found.tags[1] == ("B-X", "O")
    assert found.tags[0] == ("O", "O")


def test_parameters_are_given_by_name() -> None:
    world = random_corpus(1)
    m, k = len(world.scheme), len(world.annotators)
    shapes: dict[str, dict[str, tuple[int, ...]]] = {
        "acc": {"accuracies": (k, m)},
        "spam": {"knowing": (k,), "habits": (k, m)},
        "cv": {"accuracies": (k, m)},
        "cm": {"confusions": (k, m, m)},
        "seq": {"confusions": (k, m, m)},
    }
    for annotators, wanted in shapes.items():
        found = Bsc(annotators=annotators).aggregate(world).parameters
        assert {name: found[name].shape for name in wanted} == wanted
        np.testing.assert_allclose(found["transitions"].sum(axis=1), 1.0)
        assert found["word_probabilities"].shape[0] == m


@pytest.mark.parametrize(
    "wrong", [{"annotators": "all"}, {"cells": 0.0}, {"slips": -1.0}, {"rounds": 0}, {"diagonal": -1.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        Bsc(**wrong)
