"""Marks: what one annotator has marked, where there is still room for more, and the tags that come of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable, paint


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks that match a gold mention and marks that do not; no two overlap."""

    right: SpanTable
    wrong: SpanTable

    @property
    def all(self) -> SpanTable:
        """Both, in the order of the text."""
        return in_text_order(join(self.right, self.wrong))


def join(first: SpanTable, second: SpanTable) -> SpanTable:
    """One table after the other."""
    return SpanTable(
        np.concatenate([first.starts, second.starts]),
        np.concatenate([first.ends, second.ends]),
        np.concatenate([first.types, second.types]),
    )


def pick(table: SpanTable, chosen: IntArray) -> SpanTable:
    """Only these spans."""
    return SpanTable(table.starts[chosen], table.ends[chosen], table.types[chosen])


def in_text_order(table: SpanTable) -> SpanTable:
    return pick(table, np.argsort(table.starts, kind="stable"))


def tags_of(marks: Marks, corpus: Corpus, slips: float, draws: FloatArray) -> IntArray:
    """(T,) tags of the marks, a share of which open with I- where nothing stands before them.

    Right and wrong marks slip in equal shares: whoever discards stray pieces and whoever reads them as marks
    finds the same precision. draws: (T,) numbers that choose who slips.
    """
    scheme = corpus.scheme
    tags = paint(marks.all, corpus.n_tokens, scheme, corpus.offsets)
    if opens_with_inside(scheme):
        return tags
    opener = np.array([scheme.index.get(f"I-{name}", -1) for name in scheme.types], np.int16)
    for table in (marks.right, marks.wrong):
        standing = _stands_alone(table, tags, corpus)
        ranked = standing[np.argsort(draws[table.starts[standing]], kind="stable")]
        slipping = ranked[: round(slips * len(table))]
        tags[table.starts[slipping]] = opener[table.types[slipping]]
    return tags


def opens_with_inside(scheme: LabelScheme) -> bool:
    """Whether I- is how a mention begins, so that it can be no slip."""
    return scheme.kind in ("IO", "IOB1")


def _stands_alone(table: SpanTable, tags: IntArray, corpus: Corpus) -> IntArray:
    """The marks that an I- would not fuse with a mark of the same type right before them."""
    opens = np.isin(table.starts, corpus.offsets)
    types_before = corpus.scheme.type_ids[tags[np.maximum(table.starts - 1, 0)]]
    return np.flatnonzero(opens | (types_before != table.types))


class Board:
    """The tokens of a text, and which of them carry a mark already; `gap` tokens stay free between marks."""

    def __init__(self, n_tokens: int, gap: int) -> None:
        # One token of margin on either side, so that the ends of the text need no care.
        self._taken = bytearray(n_tokens + 2)
        self._gap = gap

    def take(self, starts: IntArray, ends: IntArray) -> None:
        """Mark these without asking."""
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self._taken[start + 1 : end + 1] = b"\1" * (end - start)

    def fit(self, keys: FloatArray, starts: IntArray, ends: IntArray, wanted: int) -> IntArray:
        """The first `wanted` candidates by key that find room; fewer when there is no more room."""
        kept: list[int] = []
        taken, gap = self._taken, self._gap
        for place in _by_key(keys, wanted):
            if len(kept) == wanted:
                break
            start, end = int(starts[place]) + 1, int(ends[place]) + 1
            if taken.find(1, start - gap, end + gap) < 0:
                taken[start:end] = b"\1" * (end - start)
                kept.append(place)
        return np.array(kept, np.int64)


def _by_key(keys: FloatArray, wanted: int) -> Iterator[int]:
    """Candidates of finite key by key; only as many are sorted at first as will mostly do."""
    finite = np.flatnonzero(np.isfinite(keys))
    first = min(2 * wanted + 16, len(finite))
    if 0 < first < len(finite):
        split = np.argpartition(keys[finite], first - 1)
        head, tail = finite[np.sort(split[:first])], finite[np.sort(split[first:])]
    else:
        head, tail = finite, finite[:0]
    yield from head[np.argsort(keys[head], kind="stable")].tolist()
    yield from tail[np.argsort(keys[tail], kind="stable")].tolist()
