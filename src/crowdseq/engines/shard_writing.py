"""ShardWriter: writes the files of shards, and their index last: a folder without one is unfinished."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shard_layout import (
    COLUMN,
    FORMAT,
    INDEX_FILE,
    TABLES_FILE,
    VERSION,
    ShardTables,
    shard_arrays,
    shard_name,
)
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.mapped import pack_texts
from crowdseq.storage.tensors import encode_tensors


class ShardWriter:
    """Writes shards one after the other, and the index when all of them are there."""

    def __init__(self, folder: Path, tables: ShardTables, shard_tokens: int) -> None:
        self._folder, self._tables, self._shard_tokens = folder, tables, shard_tokens
        self._entries: list[dict[str, Any]] = []
        folder.mkdir(parents=True, exist_ok=True)
        (folder / INDEX_FILE).unlink(missing_ok=True)

    def __enter__(self) -> "ShardWriter":
        return self

    def add(self, part: Corpus, places: IntArray) -> None:
        """The next shard; places (N,): the number of each of its sentences in the order of the input."""
        name = shard_name(len(self._entries))
        digest = _write(self._folder / name, shard_arrays(part, places))
        self._entries.append(
            {
                "file": name,
                "sentences": len(part),
                "tokens": part.n_tokens,
                "documents": len(part.text.documents),
                "votes": part.annotations.n_votes,
                "gold": int(part.has_gold.sum()),
                "sha256": digest,
            }
        )

    def close(self) -> None:
        """Write the tables and the index."""
        tables = self._tables
        arrays = pack_texts("words", tables.words) | {"annotator_order": np.asarray(tables.annotator_order)}
        for name, table in tables.columns.items():
            arrays |= pack_texts(COLUMN + name, table)
        digest = _write(self._folder / TABLES_FILE, arrays)
        index = {
            "format": FORMAT,
            "version": VERSION,
            "scheme": {"kind": tables.scheme.kind, "tags": tables.scheme.tags},
            "annotators": tables.annotators,
            "columns": list(tables.columns),
            "words": len(tables.words),
            "shard_tokens": self._shard_tokens,
            "tables": {"file": TABLES_FILE, "sha256": digest},
            "shards": self._entries,
        }
        with AtomicFile(self._folder / INDEX_FILE, force=True) as file:
            file.write(json.dumps(index, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()


def _write(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    content = encode_tensors(arrays)
    with AtomicFile(path, force=True) as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()
