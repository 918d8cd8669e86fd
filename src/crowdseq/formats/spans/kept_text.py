"""The text that is kept with a sentence: where tokens stand in it, and its normal form with the way back."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.settings import TEXT
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.offsets import cluster_starts, whole_number

Pieces = Sequence[tuple[str, str]]


_LONGEST_RUN = 300  # of combining marks; the longest that a language or a jester writes has a few dozen


def refuse_long_runs(text: str) -> None:
    """Marks without end on one letter are refused: to order them takes the square of their number."""
    if text.isascii():
        return
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _LONGEST_RUN:
            raise AnnotationError(
                f"more than {_LONGEST_RUN} combining marks follow each other, correct the text"
            )


@dataclass(frozen=True)
class Normalised:
    """A text in NFC with LF for CRLF: `text`, and places in it for places in the original and back."""

    original: str

    @cached_property
    def _pieces(self) -> Pieces:
        """What stands in the original and what it becomes, character by character as a reader sees them."""
        refuse_long_runs(self.original)
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
            raise AnnotationError("the text has characters that NFC joins over their edges, correct it")
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


@dataclass(frozen=True)
class Document:
    """A text as annotators saw it.

    id: None to make one from the text. tokens: where they stand, in code points; None to cut the text with
    the tokenizer of the settings. doc, columns, extras: as in `Record`. normal: the way back to the original
    where the text was normalised.
    """

    text: str
    id: str | None = None
    tokens: Sequence[tuple[int, int]] | None = None
    doc: str | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)
    normal: Normalised | None = None


def differ_in_form(one: str, other: str) -> bool:
    """Whether two texts are the same but for their Unicode form and line ends."""
    try:
        refuse_long_runs(one)
        refuse_long_runs(other)
    except AnnotationError:
        return False
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


def locate(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where tokens stand in a text, one behind the other and each as early as may be; None if they do not."""
    found: list[tuple[int, int]] = []
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0:
            return None
        place = start + len(token)
        found.append((start, place))
    return found


def check_same_text(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """Offsets only mean something in one and the same text, down to its spaces."""
    mine, other = here.get(TEXT), there.get(TEXT, here.get(TEXT))
    if mine == other or not isinstance(mine, str) or not isinstance(other, str):
        return
    place = next((n for n, pair in enumerate(zip(mine, other, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(mine), len(other)) if place is None else place
    is_form = differ_in_form(mine, other)
    advice = Advice("only its Unicode form or line ends differ, say {normalise}", normalise="nfc")
    raise AnnotationError(
        f"the text is not the same as before: from character {place + 1} on it is "
        f"{mine[place : place + 20]!a} here and {other[place : place + 20]!a} there"
        + (";" if is_form else ""),
        advice if is_form else None,
    )


def token_bounds(text: str, pairs: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
    """Tokens as a file gives them, start and end in code points: in order and not over each other."""
    found: list[tuple[int, int]] = []
    before = 0
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise AnnotationError("a token must have a start and an end")
        start, end = (whole_number(offset, "an offset of a token") for offset in pair)
        if not before <= start <= end <= len(text):
            raise AnnotationError(f"the token {start}-{end} lies outside the text or over another token")
        found.append((start, end))
        before = end
    return found
