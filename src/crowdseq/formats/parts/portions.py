"""Portion: some documents of a corpus on their way to the shards, in a scratch file that is mapped.

Words have the numbers of the whole reading; labels, annotators and columns at first those of the portion.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import PLAIN, LabelScheme
from crowdseq.core.text import Column
from crowdseq.engines.shard_layout import ShardTables, shard_arrays, shard_corpus
from crowdseq.errors import Advice
from crowdseq.storage.mapped import map_tensors
from crowdseq.storage.tensors import TensorFile, encode_tensors

_AGAIN = Advice("begin anew")
_NO_ORDER: IntArray = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Portion:
    """One scratch file and what is in it; first: the number of its first sentence in the input."""

    path: Path
    first: int
    sentences: int
    tokens: int

    @classmethod
    def write(cls, path: Path, corpus: Corpus, first: int, **more: NDArray[Any]) -> "Portion":
        """more: further arrays by name."""
        places = first + np.arange(len(corpus), dtype=np.int64)
        tables = {
            "labels": corpus.scheme.tags,
            "annotators": corpus.annotators,
            "columns": {name: column.table for name, column in corpus.text.columns.items()},
        }
        texts = {"tables": json.dumps(tables)}
        path.write_bytes(encode_tensors(shard_arrays(corpus, places) | more, texts))
        return cls(path, first, len(corpus), corpus.n_tokens)

    def file(self) -> TensorFile:
        """Its arrays, mapped."""
        return map_tensors(self.path, _AGAIN)

    def read(self, words: tuple[str, ...] = ()) -> tuple[Corpus, BoolArray]:
        """As it was read, with labels as they were spelt; and (N,) the sentences that were asked for."""
        file = self.file()
        held = json.loads(file.texts["tables"])
        columns = {name: tuple(table) for name, table in held["columns"].items()}
        scheme = LabelScheme(tuple(held["labels"]), PLAIN)
        tables = ShardTables(scheme, tuple(held["annotators"]), words, columns, _NO_ORDER)
        chosen = file.take("chosen", "?", (self.sentences,))
        return shard_corpus(file, tables, (self.sentences, self.tokens)), chosen


@dataclass(frozen=True, eq=False)
class Renumbering:
    """From the numbers of portions to those of all shards.

    words (V,): old number to new one. annotators: all that are kept, in order. columns: of all portions, each
    with its values in order.
    """

    words: IntArray
    annotators: tuple[str, ...]
    columns: Mapping[str, Mapping[str, int]]

    def apply(self, corpus: Corpus) -> Corpus:
        """The corpus of a portion; rows of annotators who are not kept are left out."""
        text = replace(
            corpus.text, token_ids=self.words[corpus.text.token_ids], columns=self._columns(corpus)
        )
        return replace(corpus, text=text, annotations=self._crowd(corpus.annotations))

    def _columns(self, corpus: Corpus) -> dict[str, Column]:
        made = {}
        for name, table in self.columns.items():
            held, ids = corpus.text.columns.get(name), np.full(corpus.n_tokens, -1, np.int32)
            if held is not None:
                numbers = np.array([*(table.get(value, -1) for value in held.table), -1], np.int32)
                ids = numbers[held.ids]
            made[name] = Column(tuple(table), ids)
        return made

    def _crowd(self, crowd: Annotations) -> Annotations:
        known = {name: number for number, name in enumerate(self.annotators)}
        numbers = np.array([known.get(name, -1) for name in crowd.annotators], np.int32)
        kept = crowd.keep_annotators(np.flatnonzero(numbers >= 0).tolist())
        voters = numbers[numbers >= 0][kept.voters].astype(np.int32)
        return Annotations(self.annotators, voters, kept.row_offsets, kept.tags, kept.lengths)
