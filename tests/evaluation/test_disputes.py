"""Where people differ, against slow oracles and by hand."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus, random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.disputes import (
    Dispute,
    Disputes,
    Mark,
    ambiguous_words,
    find_disputes,
    finding,
    label_pairs,
    mentions,
)
from dispute_oracles import (
    labels_of,
    people_by_label,
    random_consensus,
    slow_disputes,
    slow_kinds,
    slow_label_pairs,
    slow_probability,
)
from strategies import corpora


def disputes_of(world: Corpus) -> tuple[Consensus, Disputes]:
    consensus = settle(world, label_shares(world))
    return consensus, find_disputes(world, consensus)


def texts(world: Corpus, dispute: Dispute) -> dict[tuple[tuple[str, str], ...], int]:
    words = world.text.tokens[dispute.sentence]
    return {
        tuple((" ".join(words[m.begin : m.end]), m.label) for m in reading.marks): len(reading.annotators)
        for reading in dispute.readings
    }


def test_a_unanimous_crowd_has_no_disputes() -> None:
    _, found = disputes_of(corpus("Ada/B-PER/B-PER slept/O/O", gold=False))
    assert len(found) == 0
    assert list(found) == []


def test_people_who_differ_in_bounds_type_and_finding() -> None:
    world = corpus(
        "The/O/O/O/O/O New/B-ORG/B-ORG/B-ORG/O/O York/I-ORG/I-ORG/I-ORG/B-LOC/O Times/I-ORG/I-ORG/I-ORG/O/O "
        "met/O/O/O/O/O Ada/B-PER/B-PER/B-PER/B-PER/B-PER",
        gold=False,
    )
    _, found = disputes_of(world)
    [dispute] = found
    assert (dispute.begin, dispute.end) == (1, 4)
    assert dispute.kinds == {"boundary", "type", "missed"}
    assert texts(world, dispute) == {(("New York Times", "ORG"),): 3, (("York", "LOC"),): 1, (): 1}
    assert dispute.readings[0].annotators == (0, 1, 2)


def test_what_nobody_drew_and_the_consensus_has_is_a_dispute() -> None:
    world = corpus("Ada/O/O slept/O/O", "Bo/B-PER/B-PER ate/O/O", gold=False)
    shares = label_shares(world).copy()
    shares[0] = 0.0
    shares[0, world.scheme.index["B-PER"]] = 0.8
    shares[0, world.scheme.outside] = 0.2
    [dispute] = find_disputes(world, settle(world, shares))
    assert dispute.readings[dispute.settled].marks == (Mark(0, 1, "PER"),)
    assert dispute.readings[dispute.settled].annotators == ()
    assert dispute.readings[0].annotators == (0, 1)
    assert dispute.kinds == {"missed"}
    assert math.isclose(dispute.confidence, 0.8)
    assert math.isclose(dispute.readings[0].probability, 0.2)


def test_what_nobody_saw_is_no_dispute() -> None:
    world = corpus("Ada/?/? slept/?/?", "Bo/B-PER/B-PER ate/O/O", gold=False)
    shares = np.full((4, 3), 1 / 3)
    shares[0, world.scheme.index["B-PER"]] = 0.8
    consensus = settle(world, shares / shares.sum(axis=1, keepdims=True))
    assert all(dispute.sentence == 1 for dispute in find_disputes(world, consensus))


def test_who_labelled_a_part_of_a_place_and_marked_nothing_did_not_see_it() -> None:
    world = corpus("New/B-LOC/B-LOC/O/O York/I-LOC/O/O/? slept/O/O/O/O", gold=False)
    [dispute] = disputes_of(world)[1]
    assert sorted(who for reading in dispute.readings for who in reading.annotators) == [0, 1, 2]


@settings(deadline=None, max_examples=80)
@given(corpora(), st.integers(0, 1000), st.sampled_from([3, 1 << 21]))
def test_disputes_are_those_of_the_oracle(world: Corpus, seed: int, cells_at_a_time: int) -> None:
    consensus = random_consensus(world, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "_CELLS_AT_A_TIME", cells_at_a_time)
        found = find_disputes(world, consensus)
    wanted = slow_disputes(world, consensus)
    assert [(one.sentence, one.begin, one.end) for one in found] == sorted(wanted)
    for number, one in enumerate(found):
        says, held = wanted[one.sentence, one.begin, one.end]
        assert one.readings[one.settled].marks == says
        by_annotator = {who: reading.marks for reading in one.readings for who in reading.annotators}
        assert by_annotator == held
        assert len({reading.marks for reading in one.readings}) == len(one.readings)
        assert one.kinds == slow_kinds(says, held)
        assert found.columns.readers[number] == len(held)
        assert all(found.has_kind(kind)[number] == (kind in one.kinds) for kind in ("type", "missed"))
        _check_probabilities(consensus, one)


def _check_probabilities(consensus: Consensus, one: Dispute) -> None:
    first = int(consensus.corpus.offsets[one.sentence])
    tokens = slice(first + one.begin, first + one.end)
    assert one.confidence == one.readings[one.settled].probability == consensus.token_confidence[tokens].min()
    assert one.gain == 1.0 - one.confidence
    assert sum(reading.probability for reading in one.readings) <= 1.0 + 1e-12
    if consensus.corpus.scheme.kind == "IOB1":
        return  # how its tags are written hangs on what stands before the place
    raw = [slow_probability(consensus, one, reading.marks) for reading in one.readings]
    others = sum(raw) - raw[one.settled]
    scale = min(1.0, (1.0 - one.confidence) / others) if others else 0.0
    for place, reading in enumerate(one.readings):
        if place != one.settled:
            assert math.isclose(reading.probability, raw[place] * scale, abs_tol=1e-12)


@settings(deadline=None, max_examples=60)
@given(corpora(), st.integers(0, 1000))
def test_label_pairs_and_mentions_are_those_of_the_oracle(world: Corpus, seed: int) -> None:
    consensus = random_consensus(world, seed)
    found = find_disputes(world, consensus)
    wanted = slow_disputes(world, consensus)
    numbered = (
        list(wanted.values()) if list(wanted) == sorted(wanted) else [wanted[k] for k in sorted(wanted)]
    )
    pairs = label_pairs(found)
    counts = slow_label_pairs(numbered)
    assert {(pair.first, pair.second): len(pair.disputes) for pair in pairs} == counts
    sizes = [len(pair.disputes) for pair in pairs]
    assert sizes == sorted(sizes, reverse=True)
    for pair in pairs:
        for label, times in zip((pair.first, pair.second), pair.settled, strict=True):
            says = [labels_of(numbered[number][0]) for number in pair.disputes]
            assert times == sum(label in one for one in says)
        assert math.isclose(pair.gain, sum(found[number].gain for number in pair.disputes), abs_tol=1e-9)
    groups: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for number, one in enumerate(found):
        groups[world.text.tokens[one.sentence][one.begin : one.end]].add(number)
    all_mentions = mentions(world, found)
    assert {mention.surface: set(mention.disputes) for mention in all_mentions} == groups
    sums = [mention.gain for mention in all_mentions]
    assert sums == sorted(sums, reverse=True)
    for mention in all_mentions:
        assert mention.readings == people_by_label([numbered[number] for number in mention.disputes])
        gains = [found.gain[number] for number in mention.disputes]
        assert gains == sorted(gains, reverse=True)


def test_a_word_with_several_settled_labels_is_ambiguous() -> None:
    world = corpus(*["Paris/B-LOC/B-LOC x/O/O"] * 3, *["Paris/B-PER/B-PER y/O/O"] * 2, gold=False)
    consensus, found = disputes_of(world)
    [word] = ambiguous_words(consensus, found)
    assert word.surface == ("Paris",)
    assert word.settled == {"LOC": 3, "PER": 2}
    assert word.disputes == ()


def test_a_word_on_which_people_differ_again_and_again_is_ambiguous() -> None:
    one = "Bank/B-ORG/B-ORG/O said/O/O/O Ada/B-PER/B-PER/B-PER"
    consensus, found = disputes_of(corpus(*[one] * 3, gold=False))
    [word] = ambiguous_words(consensus, found)
    assert word.surface == ("Bank",)
    assert word.readings == {"ORG": 6, None: 3}
    assert word.settled == {"ORG": 3}
    assert len(word.disputes) == 3
    consensus, found = disputes_of(corpus(*[one] * 2, gold=False))
    assert ambiguous_words(consensus, found) == ()


def test_us_is_not_the_us() -> None:
    world = corpus("US/B-LOC/B-LOC/O x/O/O/O", "us/O/O/B-LOC y/O/O/O", gold=False)
    assert {one.surface for one in mentions(world, disputes_of(world)[1])} == {("US",), ("us",)}


def test_settled_labels_are_counted_over_all_places() -> None:
    world = random_corpus(3, sentences=60, accuracy=0.7)
    consensus, found = disputes_of(world)
    disputed = {(d.sentence, d.begin, d.end): d for d in found}
    counts: dict[tuple[str, ...], dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    for sentence, spans in enumerate(consensus.spans):
        words = world.text.tokens[sentence]
        for span in spans:
            if not any(s == sentence and b <= span.start < e for s, b, e in disputed):
                counts[words[span.start : span.end]][span.label] += 1
    for (sentence, begin, end), dispute in disputed.items():
        for label in labels_of(dispute.readings[dispute.settled].marks):
            counts[world.text.tokens[sentence][begin:end]][label] += 1
    words_found = ambiguous_words(consensus, found)
    assert words_found
    for word in words_found:
        assert word.settled == counts[word.surface]
