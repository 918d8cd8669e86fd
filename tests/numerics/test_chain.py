"""Chain sums against the listing of every path."""

from dataclasses import replace

import numpy as np
import pytest

from crowdseq.errors import SettingsError
from crowdseq.numerics import compiling
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains import chain
from crowdseq.numerics.chains.chain import Lattice
from oracles import list_sentence, path_score

WORLDS = 1_200


def random_lattice(seed: int) -> Lattice:
    """A few short sentences, 1 to 4 labels, scores from tame to wild, some of them forbidden."""
    rng = np.random.default_rng(seed)
    n_labels = int(rng.integers(1, 5))
    lengths = rng.integers(1, 6, size=int(rng.integers(1, 4)))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    spread = float(rng.choice([0.1, 3.0, 60.0, 2_000.0]))
    forbidden = float(rng.choice([0.0, 0.2, 0.5]))

    def scores(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        drawn = rng.normal(scale=spread, size=shape)
        return np.where(rng.random(shape) < forbidden, -np.inf, drawn)

    return Lattice(
        scores(int(offsets[-1]), n_labels),
        offsets,
        scores(n_labels, n_labels),
        scores(n_labels),
        scores(n_labels),
    )


@pytest.fixture(params=["own kernel", "one kernel for all"])
def each_kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with the label count compiled in and once with the kernel for any count."""
    of_its_own = request.param == "own kernel"
    monkeypatch.setattr(chain, "own_labels", lambda n_labels, _: (0,) * n_labels if of_its_own else ())


@pytest.mark.usefixtures("each_kernel")
def test_sums_and_best_paths_equal_those_of_all_listed_paths() -> None:
    without_path = 0
    for seed in range(WORLDS):
        lattice = random_lattice(seed)
        result = chain.marginals(lattice)
        partitions = chain.log_partition(lattice)
        edges = chain.edge_marginals(lattice)
        path, scores = chain.best_paths(lattice)
        summed = np.zeros_like(result.pairwise)
        for n in range(lattice.n_sentences):
            listed = list_sentence(lattice, n)
            rows = slice(lattice.offsets[n], lattice.offsets[n + 1])
            summed += listed.pairwise.sum(axis=0)
            np.testing.assert_allclose(result.unary[rows], listed.unary, atol=1e-9)
            np.testing.assert_allclose(edges[rows], listed.pairwise, atol=1e-9)
            np.testing.assert_allclose(result.log_partition[n], listed.log_partition, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(partitions[n], listed.log_partition, rtol=1e-9, atol=1e-9)
            if not listed.paths:
                without_path += 1
                assert scores[n] == -np.inf
                assert (path[rows] == -1).all()
                continue
            np.testing.assert_allclose(scores[n], listed.paths[0][1], rtol=1e-12)
            best = tuple(int(label) for label in path[rows])
            np.testing.assert_allclose(path_score(lattice, int(rows.start), best), scores[n], rtol=1e-12)
        np.testing.assert_allclose(result.pairwise, summed, atol=1e-9)
    assert without_path > 50, "the worlds should include sentences without any path"


def test_k_best_paths_are_the_best_of_all_listed_paths() -> None:
    for seed in range(300):
        lattice = random_lattice(seed)
        k = 1 + seed % 7
        for n, (paths, scores) in enumerate(chain.k_best_paths(lattice, k)):
            listed = list_sentence(lattice, n)
            wanted = [score for _, score in listed.paths[:k]]
            np.testing.assert_allclose(scores, wanted, rtol=1e-9, atol=1e-9)
            found = [tuple(int(label) for label in path) for path in paths]
            assert len(set(found)) == len(found)
            rescored = [path_score(lattice, int(lattice.offsets[n]), path) for path in found]
            np.testing.assert_allclose(rescored, wanted, rtol=1e-9, atol=1e-9)


def long_lattice(n_tokens: int, n_labels: int, n_sentences: int = 1) -> Lattice:
    rng = np.random.default_rng(7)
    offsets = np.linspace(0, n_tokens, n_sentences + 1).astype(np.int64)
    free = np.zeros(n_labels)
    unary = rng.normal(scale=3.0, size=(n_tokens, n_labels))
    return Lattice(unary, offsets, rng.normal(size=(n_labels, n_labels)), free, free)


def test_a_sentence_of_ten_thousand_tokens_keeps_its_digits() -> None:
    lattice = long_lattice(10_000, 9)
    result = chain.marginals(lattice)
    np.testing.assert_allclose(result.unary.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(result.pairwise.sum(), 9_999, rtol=1e-9)
    score = lattice.unary[0]
    for row in lattice.unary[1:]:
        score = np.logaddexp.reduce(score[:, None] + lattice.transitions, axis=0) + row
    np.testing.assert_allclose(result.log_partition[0], np.logaddexp.reduce(score), rtol=1e-12)


def test_four_hundred_labels_sum_to_one() -> None:
    lattice = long_lattice(60, 401, n_sentences=3)
    result = chain.marginals(lattice)
    np.testing.assert_allclose(result.unary.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(result.pairwise.sum(), 57, rtol=1e-9)
    path, scores = chain.best_paths(lattice)
    assert path.max() < 401
    assert (scores < result.log_partition).all()


def test_any_number_of_threads_gives_the_same_bits() -> None:
    lattice = long_lattice(40_000, 5, n_sentences=2_000)
    one = chain.marginals(lattice)
    for threads in (2, 3, 8):
        with using_threads(threads):
            many = chain.marginals(lattice)
            partition = chain.log_partition(lattice)
        assert np.array_equal(one.pairwise, many.pairwise)
        assert np.array_equal(one.unary, many.unary)
        assert np.array_equal(one.log_partition, many.log_partition)
        assert np.array_equal(chain.log_partition(lattice), partition)


def test_unreachable_but_tempting_labels_do_no_harm() -> None:
    # Label 1 cannot start nor be entered, yet each token prefers it by e^240: its backward weight overflows.
    unary = np.tile([-240.0, 0.0], (40, 1))
    transitions = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    lattice = Lattice(unary, np.array([0, 40]), transitions, np.array([0.0, -np.inf]), np.zeros(2))
    result = chain.marginals(lattice)
    np.testing.assert_allclose(result.unary, np.tile([1.0, 0.0], (40, 1)))
    np.testing.assert_allclose(result.log_partition, [-9600.0])


def test_a_path_that_falls_behind_and_recovers_is_not_forgotten() -> None:
    # Two tracks without a bridge: the second loses 800 on the first token and wins it back, 100 a token.
    unary = np.zeros((9, 2))
    unary[0, 1] = -800.0
    unary[1:, 0] = -100.0
    transitions = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    lattice = Lattice(unary, np.array([0, 9]), transitions, np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(chain.marginals(lattice).unary, 0.5)


def test_equal_paths_go_to_the_first_label() -> None:
    lattice = Lattice(np.zeros((4, 3)), np.array([0, 4]), np.zeros((3, 3)), np.zeros(3), np.zeros(3))
    path, _ = chain.best_paths(lattice)
    assert path.tolist() == [0, 0, 0, 0]


def test_empty_sentences_and_an_empty_text_are_right() -> None:
    free = np.zeros(2)
    lattice = Lattice(np.zeros((1, 2)), np.array([0, 0, 1, 1]), np.zeros((2, 2)), free, free)
    np.testing.assert_allclose(chain.log_partition(lattice), [0.0, np.log(2), 0.0])
    empty = Lattice(np.zeros((0, 2)), np.array([0]), np.zeros((2, 2)), free, free)
    assert chain.marginals(empty).pairwise.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert len(chain.best_paths(empty)[0]) == 0


def test_a_sentence_of_weight_zero_adds_no_edges() -> None:
    lattice = long_lattice(10, 3, n_sentences=2)
    result = chain.marginals(lattice, sentence_weights=np.array([2.0, 0.0]))
    np.testing.assert_allclose(result.pairwise.sum(), 8.0)
    assert not result.unary[5:].any()


def test_a_lattice_with_other_shapes_is_refused() -> None:
    with pytest.raises(SettingsError, match="3 labels"):
        Lattice(np.zeros((4, 3)), np.array([0, 4]), np.zeros((2, 2)), np.zeros(3), np.zeros(3))
    with pytest.raises(SettingsError, match="offsets"):
        Lattice(np.zeros((4, 3)), np.array([0, 3]), np.zeros((3, 3)), np.zeros(3), np.zeros(3))
    with pytest.raises(SettingsError, match="k must"):
        chain.k_best_paths(long_lattice(3, 2), 0)


def test_few_labels_on_long_texts_have_a_kernel_of_their_own_and_all_else_shares_one() -> None:
    most, least = compiling.LARGEST_OWN_KERNEL, compiling.LEAST_OWN_WORK
    assert len(compiling.own_labels(most, least)) == most
    assert compiling.own_labels(most + 1, least) == ()
    assert len(compiling.own_labels(10, least // 10)) == 10
    assert compiling.own_labels(10, least // 10 - 1) == ()


@pytest.mark.parametrize("spread", [1.0, 120.0])  # the second sends some sentences to log space
def test_a_kernel_of_their_own_changes_no_bit(spread: float, monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = long_lattice(400, 9, 40)
    lattice = replace(lattice, unary=lattice.unary * spread)
    found = []
    for labels in ((), (0,) * 9):
        monkeypatch.setattr(chain, "own_labels", lambda *_, own=labels: own)
        sums = chain.marginals(lattice)
        found.append([sums.log_partition, sums.unary, sums.pairwise, *chain.best_paths(lattice)])
    for shared, own in zip(*found, strict=True):
        assert np.array_equal(shared, own)
