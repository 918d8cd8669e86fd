"""Canonical order: the same for any names and any order of what comes in."""

import numpy as np

from builders import random_corpus
from crowdseq.aggregation.canonical import Canonical
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus


def shuffled(world: Corpus, seed: int) -> tuple[Corpus, list[int]]:
    """The same sentences in another order, with other names for sentences, documents and annotators."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(world)).tolist()
    names = {name: f"n{number}" for name, number in zip(world.annotators, rng.permutation(99), strict=False)}
    builder = CorpusBuilder()
    for place in order:
        ballot = world.annotations.ballots[place]
        votes = {
            names[world.annotators[voter]]: world.scheme.names(tags)
            for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        sentence = world.sentences[place]
        builder.add(Record(sentence.tokens, f"s{place * 7 % 101}", None, votes, world.gold[place]))
    return builder.build(world.scheme), order


def test_names_and_order_leave_no_trace() -> None:
    world = random_corpus(3, sentences=40, unlabelled=0.1)
    one = Canonical.of(world).corpus
    for seed in range(5):
        other = Canonical.of(shuffled(world, seed)[0]).corpus
        assert one.text.words == other.text.words
        np.testing.assert_array_equal(one.text.token_ids, other.text.token_ids)
        np.testing.assert_array_equal(one.offsets, other.offsets)
        np.testing.assert_array_equal(one.annotations.tags, other.annotations.tags)
        np.testing.assert_array_equal(one.annotations.voters, other.annotations.voters)
        np.testing.assert_array_equal(one.gold_tags, other.gold_tags)


def test_whole_documents_keep_the_order_of_their_sentences() -> None:
    world = random_corpus(5, sentences=40, documents=9)
    documents = world.text.document_of
    ordered = Canonical.of(world, whole_documents=True)
    assert (np.diff(ordered.corpus.text.document_of) != 0).sum() == 8
    first = ordered.tokens[ordered.corpus.offsets[:-1]]
    places = np.searchsorted(world.offsets, first, side="right") - 1
    for document in range(9):
        mine = places[documents[places] == document]
        np.testing.assert_array_equal(mine, np.flatnonzero(documents == document))


def test_the_order_of_whole_documents_leaves_no_trace() -> None:
    world = random_corpus(6, sentences=40, documents=9)
    one = Canonical.of(world, whole_documents=True).corpus
    backwards = sorted(range(40), key=lambda place: (-int(world.text.document_of[place]), place))
    other = Canonical.of(world.select(backwards), whole_documents=True).corpus
    np.testing.assert_array_equal(one.text.token_ids, other.text.token_ids)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    np.testing.assert_array_equal(one.annotations.tags, other.annotations.tags)


def test_what_was_put_in_order_can_be_put_back() -> None:
    world = random_corpus(4, sentences=20)
    ordered = Canonical.of(world)
    np.testing.assert_array_equal(ordered.restore_tokens(ordered.corpus.gold_tags), world.gold_tags)
    words = np.array(ordered.corpus.text.words)[ordered.corpus.text.token_ids]
    np.testing.assert_array_equal(
        ordered.restore_tokens(words), np.array(world.text.words)[world.text.token_ids]
    )
    counts = np.bincount(ordered.corpus.annotations.voters, minlength=len(world.annotators))
    before = np.bincount(world.annotations.voters, minlength=len(world.annotators))
    np.testing.assert_array_equal(ordered.restore_annotators(counts), before)


def test_an_empty_corpus_stays_empty() -> None:
    empty = random_corpus(0, sentences=0)
    assert len(Canonical.of(empty).corpus) == 0
