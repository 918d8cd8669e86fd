"""From raw tokens to label scores: a word's looks are worked out once and then looked up."""

import os
import threading
import weakref
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, repeat
from typing import Any, TypeVar

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.errors import AnnotationError
from crowdseq.numerics.code_table import code_table, find_codes
from crowdseq.numerics.piece_rows import PieceRows, pair_columns, score_values
from crowdseq.tagging.features import EDGE
from crowdseq.tagging.inventory import word_pieces
from crowdseq.tagging.piece_index import PieceIndex
from crowdseq.tagging.streams import PAIR_BREAK
from crowdseq.tagging.templates import TEMPLATES

_MOST_WORDS = (
    400_000  # the cache of word rows starts anew beyond this, so that endless text does not fill memory
)


_OUTSIDE = object()  # the key of the edge of a sentence: nothing that a caller gives can be equal to it
_FEW_WORDS = 200  # so many new words are looked up before an index by bytes can be built


@dataclass(frozen=True, eq=False)
class StreamWeights:
    """What a model knows of one stream: its pieces, and the weights of (piece, offset, label) pairs.

    Pair bounds and labels are as in `numerics.grouped`; weights stand beside the labels.
    """

    name: str
    offsets: tuple[int, ...]
    pieces: tuple[str, ...]
    pair_bounds: IntArray
    pair_labels: IntArray
    pair_weights: FloatArray

    @cached_property
    def index(self) -> dict[str, int]:
        """Piece to its number."""
        return {piece: number for number, piece in enumerate(self.pieces)}

    @cached_property
    def pair_numbers(self) -> "PairNumbers":
        """Of a stream of pairs."""
        return PairNumbers(self.pieces)

    @property
    def window(self) -> IntArray:
        return np.array(self.offsets, dtype=np.int64)

    def rows(self, pieces_of_values: Iterable[Sequence[str]], n_labels: int) -> FloatArray:
        """(V * O, M) summed weights of each value seen from each offset; unknown pieces add nothing."""
        values = list(pieces_of_values)
        lengths = offsets_of(np.fromiter(map(len, values), dtype=np.int64, count=len(values)))
        unknown = repeat(-1)
        found = np.fromiter(
            map(self.index.get, chain.from_iterable(values), unknown), np.int32, count=int(lengths[-1])
        )
        known = found >= 0
        return self.rows_of_numbers(offsets_of(known)[lengths], found[known], n_labels)

    def rows_of_words(self, words: Sequence[str], templates: Sequence[str], n_labels: int) -> FloatArray:
        """(V * O, M) rows of words, as they look under the templates."""
        ascii_words = [word for word in words if word.isascii()]
        if len(ascii_words) < _FEW_WORDS or not PieceIndex.knows(templates):
            return self.rows([word_pieces(word, templates) for word in words], n_labels)
        fast = self.rows_of_numbers(*self._piece_index(templates).find(ascii_words), n_labels)
        if len(ascii_words) == len(words):
            return fast
        rows = np.empty((len(words), len(self.offsets) * n_labels))
        by_bytes = np.fromiter(map(str.isascii, words), dtype=np.bool_, count=len(words))
        rows[by_bytes] = fast.reshape(len(ascii_words), -1)
        others = [word_pieces(word, templates) for word in words if not word.isascii()]
        rows[~by_bytes] = self.rows(others, n_labels).reshape(len(others), -1)
        return rows.reshape(-1, n_labels)

    def _piece_index(self, templates: Sequence[str]) -> PieceIndex:
        if "by_bytes" not in self.__dict__:
            object.__setattr__(self, "by_bytes", PieceIndex(self.pieces, templates))
        kept: PieceIndex = self.__dict__["by_bytes"]
        return kept

    def _columns(self, n_labels: int) -> IntArray:
        # The label count is that of the model this belongs to, so there is only ever one answer to keep.
        if "columns" not in self.__dict__:
            found = pair_columns(len(self.offsets), n_labels, self.pair_bounds, self.pair_labels)
            object.__setattr__(self, "columns", found)
        kept: IntArray = self.__dict__["columns"]
        return kept

    def _whole(self, n_labels: int) -> tuple[PieceRows, FloatArray]:
        if "whole" not in self.__dict__:
            columns = self._columns(n_labels)
            often = np.ones(len(self.pieces), dtype=np.bool_)  # any piece may be met often
            pieces = PieceRows.of_pairs(len(self.offsets), self.pair_bounds, columns, often)
            found = (pieces, pieces.lay_out(columns, self.pair_weights))
            object.__setattr__(self, "whole", found)
        kept: tuple[PieceRows, FloatArray] = self.__dict__["whole"]
        return kept

    def rows_of_numbers(self, bounds: IntArray, pieces: IntArray, n_labels: int) -> FloatArray:
        """The same from piece numbers: value v has pieces[bounds[v]:bounds[v + 1]]."""
        n_values = len(bounds) - 1
        rows = np.empty((n_values * len(self.offsets), n_labels))
        known, whole = self._whole(n_labels)
        score_values(
            len(self.offsets),
            bounds,
            pieces,
            known.pairs,
            known.spans,
            known.lows,
            self._columns(n_labels),
            self.pair_weights,
            whole,
            0,
            n_values,
            rows,
        )
        return rows


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
        pairs: Mapping[str, "PairNumbers"],
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
            except BaseException as error:
                # An interrupt too may leave words with a number and without a row.
                self._forget()
                if isinstance(error, TypeError):
                    raise AnnotationError("a token is not text but a list or the like") from None
                raise

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies start without words: locks stay where they are."""
        return WordRows, (self._stream, self._templates, self._n_labels, self._pairs)

    def _looked_up(self, tokens: Sequence[str]) -> tuple[IntArray, FloatArray, dict[str, IntArray]]:
        known = len(self._numbers)
        ids = np.fromiter(map(self._numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
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


class PairNumbers:
    """Finds the number of a word pair from the numbers of its two words, without making a string."""

    def __init__(self, pairs: Sequence[str]) -> None:
        halves = _halves(pairs)
        self._vocabulary = {word: number for number, word in enumerate(dict.fromkeys(halves))}
        self.n_words = len(self._vocabulary)
        numbers = np.fromiter(map(self._vocabulary.__getitem__, halves), dtype=np.int64, count=len(halves))
        self._codes = numbers[0::2] * self.n_words + numbers[1::2]
        self._table = code_table(self._codes)

    def words(self, words: Sequence[str]) -> IntArray:
        """(V,) numbers of words in pairs; -1 for a word in none."""
        return np.fromiter(map(self._vocabulary.get, words, repeat(-1)), dtype=np.int64, count=len(words))

    def find(self, codes: IntArray) -> IntArray:
        """(T,) codes as `streams.pair_codes` makes them to (T,) pair numbers, -1 for unknown ones."""
        return find_codes(self._table, self._codes, codes)


def _halves(pairs: Sequence[str]) -> list[str]:
    """The first and the second word of every pair in turn."""
    halves = PAIR_BREAK.join(pairs).split(PAIR_BREAK) if pairs else []
    if len(halves) == 2 * len(pairs):
        return halves
    # A word has the break inside: the first one counts.
    return [half for pair in pairs for half in pair.partition(PAIR_BREAK)[::2]]
