"""Sentences out of files of shards, without reading the rest of them; and pieces put together."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.core.text import Column, Text
from crowdseq.engines.shard_files import StoredCorpus, StoredShard
from crowdseq.engines.shard_layout import ShardTables
from crowdseq.storage.tensors import TensorFile


def take_sentences(file: TensorFile, sentences: IntArray, tables: ShardTables) -> Corpus:
    """These sentences of a file, in this order."""
    arrays = file.arrays
    lengths = np.diff(arrays["offsets"])[sentences]
    tokens = gather_ranges(arrays["offsets"][sentences], lengths)
    kept, document_of = np.unique(arrays["document_of"][sentences], return_inverse=True)
    text = Text(
        tables.words,
        arrays["token_ids"][tokens],
        offsets_of(lengths),
        tuple(_texts(arrays, "ids", sentences)),  # type: ignore[arg-type]
        tuple(_texts(arrays, "documents", kept)),
        document_of.astype(np.int32),
        {name: Column(table, arrays[f"column:{name}"][tokens]) for name, table in tables.columns.items()},
        _extras(arrays, sentences),
    )
    gold, has_gold = arrays["gold_tags"][tokens], arrays["has_gold"][sentences]
    return Corpus(tables.scheme, text, _crowd(arrays, sentences, tables.annotators), gold, has_gold)


def _crowd(arrays: Mapping[str, NDArray[Any]], sentences: IntArray, names: tuple[str, ...]) -> Annotations:
    all_lengths, row_offsets = np.diff(arrays["offsets"]), arrays["row_offsets"]
    all_counts = np.diff(row_offsets)
    blocks = offsets_of(all_counts * all_lengths)
    counts, lengths = all_counts[sentences], all_lengths[sentences]
    rows = gather_ranges(row_offsets[sentences], counts)
    cells = gather_ranges(blocks[sentences], counts * lengths)
    return Annotations(names, arrays["voters"][rows], offsets_of(counts), arrays["tags"][cells], lengths)


def _texts(arrays: Mapping[str, NDArray[Any]], name: str, numbers: IntArray) -> list[str | None]:
    content, bounds, given = (arrays[f"{name}{ending}"] for ending in ("", "_bounds", "_given"))
    ranges = zip(bounds[numbers].tolist(), bounds[numbers + 1].tolist(), given[numbers].tolist(), strict=True)
    return [
        content[first:last].tobytes().decode("utf-8", "surrogatepass") if is_given else None
        for first, last, is_given in ranges
    ]


def _extras(arrays: Mapping[str, NDArray[Any]], sentences: IntArray) -> dict[int, dict[str, Any]]:
    owners = arrays["extras_of"]
    if not len(owners):
        return {}
    places = np.minimum(np.searchsorted(owners, sentences), len(owners) - 1)
    there = np.flatnonzero(owners[places] == sentences)
    texts = _texts(arrays, "extras", places[there])
    return {int(new): json.loads(text or "{}") for new, text in zip(there, texts, strict=True)}


def joined(parts: Sequence[Corpus]) -> Corpus:
    """Corpora with the same tables, one after the other; documents are not joined."""
    if len(parts) == 1:
        return parts[0]
    texts, crowds = [part.text for part in parts], [part.annotations for part in parts]
    first = texts[0]
    firsts = np.cumsum([0, *(len(text.documents) for text in texts)])
    numbers = np.cumsum([0, *(len(text) for text in texts)]).tolist()
    lengths = np.concatenate([text.lengths for text in texts])
    text = Text(
        first.words,
        np.concatenate([one.token_ids for one in texts]),
        offsets_of(lengths),
        tuple(name for one in texts for name in one.ids),
        tuple(name for one in texts for name in one.documents),
        np.concatenate([one.document_of + shift for one, shift in zip(texts, firsts, strict=False)]).astype(
            np.int32
        ),
        {
            name: Column(column.table, np.concatenate([one.columns[name].ids for one in texts]))
            for name, column in first.columns.items()
        },
        {
            place + shift: extras
            for one, shift in zip(texts, numbers, strict=False)
            for place, extras in one.extras.items()
        },
    )
    crowd = Annotations(
        crowds[0].annotators,
        np.concatenate([one.voters for one in crowds]),
        offsets_of(np.concatenate([np.diff(one.row_offsets) for one in crowds])),
        np.concatenate([one.tags for one in crowds]),
        lengths,
    )
    gold, has_gold = ([getattr(part, name) for part in parts] for name in ("gold_tags", "has_gold"))
    return Corpus(parts[0].scheme, text, crowd, np.concatenate(gold), np.concatenate(has_gold))


def _checked(file: TensorFile, shard: StoredShard) -> tuple[IntArray, IntArray]:
    """The places and lengths of the sentences of a shard, whose arrays must fit each other: what is gathered
    by them can then be no larger than the file."""
    sentences, tokens = shard.sentences, shard.tokens
    offsets, row_offsets = (file.take(name, "i8", (sentences + 1,)) for name in ("offsets", "row_offsets"))
    lengths, counts = np.diff(offsets), np.diff(row_offsets)
    voters, tags = file.take("voters", "i4", (None,)), file.take("tags", "i2", (None,))
    for name, kind, size in (
        ("token_ids", "i4", tokens),
        ("gold_tags", "i2", tokens),
        ("document_of", "i4", sentences),
        ("has_gold", "?", sentences),
    ):
        file.take(name, kind, (size,))
    ends_well = (offsets[0], offsets[-1], row_offsets[0], row_offsets[-1]) == (0, tokens, 0, len(voters))
    is_even = lengths.min(initial=0) >= 0 and counts.min(initial=0) >= 0
    if not (ends_well and is_even and float((counts * lengths.astype(np.float64)).sum()) == len(tags)):
        raise file.fault("holds sentences that do not fit each other")
    return file.take("places", "i8", (sentences,)), lengths


@dataclass(frozen=True, eq=False)
class InputOrder:
    """Where the sentences of a stored corpus lie, in the order in which they were read: (N,) shards and
    numbers in them; lengths (N,)."""

    corpus: StoredCorpus
    shards: IntArray
    numbers: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, corpus: StoredCorpus) -> "InputOrder":
        """FormatError, which names the file, where a shard does not hold what the index says."""
        files = [_checked(corpus.shard_file(shard.number), shard) for shard in corpus.shards]
        count = sum(len(places) for places, _ in files)
        made: list[IntArray] = [np.full(count, -1, np.int32) for _ in range(3)]
        for shard, (places, lengths) in zip(corpus.shards, files, strict=True):
            if len(places) and not 0 <= places.min() <= places.max() < count:
                raise corpus.shard_file(shard.number).fault("tells of sentences that are not there")
            mine: tuple[IntArray, ...] = (np.full_like(places, shard.number), np.arange(len(places)), lengths)
            for column, values in zip(made, mine, strict=True):
                column[places] = values
        if count and made[0].min() < 0:
            raise corpus.shard_file(0).fault("and the other shards tell twice of one sentence")
        return cls(corpus, *made)

    def blocks(self, n_tokens: int) -> Iterator[slice]:
        """Stretches of sentences of about so many tokens."""
        return portions(offsets_of(self.lengths), n_tokens)

    def take(self, block: slice) -> Corpus:
        """The sentences of a stretch, in order."""
        pieces, taken = [], []
        for shard, here in self.split(block):
            file = self.corpus.shard_file(shard)
            pieces.append(take_sentences(file, self.numbers[block][here], self.corpus.tables))
            taken.append(here)
        order = np.argsort(np.concatenate(taken), kind="stable") if taken else np.zeros(0, np.int64)
        return joined(pieces).select(order)

    def split(self, block: slice) -> Iterator[tuple[int, IntArray]]:
        """The shards that a stretch lies in, and which of its sentences lie there."""
        shards = self.shards[block]
        order = np.argsort(shards, kind="stable")
        found, firsts = np.unique(shards[order], return_index=True)
        yield from zip(found.tolist(), np.split(order, firsts[1:]), strict=True)
