"""Counts behind α and β, beside counting vote by vote."""

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.reports.html.heatmaps import NOTHING, ContextTables


def _voted(world: Corpus) -> Consensus:
    return settle(world, label_shares(world))


@pytest.mark.parametrize("kind", ["IOB2", "plain"])
@pytest.mark.parametrize("seed", range(4))
def test_local_counts_are_those_of_looking_at_the_label_before(seed: int, kind: str) -> None:
    world = random_corpus(seed, sentences=12, kind=kind, accuracy=0.5, unlabelled=0.1)
    consensus = _voted(world)
    tables = ContextTables.of(consensus)
    size = len(world.scheme)
    expected = np.zeros((len(world.annotators), size + 1, size, size))
    for place, ballot in enumerate(world.annotations.ballots):
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            for token, label in enumerate(tags):
                if label >= 0:
                    before = tags[token - 1] if token else NOTHING
                    expected[voter, before, :, label] += consensus.posteriors[place][token]
    for voter in range(len(world.annotators)):
        for context in range(-1, size):
            found = tables.counts(voter, "local", context)
            np.testing.assert_allclose(found, expected[voter, context], atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_repeated_counts_are_those_of_looking_for_the_nearest_earlier_mention(seed: int) -> None:
    world = random_corpus(seed, sentences=20, kind="plain", accuracy=0.5, unlabelled=0.1, documents=4)
    consensus = _voted(world)
    tables = ContextTables.of(consensus)
    expected = _repeats_slowly(consensus)
    for voter in range(len(world.annotators)):
        for context in range(len(world.scheme)):
            found = tables.counts(voter, "repeated", context)
            np.testing.assert_allclose(found, expected[voter, context], atol=1e-9)


def _repeats_slowly(consensus: Consensus) -> FloatArray:
    world, size = consensus.corpus, len(consensus.corpus.scheme)
    expected = np.zeros((len(world.annotators), size, size, size))
    said: dict[tuple[int, str | None, str], int] = {}
    for place, ballot in enumerate(world.annotations.ballots):
        sentence = world.sentences[place]
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            for token, label in enumerate(tags):
                if label < 0:
                    continue
                key = (voter, sentence.doc, sentence.tokens[token])
                if key in said:
                    expected[voter, said[key], :, label] += consensus.posteriors[place][token]
                said[key] = label
    return expected


def test_all_contexts_together_are_the_confusion_of_the_annotator() -> None:
    world = random_corpus(3, sentences=15)
    consensus = _voted(world)
    tables = ContextTables.of(consensus)
    for voter, report in enumerate(consensus.annotators):
        contexts = tables.frequent(voter, "local", 100)
        total = sum(tables.counts(voter, "local", context) for context in contexts)
        np.testing.assert_allclose(total, report.confusion, atol=1e-9)


def test_the_most_frequent_contexts_come_first() -> None:
    world = corpus("a/O/O b/O/O c/B-PER/B-PER d/O/O", "e/O/O f/O/O g/O/O")
    tables = ContextTables.of(_voted(world))
    names = [world.scheme.tags[k] if k >= 0 else None for k in tables.frequent(0, "local", 10)]
    assert names == ["O", None, "B-PER"]
    assert len(tables.frequent(0, "local", 2)) == 2


def test_a_word_without_an_earlier_mention_is_no_context_of_repeats() -> None:
    world = corpus("Ada/B-PER/B-PER met/O/O Bob/B-PER/B-PER", "Ada/B-PER/O left/O/O", docs=["d", "d"])
    tables = ContextTables.of(_voted(world))
    assert [world.scheme.tags[k] for k in tables.frequent(0, "repeated", 10)] == ["B-PER"]
    given_after = tables.counts(0, "repeated", world.scheme.index["B-PER"])
    assert given_after.sum() == pytest.approx(1.0)
    assert given_after[:, world.scheme.index["O"]].sum() == pytest.approx(1.0)
