"""Putting marks on a text one by one, each where there is still room for it."""

from collections.abc import Iterator

import numpy as np

from crowdseq.arrays import FloatArray, IntArray


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
