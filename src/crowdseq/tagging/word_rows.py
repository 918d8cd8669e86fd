"""The score rows of words that a tagger has met, kept from call to call."""

import os
import threading
import weakref
from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.errors import AnnotationError
from crowdseq.tagging.features import EDGE, TEMPLATES
from crowdseq.tagging.piece_index import PairNumbers
from crowdseq.tagging.scoring import StreamWeights

_MOST_WORDS = 400_000  # the rows start anew beyond this, so that endless text does not fill memory
_OUTSIDE = object()  # the key of the edge of a sentence: nothing that a caller gives can be equal to it


class _Numbers(dict[Hashable, int]):
    """Word to its number; a new word gets the next one."""

    def __missing__(self, word: Hashable) -> int:
        if not isinstance(word, str):
            raise AnnotationError(f"token {word!r} is not text")
        number = len(self)
        self[word] = number
        return number


class WordRows:
    """Score rows by word, filled as words are met; number 0 is the edge of a sentence.

    pairs: for each template under which neighbours are taken together, how its pairs are found; every word's
    number in them is kept as well. Several threads may look up at once: growing is guarded, and what was
    handed out is never changed.
    """

    def __init__(
        self,
        stream: StreamWeights,
        templates: Sequence[str],
        n_labels: int,
        pairs: Mapping[str, PairNumbers],
    ) -> None:
        self._stream, self._templates, self._n_labels, self._pairs = stream, templates, n_labels, pairs
        self.renew()
        _IN_USE.add(self)

    def renew(self) -> None:
        """Without words and with a lock that nobody holds: a forked child may have been born in between."""
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._numbers = _Numbers({_OUTSIDE: 0})
        self._rows = self._stream.rows([[EDGE]], self._n_labels)
        self._in_pairs = {template: np.full(1, -1, dtype=np.int64) for template in self._pairs}
        self._filled = 1

    def look_up(self, tokens: Sequence[str]) -> tuple[IntArray, FloatArray, dict[str, IntArray]]:
        """(T,) word numbers, the (V * O, M) rows they point into, and by template (V,) numbers in pairs."""
        with self._lock:
            if self._filled > _MOST_WORDS:
                self._forget()
            try:
                return self._looked_up(tokens)
            except BaseException:
                # An interrupt too may leave words with a number and without a row.
                self._forget()
                raise

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies start without words: locks stay where they are."""
        return WordRows, (self._stream, self._templates, self._n_labels, self._pairs)

    def _looked_up(self, tokens: Sequence[str]) -> tuple[IntArray, FloatArray, dict[str, IntArray]]:
        known = len(self._numbers)
        try:
            ids = np.fromiter(map(self._numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
        except TypeError:  # a list has no hash
            raise AnnotationError("a token is not text but a list or the like") from None
        if len(self._numbers) > known:
            self._add([str(word) for word in islice(self._numbers, known, None)])
        return ids, self._rows, dict(self._in_pairs)

    def _add(self, fresh: list[str]) -> None:
        rows = self._stream.rows_of_words(fresh, self._templates, self._n_labels)
        width = len(self._stream.offsets)
        self._rows = _extended(self._rows, self._filled * width, rows)
        for template, pairs in self._pairs.items():
            shown = [TEMPLATES[template](word)[0] for word in fresh]
            self._in_pairs[template] = _extended(self._in_pairs[template], self._filled, pairs.words(shown))
        self._filled += len(fresh)


_IN_USE: "weakref.WeakSet[WordRows]" = weakref.WeakSet()


def _renew_all() -> None:
    for rows in list(_IN_USE):
        rows.renew()


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_renew_all)

Kept = TypeVar("Kept", FloatArray, IntArray)


def _extended(kept: Kept, filled: int, new: Kept) -> Kept:
    """The first `filled` entries and the new ones; in place if there is room, else twice as long."""
    needed = filled + len(new)
    if needed > len(kept):
        grown = np.empty((max(needed, 2 * len(kept)), *kept.shape[1:]), dtype=kept.dtype)
        grown[:filled] = kept[:filled]
        kept = grown
    kept[filled:needed] = new
    return kept
