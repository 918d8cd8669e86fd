"""What lies in a folder of shards: the names of its files, the tables that all share, a corpus as arrays."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import Column, Text
from crowdseq.storage.mapped import pack_texts, unpack_texts
from crowdseq.storage.tensors import TensorFile

INDEX_FILE, TABLES_FILE = "index.json", "tables.safetensors"
FORMAT, VERSION = "crowdseq shards", 1
COLUMN = "column:"


def shard_name(number: int) -> str:
    """The file of a shard."""
    return f"shard-{number:05d}.safetensors"


@dataclass(frozen=True, eq=False)
class ShardTables:
    """What all shards share: words and columns are sorted, annotators named.

    annotator_order (K,): the annotators as their answers order them, names aside.
    """

    scheme: LabelScheme
    annotators: tuple[str, ...]
    words: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    annotator_order: IntArray


def shard_arrays(part: Corpus, places: IntArray) -> dict[str, NDArray[Any]]:
    """What the file of a shard holds."""
    text, crowd = part.text, part.annotations
    extras = [json.dumps(text.extras[number], ensure_ascii=False) for number in sorted(text.extras)]
    return {
        "token_ids": text.token_ids,
        "offsets": text.offsets,
        "document_of": text.document_of,
        "voters": crowd.voters,
        "row_offsets": crowd.row_offsets,
        "tags": crowd.tags,
        "gold_tags": part.gold_tags,
        "has_gold": part.has_gold,
        "places": np.asarray(places, np.int64),
        "extras_of": np.array(sorted(text.extras), np.int64),
        **{COLUMN + name: column.ids for name, column in text.columns.items()},
        **pack_texts("ids", text.ids),
        **pack_texts("documents", text.documents),
        **pack_texts("extras", extras),
    }


def shard_corpus(file: TensorFile, tables: ShardTables, size: tuple[int, int]) -> Corpus:
    """The corpus of such a file, of so many sentences and tokens."""
    sentences, tokens = size
    extras = zip(file.take("extras_of", "i8", (None,)).tolist(), unpack_texts("extras", file), strict=True)
    text = Text(
        tables.words,
        file.take("token_ids", "i4", (tokens,)),
        file.take("offsets", "i8", (sentences + 1,)),
        cast(tuple[str, ...], unpack_texts("ids", file)),
        unpack_texts("documents", file),
        file.take("document_of", "i4", (sentences,)),
        {
            name: Column(table, file.take(COLUMN + name, "i4", (tokens,)))
            for name, table in tables.columns.items()
        },
        {number: json.loads(one or "{}") for number, one in extras},
    )
    crowd = Annotations(
        tables.annotators,
        file.take("voters", "i4", (None,)),
        file.take("row_offsets", "i8", (sentences + 1,)),
        file.take("tags", "i2", (None,)),
        text.lengths,
    )
    gold = file.take("gold_tags", "i2", (tokens,))
    return Corpus(tables.scheme, text, crowd, gold, file.take("has_gold", "?", (sentences,)))
