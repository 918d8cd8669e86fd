"""Lexicons: lists of names by type, found in a text by longest match."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from crowdseq.errors import SettingsError
from crowdseq.tagging.streams import Passage, Stream, intern

STREAM = "lexicon"
BREAK = "\x1f"  # between the tokens of a name; no tokeniser leaves this control character in a word


@dataclass(frozen=True)
class Lexicons:
    """By type the names of its list, each as tokens with BREAK between them; seen from `offsets`.

    A name is found whatever its case; whether it is written as listed is told beside it.
    """

    names: Mapping[str, tuple[str, ...]]
    offsets: tuple[int, ...] = (-1, 0, 1)
    name = STREAM

    def __post_init__(self) -> None:
        for kind, names in self.names.items():
            if not kind or any(sign.isspace() or sign in "=:" for sign in kind):
                raise SettingsError(f"'{kind}' is no type of a lexicon, use a word without spaces, = and :")
            if any("\n" in name or not all(name.split(BREAK)) for name in names):
                raise SettingsError(f"the lexicon {kind} has an empty name or one of several lines")

    @property
    def in_rounds(self) -> "Lexicons":
        """What the rounds of a method see."""
        return self

    def stream(self, passage: Passage) -> Stream:
        """For every token the names that it is part of, of all types."""
        folded_words = [word.casefold() for word in passage.words]
        described: list[tuple[str, ...]] = []
        for first, last in pairwise(passage.offsets.tolist()):
            ids = passage.token_ids[first:last].tolist()
            words, folded = [passage.words[i] for i in ids], [folded_words[i] for i in ids]
            pieces: list[tuple[str, ...]] = [()] * len(ids)
            for kind, listed in self._listed.items():
                for place, piece in listed.pieces(kind, words, folded):
                    pieces[place] = (*pieces[place], *piece)
            described.extend(pieces)
        return intern(described)

    @cached_property
    def _listed(self) -> "dict[str, _Listed]":
        return {kind: _Listed(names) for kind, names in sorted(self.names.items())}


class _Listed:
    """The names of one list, by how they are written and without case."""

    def __init__(self, names: Sequence[str]) -> None:
        self._exact = frozenset(names)
        self._folded = frozenset(BREAK.join(map(str.casefold, name.split(BREAK))) for name in names)
        self._longest: dict[str, int] = {}  # by first token, so that most places cost one look
        for name in self._folded:
            first = name.partition(BREAK)[0]
            self._longest[first] = max(self._longest.get(first, 0), name.count(BREAK) + 1)

    def pieces(
        self, kind: str, words: Sequence[str], folded: Sequence[str]
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Places in a sentence with their pieces; from left to right, the longest name at each place."""
        place = 0
        while place < len(words):
            length = self._length_at(place, folded)
            is_exact = BREAK.join(words[place : place + length]) in self._exact
            for step in range(length):
                piece = f"{kind}:{_part(step, length)}"
                yield place + step, (piece, f"{piece}:as-listed") if is_exact else (piece,)
            place += max(length, 1)

    def _length_at(self, place: int, folded: Sequence[str]) -> int:
        most = min(self._longest.get(folded[place], 0), len(folded) - place)
        lengths = range(most, 0, -1)
        return next((n for n in lengths if BREAK.join(folded[place : place + n]) in self._folded), 0)


def _part(step: int, length: int) -> str:
    if length == 1:
        return "whole"
    return "first" if step == 0 else "last" if step == length - 1 else "inside"
