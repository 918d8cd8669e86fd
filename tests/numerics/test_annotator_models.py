"""Annotator models: scores are probabilities of votes, and what is learned is what was lived."""

import tracemalloc

import numpy as np
import pytest

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.annotator_models import Accuracies, AnnotatorModel, Spamming
from crowdseq.numerics.crowds.confusions import Confusions
from crowdseq.numerics.crowds.votes import VoteTable

K, M, T = 3, 4, 4000
SKILLS = (0.9, 0.6, 0.3)


def drawn_votes(seed: int) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Tokens, annotators and labels of votes by annotators of known accuracy, and the certain truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, M, T)
    tokens, annotators = np.repeat(np.arange(T), K), np.tile(np.arange(K), T)
    wrong = (truth[tokens] + rng.integers(1, M, T * K)) % M
    right = rng.random(T * K) < np.array(SKILLS)[annotators]
    return tokens, annotators, np.where(right, truth[tokens], wrong), np.eye(M)[truth]


def models(annotators: IntArray, labels: IntArray) -> dict[str, AnnotatorModel]:
    prior = np.full((M, M), 0.01)
    everyone = np.zeros(M, np.int64)
    return {
        "acc": Accuracies(annotators, labels, K, everyone, 0.01, 0.01, False),
        "cv": Accuracies(annotators, labels, K, np.arange(M), 0.01, 0.01, False),
        "cm": Confusions(annotators, labels, K, prior, False),
        "spam": Spamming(annotators, labels, K, M, 0.01, 0.01, 0.01, False),
    }


@pytest.mark.parametrize("name", ["acc", "cv", "cm", "spam"])
def test_scores_of_all_votes_are_probabilities(name: str) -> None:
    tokens, annotators, labels, truth = drawn_votes(0)
    model = models(annotators, labels)[name]
    table = VoteTable.build(tokens, model.kinds, T, model.n_kinds)
    scores = np.exp(model.learn(table.gather(truth)).scores).reshape(K, M, M)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("name", ["acc", "cv", "cm"])
def test_known_accuracies_are_recovered(name: str) -> None:
    tokens, annotators, labels, truth = drawn_votes(1)
    model = models(annotators, labels)[name]
    table = VoteTable.build(tokens, model.kinds, T, model.n_kinds)
    scores = np.exp(model.learn(table.gather(truth)).scores).reshape(K, M, M)
    for annotator, skill in enumerate(SKILLS):
        np.testing.assert_allclose(np.diag(scores[annotator]), skill, atol=0.06)


def test_a_context_has_rows_of_its_own() -> None:
    """The first annotator is right after context 0 and says label 0 after context 1."""
    annotators = np.zeros(8, np.int64)
    contexts = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    truth = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    labels = np.where(contexts == 0, truth, 0)
    prior = np.full((2, 2), 0.01)
    model = Confusions(annotators, labels, 1, prior, False, contexts, np.ones((2, 2)))
    table = VoteTable.build(np.arange(8), model.kinds, 8, model.n_kinds)
    scores = np.exp(model.learn(table.gather(np.eye(2)[truth])).scores)
    assert model.n_kinds == 3  # label 1 never follows context 1, so it has no row
    np.testing.assert_allclose(scores, [[1, 0], [0, 1], [1, 1]], atol=0.01)


def test_only_votes_that_occur_take_room() -> None:
    """A thousand annotators and four hundred labels: a dense table would have 64 billion cells."""
    rng = np.random.default_rng(2)
    annotators, labels = rng.integers(0, 1000, 500), rng.integers(0, 400, 500)
    contexts = rng.integers(0, 401, 500)
    prior = np.full((400, 400), 0.1)
    model = Confusions(annotators, labels, 1000, prior, True, contexts, np.ones((401, 400)))
    assert model.n_kinds <= 500
    judged = model.learn(np.zeros((model.n_kinds, 400)))
    assert judged.scores.shape == (model.n_kinds, 400)
    assert judged.credit == pytest.approx(0.0, abs=1e-6)


def test_tables_are_described_in_twice_their_own_room() -> None:
    """Reports hold a table of the same size for each annotator, so a dense one is in proportion."""
    rng = np.random.default_rng(3)
    annotators, labels = rng.integers(0, 20, 500), rng.integers(0, 401, 500)
    model = Confusions(annotators, labels, 20, np.full((401, 401), 0.1), True)
    judged = model.learn(rng.random((model.n_kinds, 401)))
    tracemalloc.start()
    table = judged.describe()["confusions"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.shape == (20, 401, 401)
    np.testing.assert_allclose(table.sum(axis=-1), 1.0)
    assert peak < 2.2 * table.nbytes


def test_nobody_voting_is_no_trouble() -> None:
    nothing = np.zeros(0, np.int64)
    for model in (
        Accuracies(nothing, nothing, 0, np.arange(M), 1.0, 1.0, True),
        Confusions(nothing, nothing, 0, np.ones((M, M)), True),
        Spamming(nothing, nothing, 0, M, 1.0, 1.0, 1.0, True),
    ):
        judged = model.learn(np.zeros((model.n_kinds, M)))
        assert judged.scores.shape == (0, M)
        assert judged.credit == 0.0
        judged.describe()


@pytest.mark.parametrize("n_labels", [M, 40])
def test_weighted_votes_are_folded_and_gathered_as_a_slow_sum_does(n_labels: int) -> None:
    rng = np.random.default_rng(7)
    tokens, kinds = np.sort(rng.integers(0, 30, 200)), rng.integers(0, 9, 200)
    weights, scores, truth = rng.random(200), rng.random((9, n_labels)), rng.random((30, n_labels))
    table = VoteTable.build(tokens, kinds, 30, 9, weights)
    folded, gathered = np.zeros((30, n_labels)), np.zeros((9, n_labels))
    for token, kind, weight in zip(tokens, kinds, weights, strict=True):
        folded[token] += weight * scores[kind]
        gathered[kind] += weight * truth[token]
    np.testing.assert_allclose(table.fold(scores), folded, atol=1e-12)
    np.testing.assert_allclose(table.gather(truth), gathered, atol=1e-12)


def test_votes_that_all_count_once_give_what_votes_without_weights_give() -> None:
    tokens, annotators, labels, truth = drawn_votes(3)
    model = models(annotators, labels)["cm"]
    plain = VoteTable.build(tokens, model.kinds, T, model.n_kinds)
    weighted = VoteTable.build(tokens, model.kinds, T, model.n_kinds, np.ones(len(tokens)))
    np.testing.assert_array_equal(plain.gather(truth), weighted.gather(truth))
