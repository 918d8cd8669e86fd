"""Where the pieces of words, and pairs of words, are found among those that a model knows."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.features.ascii_looks import FLAGS, GREEK, ByteArray, character_tables
from crowdseq.numerics.features.ascii_words import (
    MOST,
    NUMBERS,
    Known,
    Named,
    Signs,
    code_table,
    fill_table,
    find_codes,
    find_pieces,
    hash_names,
)
from crowdseq.tagging.streams import PAIR_BREAK


class PieceIndex:
    """The pieces of a stream of words under some templates, by their bytes.

    It finds what `word_pieces` and a dictionary find. Only for templates that `knows` tells.
    """

    def __init__(self, pieces: Sequence[str], templates: Sequence[str]) -> None:
        names, bounds = _laid_out(f"{name}=" for name in templates)
        numbers = np.array([NUMBERS[name] for name in templates], dtype=np.int64)
        self._named = Named(numbers, names, bounds, np.empty(len(templates), dtype=np.uint64))
        hash_names(names, bounds, self._named.states)
        # At most half full, so that searches are short.
        table = np.empty(1 << max(2 * len(pieces), 2).bit_length(), dtype=np.int32)
        self._known = Known(table, *_laid_out(pieces), np.empty(len(pieces), dtype=np.int8))
        fill_table(self._known, self._named)
        self._most = sum(MOST[number] for number in numbers.tolist())

    @staticmethod
    def knows(templates: Iterable[str]) -> bool:
        """Whether all of the templates can be looked up here."""
        return all(name in NUMBERS for name in templates)

    def find(self, words: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(V + 1,) bounds and piece numbers of V words, all of them ASCII, in the order of the templates."""
        text = np.frombuffer("".join(words).encode("ascii"), dtype=np.uint8)
        word_bounds = offsets_of(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
        # One more than is ever found: every piece is written before it is known to be one.
        found = np.empty(len(words) * self._most + 1, dtype=np.int32)
        found_bounds = np.empty(len(words) + 1, dtype=np.int64)
        find_pieces(self._known, self._named, _signs(), text, word_bounds, found, found_bounds)
        return found_bounds, found[: found_bounds[-1]].copy()


@cache
def _signs() -> Signs:
    marks = [unicodedata.category(chr(code))[0] == "P" for code in range(128)]
    return Signs(character_tables(), np.array(marks, dtype=np.uint8), *_laid_out(FLAGS), *_laid_out(GREEK))


def _laid_out(texts: Iterable[str]) -> tuple[ByteArray, IntArray]:
    """Texts as bytes, end to end, and their bounds."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    joined = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return joined, offsets_of(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))


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
