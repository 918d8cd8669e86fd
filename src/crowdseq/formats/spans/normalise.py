"""Texts that differ only in Unicode form or line ends, made the same, with the way back to the original."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.graphemes import cluster_starts

Pieces = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Normalised:
    """A text in NFC with LF for CRLF: `text`, and places in it for places in the original and back."""

    original: str

    @cached_property
    def _pieces(self) -> Pieces:
        """What stands in the original and what it becomes, character by character as a reader sees them."""
        if unicodedata.is_normalized("NFC", self.original) and "\r\n" not in self.original:
            return [(self.original, self.original)]
        edges = cluster_starts(self.original)
        parts = [self.original[start:end] for start, end in pairwise(edges)]
        return [(part, "\n" if part == "\r\n" else unicodedata.normalize("NFC", part)) for part in parts]

    @cached_property
    def text(self) -> str:
        """The text in its normal form."""
        made = "".join(new for _, new in self._pieces)
        if made != unicodedata.normalize("NFC", made):
            raise AnnotationError("the text has characters that NFC joins over their edges, mend it")
        return made

    @property
    def is_changed(self) -> bool:
        """Whether the original was something else."""
        return self.text != self.original

    def mark_to_normal(self, mark: Mark) -> Mark:
        """A mark of the original in the normal text; one that cuts a joined character takes all of it."""
        return Mark(self._to_normal[0][mark.start], self._to_normal[1][mark.end], mark.label)

    def mark_to_original(self, mark: Mark) -> Mark:
        """A mark of the normal text in the original."""
        return Mark(self._to_original[0][mark.start], self._to_original[1][mark.end], mark.label)

    def bounds_to_normal(self, bounds: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Places of tokens in the normal text."""
        lefts, rights = self._to_normal
        return [(lefts[start], rights[end]) for start, end in bounds]

    def bounds_to_original(self, bounds: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Places of tokens in the original."""
        lefts, rights = self._to_original
        return [(lefts[start], rights[end]) for start, end in bounds]

    @cached_property
    def _to_normal(self) -> tuple[list[int], list[int]]:
        return _tables(self._pieces)

    @cached_property
    def _to_original(self) -> tuple[list[int], list[int]]:
        return _tables([(new, old) for old, new in self._pieces])


def differ_in_form(one: str, other: str) -> bool:
    """Whether two texts are the same but for their Unicode form and line ends."""
    made = [unicodedata.normalize("NFC", text.replace("\r\n", "\n")) for text in (one, other)]
    return one != other and made[0] == made[1]


def _tables(pieces: Pieces) -> tuple[list[int], list[int]]:
    """For every place of the first text one in the second: for the start of a span, and for its end.

    Only where a piece has another length there is a choice: its middle goes to its beginning or its end.
    """
    lefts, rights = [0], [0]
    place = 0
    for here, there in pieces:
        end = place + len(there)
        if len(here) == len(there):
            lefts += range(place + 1, end + 1)
            rights += range(place + 1, end + 1)
        else:
            lefts += [*[place] * (len(here) - 1), end]
            rights += [end] * len(here)
        place = end
    return lefts, rights
