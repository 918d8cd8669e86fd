"""Folds: documents stay together unless one of them is most of the text."""

from dataclasses import replace

import numpy as np

from builders import corpus, random_corpus
from crowdseq.aggregation.canonical import assign_folds
from crowdseq.evaluation.scores import evaluate
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.learning import learn


def test_sentences_of_a_document_share_a_fold() -> None:
    names = ["a", "a", "b", "b", "c", "c"]
    world = corpus(*(f"word{n}/O/O other{n}/O/O" for n in range(6)), docs=names)
    folds = assign_folds(world, 2)
    assert folds[0] == folds[1]
    assert folds[2] == folds[3]
    assert len(set(folds.tolist())) == 2


def test_a_document_that_is_most_of_the_text_goes_by_its_sentences() -> None:
    world = corpus(*(f"word{n}/O/O" for n in range(20)), "last/O/O", docs=["a"] * 20 + ["b"])
    assert len(set(assign_folds(world, 5).tolist())) == 5


def test_a_sentence_that_is_most_of_the_text_leaves_one_fold() -> None:
    long = " ".join(f"word{n}/O/O" for n in range(50))
    assert not assign_folds(corpus(long, "short/O/O"), 5).any()
    assert not assign_folds(corpus("alone/O/O"), 5).any()
    assert assign_folds(random_corpus(1, sentences=0), 5).shape == (0,)


def test_one_long_document_is_judged_better_than_by_votes() -> None:
    world = demo_corpus().select(range(400))
    text = replace(world.text, documents=("all",), document_of=np.zeros(len(world), np.int64))
    world = replace(world, text=text)
    gold = [list(tags or ()) for tags in world.gold]
    ours, votes = (
        evaluate(gold, [list(tags) for tags in learn(world, method, tagger=False).consensus.tags]).f1 or 0.0
        for method in ("sa-slc", "majority-vote")
    )
    assert ours > votes
