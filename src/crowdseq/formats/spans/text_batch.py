"""TextBatch: many texts cut into words at once, by arrays over all their characters."""

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.ragged import offsets_of

_SPACE, _WORD, _SIGN = range(3)
_BETWEEN = "\n"
_END = np.iinfo(np.int64).max


class TextBatch:
    """Texts of the basic plane one behind the other, a line break between them; places count in all of it.

    lengths, bases: of each text, how long it is and where it begins. words, starts, ends: the tokens of all
    texts as the tokenizer `words` cuts them, and where they stand. first_words (D + 1,): where the words of
    each text begin.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._joined = _BETWEEN.join(texts)
        self.lengths: IntArray = np.array(list(map(len, texts)), np.int64)
        self.bases: IntArray = offsets_of(self.lengths + len(_BETWEEN))[:-1]
        self.codes = code_units(self._joined)
        kinds = _kinds()[self.codes]
        is_sign, is_word = kinds == _SIGN, np.zeros(len(kinds) + 2, np.bool_)
        is_word[1:-1] = kinds == _WORD
        here, before, behind = is_word[1:-1], is_word[:-2], is_word[2:]
        self.starts: IntArray = np.flatnonzero(is_sign | (here & ~before))
        self.ends: IntArray = np.flatnonzero(is_sign | (here & ~behind)) + 1
        self.first_words: IntArray = np.append(np.searchsorted(self.starts, self.bases), len(self.starts))

    @cached_property
    def words(self) -> list[str]:
        """A space put between tokens that touch makes a plain split, the fastest there is, find them all."""
        touching = self.starts[1:][self.starts[1:] == self.ends[:-1]]
        if not len(touching):
            return self._joined.split()
        spaced: NDArray[np.uint16] = np.insert(self.codes, touching, ord(" "))
        return spaced.tobytes().decode("utf-16-le", "surrogatepass").split()

    def words_from(self, places: IntArray) -> tuple[IntArray, BoolArray]:
        """The word that starts at each place, and whether one does."""
        found = np.searchsorted(self.starts, places)
        return found, np.append(self.starts, _END)[found] == places

    def words_until(self, places: IntArray) -> tuple[IntArray, BoolArray]:
        """The number behind the word that ends at each place, and whether one does."""
        found = np.searchsorted(self.ends, places)
        return found + 1, np.append(self.ends, _END)[found] == places


def code_units(text: str) -> NDArray[np.uint16]:
    """UTF-16 code units: in the basic plane one for each character."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Of every character of the basic plane whether it is space, part of a word, or a token of its own."""
    characters = "".join(map(chr, range(1 << 16)))
    kinds: NDArray[np.uint8] = np.full(len(characters), _SIGN, np.uint8)
    for pattern, kind in ((r"\w+", _WORD), (r"\s+", _SPACE)):
        for match in re.finditer(pattern, characters):
            kinds[match.start() : match.end()] = kind
    return kinds
