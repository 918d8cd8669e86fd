"""PieceIndex: finds the known pieces of many ASCII words at once, without making strings of them."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.ascii_words import (
    FLAGS,
    GREEK,
    MOST,
    NUMBERS,
    ByteArray,
    fill_table,
    find_pieces,
    hash_names,
)


class PieceIndex:
    """The pieces of a stream of words under some templates, by their bytes.

    It finds what `word_pieces` and a dictionary find. Only for templates that `knows` tells.
    """

    def __init__(self, pieces: Sequence[str], templates: Sequence[str]) -> None:
        self._templates = np.array([NUMBERS[name] for name in templates], dtype=np.int64)
        self._names, self._name_bounds = _laid_out(f"{name}=" for name in templates)
        self._states = np.empty(len(templates), dtype=np.uint64)
        hash_names(self._names, self._name_bounds, self._states)
        self._pieces, self._piece_bounds = _laid_out(pieces)
        # At most half full, so that searches are short.
        self._table = np.empty(1 << max(2 * len(pieces), 2).bit_length(), dtype=np.int32)
        fill_table(self._pieces, self._piece_bounds, self._table)
        self._flags, self._flag_bounds = _laid_out(FLAGS)
        self._greek, self._greek_bounds = _laid_out(GREEK)

    @staticmethod
    def knows(templates: Iterable[str]) -> bool:
        return all(name in NUMBERS for name in templates)

    @cached_property
    def _marks(self) -> ByteArray:
        kinds = [unicodedata.category(chr(code))[0] == "P" for code in range(128)]
        return np.array(kinds, dtype=np.uint8)

    def find(self, words: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(V + 1,) bounds and piece numbers of V words, all of them ASCII, in the order of the templates."""
        text = np.frombuffer("".join(words).encode("ascii"), dtype=np.uint8)
        word_bounds = offsets_of(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
        found = np.empty(len(words) * sum(MOST[number] for number in self._templates.tolist()) + 1, np.int32)
        found_bounds = np.empty(len(words) + 1, dtype=np.int64)
        find_pieces(
            self._templates,
            self._names,
            self._name_bounds,
            self._states,
            self._table,
            self._pieces,
            self._piece_bounds,
            self._marks,
            self._flags,
            self._flag_bounds,
            self._greek,
            self._greek_bounds,
            text,
            word_bounds,
            found,
            found_bounds,
        )
        return found_bounds, found[: found_bounds[-1]].copy()


def _laid_out(texts: Iterable[str]) -> tuple[ByteArray, IntArray]:
    """Texts as bytes, end to end, and their bounds."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    joined = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return joined, offsets_of(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
