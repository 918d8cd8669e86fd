"""The order of a corpus that follows from its content alone, whatever its files, names and numbers.

Sums in another order differ in the last digits, so what is cut into shards is put in this order first.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Column, Text
from crowdseq.engines.shards import Cut, cut_documents

if TYPE_CHECKING:  # most corpora stay in memory
    from crowdseq.engines.shard_files import StoredCorpus


def order_of_documents(corpus: Corpus) -> IntArray:
    """(N,) the sentences of a corpus as `Canonical` with whole documents orders them."""
    return by_documents(corpus.text, digests(corpus)[1])


def digests(corpus: Corpus) -> tuple[list[bytes], list[bytes]]:
    """One for each annotator, and one for each sentence with all that was said of it."""
    codes = word_codes(corpus.text.words)[corpus.text.token_ids]
    texts, rows = sentence_digests(codes, corpus.offsets), row_digests(corpus)
    crowd = corpus.annotations
    annotators = _digest_groups(
        [texts[s] + row for s, row in zip(crowd.row_sentences.tolist(), rows, strict=True)],
        crowd.voters,
        len(corpus.annotators),
    )
    ballots = _digest_groups(
        [annotators[k] + row for k, row in zip(crowd.voters.tolist(), rows, strict=True)],
        crowd.row_sentences,
        len(corpus),
    )
    return annotators, [text + ballot for text, ballot in zip(texts, ballots, strict=True)]


def digest_of(content: bytes) -> bytes:
    """Sixteen bytes that tell it from anything else."""
    return blake2b(content, digest_size=16).digest()


def word_codes(words: Sequence[str]) -> NDArray[np.uint64]:
    """(V,) a number for each word that follows from its letters."""
    made = [blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(made), np.uint64)


def sentence_digests(codes: NDArray[np.uint64], offsets: IntArray) -> list[bytes]:
    """One for each sentence, from the codes (T,) of its words and nothing else."""
    bounds = offsets.tolist()
    return [digest_of(codes[a:b].tobytes()) for a, b in pairwise(bounds)]


def row_digests(corpus: Corpus) -> list[bytes]:
    """One for each annotator's answer to a sentence, from its labels."""
    crowd = corpus.annotations
    ends = (crowd.row_starts + crowd.lengths[crowd.row_sentences]).tolist()
    tags = np.ascontiguousarray(crowd.tags, np.int16)
    return [digest_of(tags[a:b].tobytes()) for a, b in zip(crowd.row_starts.tolist(), ends, strict=True)]


def _digest_groups(digests: Sequence[bytes], groups: IntArray, n_groups: int) -> list[bytes]:
    """One for each group, from those of its members, whatever their order."""
    members: list[list[bytes]] = [[] for _ in range(n_groups)]
    for group, digest in zip(groups.tolist(), digests, strict=True):
        members[group].append(digest)
    return [digest_of(b"".join(sorted(group))) for group in members]


def by_digest(digests: Sequence[bytes]) -> IntArray:
    return np.array(sorted(range(len(digests)), key=digests.__getitem__), np.int64)


def by_documents(text: Text, sentences: Sequence[bytes]) -> IntArray:
    """Documents by their content, the sentences of each one after the other as they stand."""
    parts: list[list[int]] = [[] for _ in text.documents]
    for place, document in enumerate(text.document_of.tolist()):
        parts[document].append(place)
    ranked = sorted((digest_of(b"".join(sentences[place] for place in part)), part) for part in parts)
    return np.array([place for _, part in ranked for place in part], np.int64)


def sort_words(text: Text) -> Text:
    """The same text with its tables of words and columns in sorted order, unused entries left out."""
    words, token_ids = _sorted_table(text.words, text.token_ids)
    columns = {
        name: Column(*_sorted_table(text.columns[name].table, text.columns[name].ids))
        for name in sorted(text.columns)
    }
    return replace(text, words=words, token_ids=token_ids, columns=columns)


def _sorted_table(table: Sequence[str], ids: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """-1 stands for no entry and stays."""
    used = sorted(np.unique(ids[ids >= 0]).tolist(), key=lambda number: table[number])
    numbers = np.full(len(table) + 1, -1, np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    return tuple(table[number] for number in used), numbers[ids]


def cut_canonical(corpus: Corpus, shard_tokens: int) -> Cut:
    """Whole documents in canonical order, filled up to `shard_tokens`, with sorted tables of words.

    A corpus that fits into one shard stays as it is.
    """
    if corpus.n_tokens <= shard_tokens:
        return Cut.whole(corpus)
    return _cut_in_order(corpus, shard_tokens, order_of_documents(corpus))


def _cut_in_order(corpus: Corpus, shard_tokens: int, order: IntArray) -> Cut:
    cut = cut_documents(replace(corpus, text=sort_words(corpus.text)), shard_tokens, order)
    return cut if len(cut.shards) > 1 else Cut.whole(corpus)


def store_corpus(corpus: Corpus, folder: Path, shard_tokens: int) -> "StoredCorpus":
    """The shards of `cut_canonical` as files."""
    from crowdseq.engines.shard_files import StoredCorpus
    from crowdseq.engines.shard_layout import ShardTables
    from crowdseq.engines.shard_writing import ShardWriter

    annotators, labelled = digests(corpus)
    cut = Cut.whole(corpus)
    if corpus.n_tokens > shard_tokens:
        cut = _cut_in_order(corpus, shard_tokens, by_documents(corpus.text, labelled))
    places = cut.split_sentences(np.arange(len(corpus)))
    text = cut.shards[0].corpus.text
    columns = {name: column.table for name, column in text.columns.items()}
    tables = ShardTables(corpus.scheme, corpus.annotators, text.words, columns, by_digest(annotators))
    with ShardWriter(folder, tables, shard_tokens) as writer:
        for shard, stood in zip(cut.shards, places, strict=True):
            writer.add(shard.corpus, stood)
    return StoredCorpus.open(folder)
