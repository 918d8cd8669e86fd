"""Corpora as folders of shards: what is written comes back, and what is damaged is told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crowdseq
from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Column
from crowdseq.engines.ordering import cut_canonical, order_of_documents, store_corpus
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.engines.shard_layout import INDEX_FILE
from crowdseq.engines.shards import CorpusFacts
from crowdseq.errors import FormatError
from shard_worlds import quarter


@pytest.fixture(scope="module")
def demo() -> Corpus:
    corpus = crowdseq.demo_corpus()
    classes = Column(("noun", "verb"), (corpus.text.token_ids % 3 - 1).astype(np.int32))
    return replace(corpus, text=replace(corpus.text, columns={"class": classes}))


@pytest.fixture(scope="module")
def stored(demo: Corpus, tmp_path_factory: pytest.TempPathFactory) -> StoredCorpus:
    return store_corpus(demo, tmp_path_factory.mktemp("shards"), quarter(demo))


def test_shards_on_disk_are_those_in_memory(demo: Corpus, stored: StoredCorpus) -> None:
    cut = cut_canonical(demo, quarter(demo))
    assert len(stored.shards) == len(cut.shards) == 4
    for shard, mapped in zip(cut.shards, stored.parts(), strict=True):
        assert mapped == shard.corpus
        assert mapped.text.words == shard.corpus.text.words
        np.testing.assert_array_equal(mapped.text.token_ids, shard.corpus.text.token_ids)
        assert mapped.text.columns["class"].table == ("noun", "verb")


def test_the_index_tells_what_a_driver_needs(demo: Corpus, stored: StoredCorpus) -> None:
    told, facts = stored.facts, CorpusFacts.of(demo)
    assert told.scheme == facts.scheme
    assert told.annotators == facts.annotators
    sizes = ("n_sentences", "n_tokens", "n_votes", "n_gold")
    assert [getattr(told, name) for name in sizes] == [getattr(facts, name) for name in sizes]
    assert told.n_words == len({word for tokens in demo.text.tokens for word in tokens})
    assert sorted(stored.annotator_order.tolist()) == list(range(len(demo.annotators)))


def test_every_sentence_knows_where_it_stood(demo: Corpus, stored: StoredCorpus) -> None:
    places = np.concatenate([stored.places(number) for number in range(4)])
    np.testing.assert_array_equal(places, order_of_documents(demo))
    ids = [name for part in stored.parts() for name in part.text.ids]
    assert ids == [demo.text.ids[place] for place in places.tolist()]


def test_arrays_are_mapped_and_cannot_be_written_to(stored: StoredCorpus) -> None:
    tags = stored.open_shard(1).annotations.tags
    assert not tags.flags.writeable
    assert not tags.flags.owndata


def test_a_corpus_that_fits_into_one_shard_stays_as_it_is(demo: Corpus, tmp_path: Path) -> None:
    (only,) = store_corpus(demo, tmp_path, demo.n_tokens).parts()
    assert only == demo
    assert only.text.words == demo.text.words


def test_the_same_corpus_gives_the_same_bytes(demo: Corpus, stored: StoredCorpus, tmp_path: Path) -> None:
    again = store_corpus(demo, tmp_path, quarter(demo))
    assert again.fingerprint == stored.fingerprint
    assert again.verify() == []


def test_a_folder_without_an_index_is_unfinished(stored: StoredCorpus, tmp_path: Path) -> None:
    assert is_stored(stored.folder)
    assert not is_stored(tmp_path)
    with pytest.raises(FormatError, match=INDEX_FILE):
        StoredCorpus.open(tmp_path)


@pytest.mark.parametrize(("content", "told"), [(None, "is missing"), (b'{"format": "crow', "is not JSON")])
def test_a_lost_or_damaged_index_is_named(
    demo: Corpus, tmp_path: Path, content: bytes | None, told: str
) -> None:
    index = store_corpus(demo, tmp_path, quarter(demo)).folder / INDEX_FILE
    index.unlink()
    if content is not None:
        index.write_bytes(content)
    with pytest.raises(FormatError, match=rf"{INDEX_FILE}: {told}"):
        crowdseq.read(tmp_path)


@pytest.mark.parametrize("damage", ["lost", "cut", "empty", "changed"])
def test_a_lost_or_damaged_shard_is_named(demo: Corpus, tmp_path: Path, damage: str) -> None:
    stored = store_corpus(demo, tmp_path, quarter(demo))
    path = stored.shards[2].path
    content = path.read_bytes()
    if damage == "lost":
        path.unlink()
    else:
        changed = content[:-1] + bytes([content[-1] ^ 1])
        path.write_bytes({"cut": content[:-9], "empty": b"", "changed": changed}[damage])
    assert stored.verify() == [path.name]
    if damage != "changed":
        with pytest.raises(FormatError, match=path.name):
            stored.open_shard(2)
