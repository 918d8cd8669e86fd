"""How sure each token is told, by who marked it and who looked at it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.aggregation.canonical import OrderedCut
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.calibration import Seen, told_of_people, told_of_sources
from crowdseq.methods.sa_slc.evidence import ContextVotes
from crowdseq.methods.sa_slc.rounds import prepare
from crowdseq.methods.sa_slc.starting import first_state
from shard_worlds import only_worker, quarter


def votes_of(world: Corpus) -> ContextVotes:
    return ContextVotes.of(
        world, np.zeros(world.n_tokens, np.int64), np.zeros(world.n_tokens, np.bool_), "off"
    )


def people_by_hand(
    soft: FloatArray, text: FloatArray, sharp: FloatArray, marks: int, voters: int, outside: int
) -> FloatArray:
    """One token."""
    if marks or sharp.argmax() != outside:
        return soft
    if voters < 2:
        return text
    return (soft + text) / 2 if text[outside] > soft[outside] else soft


def sources_by_hand(
    soft: FloatArray, text: FloatArray, sharp: FloatArray, marks: int, _voters: int, outside: int
) -> FloatArray:
    """One token."""
    if not marks:
        return text
    if sharp.argmax() == outside:
        return soft
    told = [share * (1 - 0.2 / marks) for share in soft]
    told[outside] += 0.2 / marks
    return np.array(told)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("told", "by_hand"), [(told_of_people, people_by_hand), (told_of_sources, sources_by_hand)]
)
def test_each_token_is_told_as_by_hand(
    seed: int, told: Callable[..., FloatArray], by_hand: Callable[..., FloatArray]
) -> None:
    world = random_corpus(seed, annotators=4, sentences=30)
    outside, size, n_labels = world.scheme.outside, len(world.annotators), len(world.scheme)
    random, votes = np.random.default_rng(seed), votes_of(world)
    speaking = np.arange(size) % 2 == 0
    beliefs = random.dirichlet(np.full(n_labels, 0.3), (3, world.n_tokens))
    beliefs[:, ::2, outside] += 1.0
    soft, text, sharp = beliefs / beliefs.sum(axis=2, keepdims=True)
    seen = Seen.of(votes, speaking, outside, world.n_tokens)
    found = told(soft, text, sharp, seen, outside)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for token in range(world.n_tokens):
        here = votes.tokens == token
        marks = sum(label != outside for label in votes.labels[here].tolist())
        voters = sum(bool(speaking[who]) for who in votes.annotators[here].tolist())
        expected = by_hand(soft[token], text[token], sharp[token], marks, voters, outside)
        np.testing.assert_allclose(found[token], expected)


def test_what_is_told_as_sure_changes_no_tag_and_only_what_is_calibrated() -> None:
    world = random_corpus(5, annotators=3, sentences=40, accuracy=0.7)
    told, plain = (SaSlc(rounds=3, calibrate=calibrate).aggregate(world) for calibrate in (True, False))
    np.testing.assert_array_equal(told.tag_ids, plain.tag_ids)
    assert not np.allclose(told.probabilities, plain.probabilities)
    np.testing.assert_allclose(told.probabilities.sum(axis=1), 1.0)


def test_the_silence_of_somebody_who_never_marks_makes_no_token_surer() -> None:
    world = random_corpus(6, annotators=2, sentences=20)
    votes, outside = votes_of(world), world.scheme.outside
    everybody = np.ones(len(world.annotators), np.bool_)
    one = everybody.copy()
    one[0] = False
    both, fewer = (Seen.of(votes, who, outside, world.n_tokens).voters for who in (everybody, one))
    theirs = np.bincount(votes.tokens[votes.annotators == 0], minlength=world.n_tokens)
    np.testing.assert_array_equal(both - fewer, theirs)


@pytest.mark.parametrize("voters", [1, 2])
def test_shards_tell_what_the_whole_tells(voters: int) -> None:
    world = random_corpus(7, annotators=3, voters=voters, sentences=60, documents=12)
    one, four = (
        SaSlc(rounds=1, steps=1, shard_tokens=size).aggregate(world)
        for size in (world.n_tokens, quarter(world))
    )
    assert one.parameters["temperature"] > 1.0
    np.testing.assert_allclose(four.probabilities, one.probabilities, atol=1e-8)


def test_where_one_looked_a_quiet_token_is_told_as_the_text_tells_it() -> None:
    world = random_corpus(9, annotators=3, voters=1, sentences=40, documents=8)
    session, _ = prepare(OrderedCut.of(world, world.n_tokens), SaSlc(rounds=2).settings)
    state = session.step(first_state(session))
    softening, _ = session.calibrated(state, session.agreement(state))
    told, believed, shard = (
        session.softened(state, softening),
        session.unary(state),
        only_worker(session.placed),
    )
    text = shard.truth.potentials
    alone = shard._believe(text.unary / 1.15, replace(text, transitions=text.transitions / 1.15)).unary
    outside, corpus = world.scheme.outside, shard.corpus
    votes = corpus.annotations.votes()
    marked = np.isin(np.arange(corpus.n_tokens), votes.tokens[votes.labels != outside])
    quiet = ~marked & (believed.argmax(axis=1) == outside)
    assert quiet.any()
    assert not quiet.all()
    np.testing.assert_allclose(told[quiet], alone[quiet])
    assert not np.allclose(told[~quiet], alone[~quiet])
