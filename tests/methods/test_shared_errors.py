"""Whether annotators err together, and what follows for how sure the consensus is told."""

from itertools import combinations

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.kinship import Kin
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.calibration import (
    Asked,
    SharedErrors,
    VoteHits,
    correlation,
    err_alone,
    little_left_out,
    misses_gather,
    much_stands,
    pair_sums,
    temperature,
    together,
)
from crowdseq.methods.sa_slc.evidence import ContextVotes


def votes_of(world: Corpus) -> ContextVotes:
    return ContextVotes.of(
        world, np.zeros(world.n_tokens, np.int64), np.zeros(world.n_tokens, np.bool_), "off"
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("inside", [True, False])
def test_pairs_of_votes_are_summed_as_by_hand(seed: int, inside: bool) -> None:
    world = random_corpus(seed, annotators=4, sentences=12)
    votes, outside, size = votes_of(world), world.scheme.outside, len(world.annotators)
    tags = np.random.default_rng(seed).integers(0, len(world.scheme), world.n_tokens)
    kin = (Kin(0, 2, 0.9, 0.4, 1.0),)
    hits = VoteHits.of(votes, tags, outside, size, inside)
    by_token: dict[int, dict[int, int]] = {}
    for token, who, label in zip(votes.tokens, votes.annotators, votes.labels, strict=True):
        by_token.setdefault(int(token), {})[int(who)] = int(label)
    chosen = {t: given for t, given in by_token.items() if len(given) > 1 and (tags[t] != outside) == inside}
    rates = []
    for who in range(size):
        theirs = [given[who] == tags[token] for token, given in chosen.items() if who in given]
        rates.append((sum(theirs) + 0.5) / (len(theirs) + 1.0))
    np.testing.assert_allclose(hits.rates, rates)
    marking = {
        int(who) for who, label in zip(votes.annotators, votes.labels, strict=True) if label != outside
    }
    assert set(np.flatnonzero(hits.speaking).tolist()) == marking
    marks = [
        label == tags[t] for t, given in by_token.items() for label in given.values() if label != outside
    ]
    assert hits.precision == pytest.approx(np.mean(marks))
    expected = np.zeros(2)
    for token, given in chosen.items():
        for one, other in combinations(sorted(given), 2):
            if (one, other) == (0, 2):
                continue
            deviations = [(given[who] == tags[token]) - rates[who] for who in (one, other)]
            spreads = [np.sqrt(rates[who] * (1 - rates[who])) for who in (one, other)]
            expected += [np.prod(deviations), np.prod(spreads)]
    np.testing.assert_allclose(pair_sums(votes, tags, outside, Asked(inside, hits.rates), kin), expected)


@pytest.mark.parametrize(("inside", "usual"), [(True, 0.07), (False, 0.15)])
def test_where_nobody_can_tell_errors_are_shared_as_usual(inside: bool, usual: float) -> None:
    assert correlation(np.zeros(2), inside=inside) == pytest.approx(usual)
    assert correlation(np.array([-500.0, 4000.0]), inside=inside) == 0.0
    assert correlation(np.array([800.0, 4000.0]), inside=inside) == pytest.approx(0.2, abs=0.01)


def test_few_pairs_do_not_outweigh_what_is_usual() -> None:
    few = np.array([-2.0, 100.0])
    assert 0.0 < correlation(few, inside=True) < 0.07 < correlation(few, inside=False) < 0.15
    many = 1000.0 * few
    assert correlation(many, inside=True) == correlation(many, inside=False) == 0.0
    assert correlation(few, inside=True) == pytest.approx((-2.0 + 0.07 * 160.0) / (100.0 + 160.0))


def seen(correlated: float, precision: float) -> SharedErrors:
    return SharedErrors(correlated, precision, np.ones(3, np.bool_))


def test_shared_errors_doubt_of_the_text_and_marks_that_do_not_stand_each_soften() -> None:
    at_best = temperature(seen(0.0, 0.9), 0.9, 5000)
    assert at_best == 1.0
    assert temperature(seen(0.1, 0.9), 0.9, 5000) > at_best
    assert temperature(seen(0.0, 0.2), 0.9, 5000) > at_best
    assert temperature(seen(0.0, 0.9), 0.2, 5000) > temperature(seen(0.0, 0.9), 0.2, 100)


def test_where_little_is_marked_the_doubt_of_the_text_is_half_the_usual_one() -> None:
    assert temperature(seen(0.0, 0.9), 0.9, 500) == 1.0
    assert temperature(seen(0.0, 0.9), 0.9, 250) == pytest.approx(1.0 + 3.2 * 0.5 * 0.3)
    in_half = temperature(seen(0.0, 0.9), 0.355, 250)
    assert in_half == pytest.approx(1.0 + 3.2 * (0.5 * 0.5 + 0.5 * 0.3))


def test_votes_count_together_only_where_false_marks_gather() -> None:
    assert [together(one) for one in (0.0, 0.05, 0.1, 0.15, 0.4)] == pytest.approx([0.3, 0.3, 0.5, 1.0, 1.0])


def test_misses_gather_where_they_are_shared_and_most_marks_stand() -> None:
    told = [misses_gather(seen(one, 0.9)) for one in (0.0, 0.02, 0.04, 0.08, 0.3)]
    assert told == pytest.approx([0.0, 0.25, 0.5, 1.0, 1.0])
    assert [much_stands(one) for one in (0.2, 0.55, 0.625, 0.7, 1.0)] == pytest.approx([0, 0, 0.5, 1, 1])
    assert misses_gather(seen(0.3, 0.5)) == 0.0


def test_people_err_alone_where_neither_misses_nor_false_marks_gather() -> None:
    assert [err_alone(one, 0.0) for one in (0.0, 0.01, 0.02, 0.5)] == pytest.approx([1, 0.5, 0, 0])
    assert [err_alone(0.0, one) for one in (0.0, 0.1, 0.1125, 0.125, 0.4)] == pytest.approx([1, 1, 0.5, 0, 0])
    assert err_alone(0.01, 0.1125) == pytest.approx(0.25)


def test_little_was_left_out_where_what_lacks_the_majority_are_other_words() -> None:
    told = [little_left_out(one) for one in (0.0, 0.5, 0.575, 0.65, 1.0)]
    assert told == pytest.approx([1, 1, 0.5, 0, 0])


def test_where_pairs_are_few_false_marks_are_taken_to_gather() -> None:
    nothing, much = np.zeros(2), np.array([0.0, 1e9])
    assert [together(correlation(one, inside=False)) for one in (nothing, much)] == pytest.approx([1.0, 0.3])


def test_the_run_tells_what_its_temperature_comes_from() -> None:
    told = SaSlc(rounds=2).aggregate(random_corpus(3, annotators=4, sentences=20)).parameters
    assert {"temperature", "shared_errors", "mark_precision", "text_agreement"} <= set(told)
    errors = seen(told["shared_errors"], told["mark_precision"])
    assert told["temperature"] >= temperature(errors, 1.0, 0)
