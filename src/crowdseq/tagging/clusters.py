"""Clusters: words that are used alike, out of word vectors; a token shows the clusters of its word."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.errors import SettingsError
from crowdseq.numerics.words.kmeans import Rows, assign, find_centres, normalised
from crowdseq.tagging.streams import Passage, Stream

Numbers: TypeAlias = NDArray[np.uint16]  # of clusters, one for each word

_DIGIT = re.compile(r"\d")
_CENTRES_FROM = 60_000  # words, the most frequent first: the others go to the nearest centre
_PASSES = 10
_LEAST_WORDS = 4  # of a cluster on average: finer ones tell no more than the words themselves


@dataclass(frozen=True, eq=False)
class Clusters:
    """(V,) words, and by number of clusters the one of each word: {64: (V,), 256: (V,) …}.

    name: of the stream. offsets: from where a token sees them. rounds: as many of the numbers of clusters,
    and the offsets, as the rounds of a method see; none for a source that is for the tagger alone.
    """

    name: str
    words: Sequence[str]
    tables: Mapping[int, Numbers]
    offsets: tuple[int, ...]
    rounds: tuple[tuple[int, ...], tuple[int, ...]]

    def __post_init__(self) -> None:
        for size, table in self.tables.items():
            if len(table) != len(self.words) or (len(table) and not 0 <= table.min() <= table.max() < size):
                raise SettingsError(f"{len(self.words)} words do not fit their table of {size} clusters")

    @property
    def in_rounds(self) -> "Clusters | None":
        """What the rounds of a method see."""
        sizes, offsets = self.rounds
        if not sizes:
            return None
        seen = replace(
            self, tables={size: self.tables[size] for size in sizes if size in self.tables}, offsets=offsets
        )
        seen.__dict__["_index"] = self._index
        return seen

    @property
    def in_tagger_alone(self) -> "Clusters":
        """The same, hidden from the rounds."""
        return replace(self, rounds=((), ()))

    def find(self, word: str) -> int:
        """Its number, or -1: as written, without case, or without case and with every digit as 0."""
        index, lowered = self._index, word.lower()
        found = index.get(word, -1)
        if found < 0:
            found = index.get(lowered, -1)
        return found if found >= 0 else index.get(_DIGIT.sub("0", lowered), -1)

    def stream(self, passage: Passage) -> Stream:
        """For every token the clusters of its word; nothing where it is not known."""
        met: dict[int, int] = {-1: -1}
        numbers = [met.setdefault(self.find(word), len(met) - 1) for word in passage.words]
        ids = np.array(numbers, dtype=np.int32)[passage.token_ids] if numbers else np.empty(0, np.int32)
        del met[-1]
        used = np.fromiter(met, dtype=np.int64, count=len(met))
        pieces = [[f"{size}:{cluster}" for cluster in table[used].tolist()] for size, table in self._tables]
        return Stream(list(zip(*pieces, strict=True)), ids)

    @cached_property
    def _tables(self) -> list[tuple[int, Numbers]]:
        return sorted(self.tables.items())

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def cluster_words(
    rows: Rows, sizes: Sequence[int], seed: int, tell: Callable[[int, int], None]
) -> dict[int, Numbers]:
    """(V, D) vectors of words, the most frequent first, to the cluster of each for every number of clusters.

    Numbers of clusters that leave hardly a word for each are left out. tell: how many of how many are done.
    """
    unit = normalised(rows)
    fitting = [size for size in sizes if size * _LEAST_WORDS <= len(rows)] or [
        max(1, len(rows) // _LEAST_WORDS)
    ]
    tables = {}
    for done, size in enumerate(fitting):
        tell(done, len(fitting))
        tables[size] = assign(unit, find_centres(unit[:_CENTRES_FROM], size, _PASSES, seed)).astype(np.uint16)
    tell(len(fitting), len(fitting))
    return tables
