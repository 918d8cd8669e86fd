"""Spans chosen together, against listing all choices; labels that nobody can be compared with."""

from itertools import combinations

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.aggregation.settling import LoneLabels, best_spans, best_valid_tags, sharpened
from crowdseq.aggregation.voting import drawn_spans
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import SpanTable, find_spans, paint
from crowdseq.methods.majority_vote import MajorityVote

LEAST = 1e-6


def random_posteriors(world: Corpus, seed: int) -> FloatArray:
    return np.random.default_rng(seed).dirichlet(np.full(len(world.scheme), 0.4), world.n_tokens)


def rows_of(table: SpanTable) -> set[tuple[int, int, int]]:
    return set(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))


def best_by_listing(
    world: Corpus, posteriors: FloatArray, free: set[tuple[int, int, int]], charge: float
) -> float:
    """The largest sum of log probabilities, less charges, over all sets of spans that do not overlap."""
    usual = rows_of(find_spans(best_valid_tags(world, posteriors), world.offsets, world.scheme))
    every = sorted(free | usual)
    best = -np.inf
    for size in range(len(every) + 1):
        for chosen in combinations(every, size):
            if all(one[1] <= other[0] or other[1] <= one[0] for one, other in combinations(chosen, 2)):
                best = max(best, value_of(world, posteriors, set(chosen), free, charge))
    return best


def value_of(
    world: Corpus,
    posteriors: FloatArray,
    chosen: set[tuple[int, int, int]],
    free: set[tuple[int, int, int]],
    charge: float,
) -> float:
    tags = np.full(world.n_tokens, world.scheme.outside)
    for start, end, kind in chosen:  # each on its own: how a span is written hangs on no other
        table = SpanTable(np.array([0]), np.array([end - start]), np.array([kind]))
        tags[start:end] = paint(table, end - start, world.scheme)
    logs = np.log(np.maximum(posteriors[np.arange(len(tags)), tags], LEAST))
    return float(logs.sum()) - charge * len(chosen - free)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("charge", [0.0, 0.7, 30.0])
def test_the_spans_chosen_are_the_best_of_all_choices(seed: int, charge: float) -> None:
    world = random_corpus(seed, sentences=2, length=3, annotators=2, voters=2, accuracy=0.5)
    posteriors = random_posteriors(world, seed)
    drawn = drawn_spans(world)[0]
    tags = best_spans(world, posteriors, [drawn], charge)
    found = rows_of(find_spans(tags, world.offsets, world.scheme))
    value = value_of(world, posteriors, found, rows_of(drawn), charge)
    assert value == pytest.approx(best_by_listing(world, posteriors, rows_of(drawn), charge))
    assert world.scheme.is_valid(tags, world.offsets)


def test_a_high_charge_leaves_only_what_somebody_drew() -> None:
    world = random_corpus(3, sentences=30, annotators=3, voters=3, accuracy=0.4)
    posteriors, drawn = random_posteriors(world, 1), drawn_spans(world)[0]
    usual = rows_of(find_spans(best_valid_tags(world, posteriors), world.offsets, world.scheme))
    assert usual - rows_of(drawn)
    tags = best_spans(world, posteriors, [drawn], 1e6)
    assert rows_of(find_spans(tags, world.offsets, world.scheme)) <= rows_of(drawn)


def test_drawn_spans_are_those_that_reading_row_by_row_finds() -> None:
    world = random_corpus(5, sentences=20, annotators=4, voters=3)
    table, counts = drawn_spans(world)
    slow: dict[tuple[int, int, int], int] = {}
    for number, ballot in enumerate(world.annotations.ballots):
        for row in ballot.tags:
            bounds = np.array([0, len(row)])
            for start, end, kind in rows_of(find_spans(row, bounds, world.scheme, lenient=True)):
                first = int(world.offsets[number])
                key = (start + first, end + first, kind)
                slow[key] = slow.get(key, 0) + 1
    keys = zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True)
    assert dict(zip(keys, counts.tolist(), strict=True)) == slow


def test_labels_of_one_who_is_alone_are_kept_and_made_valid() -> None:
    world = random_corpus(2, sentences=40, annotators=1, voters=1, accuracy=0.6)
    posteriors = random_posteriors(world, 0)
    found = best_valid_tags(world, posteriors)
    told = LoneLabels.apart(world, found, posteriors, keep=True)
    np.testing.assert_array_equal(told.tag_ids, MajorityVote().aggregate(world).tag_ids)
    np.testing.assert_array_equal(told.parameters()["suggested_tag_ids"], found)
    (remark,) = told.parameters()["remarks"]
    added, doubted = told.differences
    assert (remark["kind"], remark["evidence"]["suggested"]) == ("alone", float(added))
    assert added > 0
    assert doubted > 0
    assert LoneLabels.apart(world, found, posteriors, keep=False).parameters() == {}


def test_labels_of_those_who_share_tokens_are_not_kept() -> None:
    world = random_corpus(2, sentences=40, annotators=3, voters=2)
    posteriors = random_posteriors(world, 0)
    found = best_valid_tags(world, posteriors)
    told = LoneLabels.apart(world, found, posteriors, keep=True)
    assert told.tag_ids is found
    assert told.parameters() == {}


def test_a_softened_belief_is_sharpened_again_but_not_a_doubt_that_was_added() -> None:
    belief = np.array([[0.9, 0.1], [0.3, 0.7], [0.97, 0.03]])
    softer = belief ** (1 / 3)
    softer /= softer.sum(axis=1, keepdims=True)
    told = softer.copy()
    told[2] = [0.4, 0.6]  # the text's word against an O that was settled
    found = sharpened(told, 3.0, np.array([0, 1, 0]))
    np.testing.assert_allclose(found[:2], belief[:2])
    assert found[2].tolist() == [0.4, 0.6]
    assert sharpened(told, 1.0, np.array([0, 1, 0])) is told
