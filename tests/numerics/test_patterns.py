"""Patterns of votes: tokens are one exactly when their votes and marks are the same."""

import numpy as np
import pytest

from crowdseq.arrays import IntArray
from crowdseq.numerics.crowds import patterns
from crowdseq.numerics.crowds.patterns import Patterns


def random_votes(seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """Votes sorted by token and kind, few kinds so that patterns repeat, and marks."""
    rng = np.random.default_rng(seed)
    rows = [
        (token, kind) for token in range(60) for kind in range(4) if rng.random() < rng.choice([0.2, 0.9])
    ]
    tokens, kinds = np.array(rows).T
    return tokens, kinds, rng.integers(-1, 2, 60)


def test_members_share_votes_and_marks_and_nobody_else_does() -> None:
    for seed in range(20):
        tokens, kinds, marks = random_votes(seed)
        found = Patterns.find(tokens, kinds, marks, 4)
        seen = [(tuple(kinds[tokens == token].tolist()), int(marks[token])) for token in range(60)]
        assert len(set(seen)) == len(found.sizes)
        for first in range(60):
            for second in range(first):
                same = found.members[first] == found.members[second]
                assert same == (seen[first] == seen[second])


def test_sums_over_patterns_are_sums_over_tokens() -> None:
    rng = np.random.default_rng(3)
    tokens, kinds, marks = random_votes(3)
    found = Patterns.find(tokens, kinds, marks, 4)
    scores = rng.normal(size=(4, 3))
    folded = found.table.fold(scores)[found.members]
    for token in range(60):
        np.testing.assert_allclose(folded[token], scores[kinds[tokens == token]].sum(axis=0))
    truth = rng.random((len(found.sizes), 3))
    gathered = found.table.gather(truth * found.sizes[:, None])
    for kind in range(4):
        np.testing.assert_allclose(gathered[kind], truth[found.members[tokens[kinds == kind]]].sum(axis=0))


def test_equal_fingerprints_of_different_votes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, kinds, marks = random_votes(1)
    monkeypatch.setattr(patterns, "_fingerprints", lambda *_: np.zeros(60, np.uint64))
    found = Patterns.find(tokens, kinds, marks, 4)
    np.testing.assert_array_equal(found.members, np.arange(60))


def test_no_tokens_and_no_votes_are_no_patterns() -> None:
    nothing = np.zeros(0, np.int64)
    assert len(Patterns.find(nothing, nothing, nothing, 0).sizes) == 0
    silent = Patterns.find(nothing, nothing, np.full(5, -1), 0)
    assert silent.sizes.tolist() == [5.0]


def test_votes_of_different_weight_are_never_one_pattern() -> None:
    rng = np.random.default_rng(5)
    tokens, kinds, marks = random_votes(5)
    weights, scores = rng.choice([0.5, 1.0], len(tokens)), rng.normal(size=(4, 3))
    found = Patterns.find(tokens, kinds, marks, 4, weights)
    assert len(Patterns.find(tokens, kinds, marks, 4).sizes) < len(found.sizes) < 60
    folded = found.table.fold(scores)[found.members]
    for token in range(60):
        mine = tokens == token
        np.testing.assert_allclose(folded[token], weights[mine] @ scores[kinds[mine]])
