"""Where a corpus is cut: whole documents, by content and size alone."""

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.aggregation.canonical import Canonical
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import Cut, cut_documents
from shard_worlds import shuffled

SIZES = [1, 20, 55, 130, 10_000]


def world() -> Corpus:
    return random_corpus(3, sentences=60, documents=14, unlabelled=0.1)


@pytest.mark.parametrize("size", SIZES)
def test_every_sentence_is_in_one_shard_and_documents_are_whole(size: int) -> None:
    corpus = world()
    cut = cut_documents(corpus, size)
    if cut.sentences is None:
        assert size >= corpus.n_tokens
        assert cut.shards[0].corpus is corpus
        return
    assert sorted(np.concatenate(cut.sentences).tolist()) == list(range(len(corpus)))
    homes = [{int(corpus.text.document_of[s]) for s in part} for part in cut.sentences]
    assert sum(map(len, homes)) == len(corpus.text.documents)


@pytest.mark.parametrize("size", SIZES)
def test_shards_are_as_full_as_the_size_lets_them_be(size: int) -> None:
    cut = cut_documents(world(), size)
    sizes = [shard.corpus.n_tokens for shard in cut.shards]
    for shard, tokens in zip(cut.shards, sizes, strict=True):
        assert tokens <= size or len(shard.corpus.text.documents) == 1
    for first, (shard, tokens) in zip(sizes, list(zip(cut.shards, sizes, strict=True))[1:], strict=False):
        opening = shard.corpus.text.lengths[shard.corpus.text.document_of == shard.corpus.text.document_of[0]]
        assert first + int(opening.sum()) > size
        assert tokens > 0


def test_documents_without_tokens_are_no_shard_of_their_own() -> None:
    builder = CorpusBuilder()
    for doc, tokens in (("a", []), ("b", ["x"] * 9), ("c", []), ("d", ["y"] * 9), ("e", [])):
        builder.add(Record(tokens, doc=doc, annotations={"k": ["O"] * len(tokens)}))
    cut = cut_documents(builder.build(), 5)
    assert [shard.corpus.n_tokens for shard in cut.shards] == [9, 9]
    assert sum(len(shard.corpus) for shard in cut.shards) == 5


def test_what_is_split_can_be_joined() -> None:
    corpus = world()
    rows = np.random.default_rng(0).random((corpus.n_tokens, 3))
    for size in SIZES:
        cut = cut_documents(corpus, size)
        np.testing.assert_array_equal(cut.join_tokens(cut.split_tokens(rows)), rows)


def test_the_tokens_of_a_shard_are_those_of_its_sentences() -> None:
    corpus = world()
    cut = cut_documents(corpus, 55)
    assert cut.tokens is not None
    for shard, tokens in zip(cut.shards, cut.tokens, strict=True):
        np.testing.assert_array_equal(shard.corpus.text.token_ids, corpus.text.token_ids[tokens])
        np.testing.assert_array_equal(shard.corpus.gold_tags, corpus.gold_tags[tokens])


def told(cut: Cut) -> list[list[tuple[str, ...]]]:
    return [list(shard.corpus.text.tokens) for shard in cut.shards]


@pytest.mark.parametrize("seed", range(3))
def test_neither_names_nor_the_order_of_documents_change_the_canonical_cut(seed: int) -> None:
    corpus = world()
    wanted = told(cut_canonical(corpus, 90))
    assert len(wanted) > 3
    assert told(cut_canonical(shuffled(corpus, seed), 90)) == wanted


def test_a_canonical_corpus_is_cut_where_it_stands() -> None:
    ordered = Canonical.of(world(), whole_documents=True).corpus
    cut = cut_canonical(ordered, 90)
    assert cut.sentences is not None
    np.testing.assert_array_equal(np.concatenate(cut.sentences), np.arange(len(ordered)))
