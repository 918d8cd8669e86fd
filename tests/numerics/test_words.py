"""Clusters and skip-gram against slow and obvious ways."""

import numpy as np
import pytest

from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.words.kmeans import assign, find_centres, normalised
from crowdseq.numerics.words.skipgram import SkipGram, State, Walk, train, walk_on


def points(count: int, size: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, size)).astype(np.float32)


@pytest.mark.parametrize(("count", "size", "centres"), [(1, 1, 1), (700, 5, 3), (1200, 17, 131), (40, 8, 40)])
def test_every_row_goes_to_the_nearest_centre(count: int, size: int, centres: int) -> None:
    rows, middle = points(count, size), points(centres, size, seed=5)
    distances = np.square(rows[:, None].astype(float) - middle[None]).sum(axis=2)
    found = assign(rows, middle)
    nearest = distances.min(axis=1)
    assert np.allclose(distances[np.arange(count), found], nearest, rtol=1e-4, atol=1e-5)


def test_of_equal_centres_the_first_is_taken() -> None:
    rows = points(30, 4)
    assert assign(rows, np.repeat(rows[:1], 200, axis=0)).tolist() == [0] * 30


def test_no_rows_have_no_centre() -> None:
    assert len(assign(points(0, 4), points(3, 4))) == 0


def test_centres_are_the_means_of_their_rows() -> None:
    rows = points(400, 6)
    centres = find_centres(rows, 9, passes=200, seed=1)  # until nothing changes
    found = assign(rows, centres)
    for number in range(9):
        assert np.allclose(centres[number], rows[found == number].mean(axis=0), atol=1e-5)


def test_clusters_that_lie_apart_are_found() -> None:
    middle = 50.0 * points(4, 8, seed=9)
    rows = np.concatenate([centre + points(50, 8, seed=n) for n, centre in enumerate(middle)]).astype(
        np.float32
    )
    found = [
        set(assign(rows, find_centres(rows, 4, 20, seed)).reshape(4, 50)[0].tolist()) for seed in range(3)
    ]
    assert all(len(one) == 1 for one in found)


def test_threads_change_no_bit_and_seeds_do() -> None:
    rows = normalised(points(3000, 10))
    with using_threads(1):
        one = find_centres(rows, 150, 4, seed=0)
    with using_threads(3):
        many = find_centres(rows, 150, 4, seed=0)
    assert one.tobytes() == many.tobytes()
    assert one.tobytes() != find_centres(rows, 150, 4, seed=1).tobytes()


def test_a_row_of_zeros_stays_when_lengths_are_made_one() -> None:
    unit = normalised(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    assert np.allclose(unit, [[0.6, 0.8], [0.0, 0.0]])


def walked_slowly(walk: Walk, vectors: np.ndarray, beside: np.ndarray, random: int, step: float) -> int:
    """One walk through the text, as the paper says it, one plain step after the other."""

    def drawn() -> int:
        nonlocal random
        random = (random * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return random

    words = walk.words.tolist()
    for place, word in enumerate(words):
        if word < 0 or (drawn() >> 11) / 2**53 > walk.kept[word]:
            continue
        reach = 1 + (drawn() >> 33) % walk.window
        for direction in (-1, 1):
            around = [place + direction * far for far in range(1, reach + 1)]
            for other in around:
                if not 0 <= other < len(words) or words[other] == -1:
                    break
                if words[other] < 0:
                    continue
                context, change = words[other], np.zeros(vectors.shape[1])
                targets = [(word, 1.0)]
                targets += [
                    (int(walk.draws[(drawn() >> 33) % len(walk.draws)]), 0.0) for _ in range(walk.negatives)
                ]
                for number, (target, wanted) in enumerate(targets):
                    if number and target == word:
                        continue
                    score = vectors[context] @ beside[target]
                    error = step * (wanted - 1.0 / (1.0 + np.exp(-score)))
                    change += error * beside[target]
                    beside[target] += error * vectors[context]
                vectors[context] += change
    return random


def test_a_walk_is_that_of_plain_steps() -> None:
    random = np.random.default_rng(11)
    words = random.integers(-2, 6, 60).astype(np.int32)
    draws = random.integers(0, 6, 50).astype(np.int32)
    walk = Walk(words, np.array([0.3, 1.0, 1.0, 0.9, 1.0, 1.0]), draws, 3, 4)
    vectors, beside = (random.normal(size=(6, 7)).astype(np.float32) for _ in range(2))
    slow = vectors.astype(float), beside.astype(float)
    state = State(vectors, beside, np.array([77], np.uint64), np.zeros(7, np.float32))
    walk_on(walk, state, 0, len(words), 0.1)
    assert int(state.random[0]) == walked_slowly(walk, *slow, 77, 0.1)
    assert np.allclose(vectors, slow[0], atol=1e-4)
    assert np.allclose(beside, slow[1], atol=1e-4)


def test_words_used_alike_come_to_lie_near_each_other() -> None:
    random, pieces = np.random.default_rng(0), []
    for _ in range(600):  # words 0-1 stand beside 4-5, words 2-3 beside 6-7
        side = int(random.integers(2))
        pieces += [2 * side + int(random.integers(2)), 4 + 2 * side + int(random.integers(2)), -1]
    words = np.array(pieces, np.int32)
    told: list[tuple[int, int]] = []
    settings = SkipGram(size=12, epochs=40)
    counts = np.bincount(words[words >= 0])
    vectors = train(words, counts, settings, 1, lambda done, total: told.append((done, total)))
    unit = normalised(vectors)
    likeness = unit @ unit.T
    assert likeness[0, 1] > likeness[0, 2]
    assert likeness[2, 3] > likeness[2, 1]
    assert told[-1] == (40 * len(words), 40 * len(words))
    again = train(words, counts, settings, 1, lambda *_: None)
    assert again.tobytes() == vectors.tobytes()
    assert train(words, counts, settings, 2, lambda *_: None).tobytes() != vectors.tobytes()


def test_a_long_text_is_walked_over_less_often() -> None:
    assert [SkipGram().walks(size) for size in (100, 3_000_000, 10**9)] == [15, 10, 1]
