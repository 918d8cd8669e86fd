"""Disputes gathered by screens: all of them once, the same words together, one question each."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.disputes import Disputes, find_disputes, mentions
from crowdseq.evaluation.disputes.gathering import Gathered, gather
from dispute_oracles import random_consensus
from strategies import corpora


def gathered(world: Corpus, most: int = 20) -> tuple[Disputes, tuple[Gathered, ...]]:
    disputes = find_disputes(world, settle(world, label_shares(world)))
    return disputes, gather(disputes, enumerate(mentions(world, disputes)), most)


def slow_question(disputes: Disputes, number: int) -> set[str | None]:
    """The settled label, the first in order, and the one that most people say instead of it."""
    dispute = disputes[number]
    labels = disputes.consensus.corpus.scheme.types
    settled = min(
        (one.label for one in dispute.readings[dispute.settled].marks), key=labels.index, default=None
    )
    said: Counter[str | None] = Counter()
    for reading in dispute.readings:
        for label in {mark.label for mark in reading.marks} or {None}:
            said[label] += len(reading.annotators)
    said.pop(settled, None)
    order = {label: place for place, label in enumerate((*labels, None))}
    others = sorted((one for one in said if said[one]), key=lambda one: (-said[one], order[one]))
    return {settled, *others[:1]}


@given(corpora(), st.integers(0, 99), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_every_dispute_is_on_one_screen_about_its_question(world: Corpus, seed: int, most: int) -> None:
    disputes = find_disputes(world, random_consensus(world, seed))
    found = gather(disputes, enumerate(mentions(world, disputes)), most)
    assert sorted(number for one in found for number in one.disputes) == list(range(len(disputes)))
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    named = mentions(world, disputes)
    for one in found:
        assert np.isclose(one.gain, disputes.gain[list(one.disputes)].sum())
        firsts = [named[number].disputes[0] for number in one.mentions]
        assert all(slow_question(disputes, number) == set(one.pair) for number in firsts)


def test_words_with_many_places_have_screens_of_their_own_and_others_share_one() -> None:
    often = ["see/O/O/O/O Ada/O/B-PER/B-PER/B-LOC"] * 9
    seldom = [f"{word}/O/B-PER/B-PER/B-LOC ran/O/O/O/O" for word in ("Bo", "Cy", "Di")]
    edges = ["New/O/B-LOC/B-LOC/B-LOC York/O/I-LOC/I-LOC/O"]
    disputes, found = gathered(corpus(*often, *seldom, *edges, annotators=["a", "b", "c"]), most=5)
    assert sorted(len(one.disputes) for one in found) == [1, 3, 4, 5]
    by_size = {len(one.disputes): one for one in found}
    assert len(by_size[3].mentions) == 3
    assert by_size[3].pair == ("LOC", "PER")
    assert by_size[1].pair == ("LOC", "LOC")
    assert by_size[5].mentions == by_size[4].mentions
    assert len(disputes) == 13
