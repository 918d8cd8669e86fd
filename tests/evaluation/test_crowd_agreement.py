"""Alpha with its interval and kappa as a square, against the full figures of agreement."""

import numpy as np
import pytest
from hypothesis import given, settings

from builders import corpus, random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.crowd_agreement import alpha_with_interval, pair_square
from strategies import corpora


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_alpha_and_kappa_are_those_of_the_full_measure(world: Corpus) -> None:
    agreement = measure_agreement(world)
    found = alpha_with_interval(world, draws=20)
    assert (found is None) == (agreement.overall.alpha is None)
    if found is not None:
        assert found.alpha == pytest.approx(agreement.overall.alpha)
        assert found.low <= found.alpha <= found.high
        assert found.tokens == agreement.overall.tokens
    order = list(reversed(range(len(world.annotators))))
    square = pair_square(world, order)
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one == other:
                continue
            pair = agreement.pair(world.annotators[one], world.annotators[other])
            assert square.shared[row, column] == pair.shared_tokens
            kappa = square.kappa[row, column]
            assert (None if np.isnan(kappa) else pytest.approx(kappa)) == pair.cohen


def test_the_interval_holds_the_alpha_of_the_world_as_often_as_it_says() -> None:
    big = alpha_with_interval(random_corpus(0, sentences=1500, length=6, types=("A", "B"), kind="plain"))
    assert big is not None
    held = []
    for seed in range(1, 41):
        found = alpha_with_interval(
            random_corpus(seed, sentences=50, length=6, types=("A", "B"), kind="plain")
        )
        assert found is not None
        held.append(found.low <= big.alpha <= found.high)
    assert 0.85 <= np.mean(held) <= 1.0


def test_nothing_labelled_twice_has_no_alpha() -> None:
    assert alpha_with_interval(corpus("Ada/B-PER slept/O", gold=False)) is None


def test_documents_are_drawn_whole_where_there_are_enough() -> None:
    found = alpha_with_interval(random_corpus(1, sentences=80, documents=40))
    few = alpha_with_interval(random_corpus(1, sentences=80, documents=4))
    assert found is not None
    assert few is not None
    assert (found.unit, few.unit) == ("document", "sentence")
