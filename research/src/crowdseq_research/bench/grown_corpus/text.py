"""Documents with names in them: each follows from the seed and its number alone."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq_research.bench.grown_corpus.words import Ranks, spelt

TYPES = ("LOC", "MISC", "ORG", "PER")
_SENTENCES, _LONGEST = 14, 60  # of a document in the mean; tokens of a sentence
_NAMES = 0.10  # of the tokens begin one
_LENGTHS = (0.62, 0.30, 0.08)  # of names of one, two and three tokens
_AGAIN = 0.5  # of the names were named before in the document
_AT_HOME = 0.9  # of the names are made of words that mostly have this type
_CUED = 0.35  # of the names follow a word that goes with their type
_NUMBERS = 0.03  # of the other tokens


class Name(NamedTuple):
    """A name at tokens `start` to `end` of its document."""

    start: int
    end: int
    type: int


@dataclass(frozen=True)
class Document:
    """tokens: of all sentences; bounds: where sentences begin, and the end; names: in order, none overlap."""

    number: int
    tokens: list[str]
    bounds: list[int]
    names: list[Name]


class GrownText:
    """The documents of an endless text."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._words, self._name_words = Ranks(), Ranks(head=400, tail=1.9, shift=3.0)

    def document(self, number: int) -> Document:
        draw = np.random.default_rng([self._seed, number])
        lengths = np.clip(draw.gamma(2.2, 6.6, 1 + draw.poisson(_SENTENCES - 1)).astype(int) + 1, 1, _LONGEST)
        bounds = [0, *np.cumsum(lengths).tolist()]
        tokens = [spelt(rank) for rank in self._words.draw(draw, bounds[-1]).tolist()]
        for place in np.flatnonzero(draw.random(len(tokens)) < _NUMBERS).tolist():
            tokens[place] = str(int(10 ** draw.uniform(0, 5)))
        names = self._names(draw, tokens, bounds)
        for start in bounds[:-1]:
            tokens[start] = tokens[start].capitalize()
        for start, end in pairwise(bounds):
            if end - start > 1:  # no name ends there
                tokens[end - 1] = "."
        return Document(number, tokens, bounds, names)

    def _names(self, draw: np.random.Generator, tokens: list[str], bounds: list[int]) -> list[Name]:
        """Put names into the text."""
        starts = np.flatnonzero(draw.random(len(tokens)) < _NAMES)
        ends = np.array(bounds)[np.searchsorted(bounds, starts, side="right")]
        wanted = 1 + draw.choice(len(_LENGTHS), len(starts), p=_LENGTHS)
        again, cued = draw.random(len(starts)) < _AGAIN, draw.random(len(starts)) < _CUED
        types, ranks = draw.integers(0, len(TYPES), len(starts)), self._name_ranks(draw, len(starts))
        made: list[Name] = []
        known: list[tuple[int, list[str]]] = []
        for index, (start, bound) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            if made and start <= made[-1].end:
                continue
            if known and again[index]:
                kind, words = known[int(ranks[index, 0]) % len(known)]
            else:
                kind = int(types[index])
                words = [_name_word(int(rank), kind) for rank in ranks[index, : wanted[index]]]
                known.append((kind, words))
            if start + len(words) >= bound:
                continue
            tokens[start : start + len(words)] = words
            if cued[index] and start > 0 and start not in bounds:
                tokens[start - 1] = spelt(20 + 8 * kind + int(ranks[index, 0]) % 8)
            made.append(Name(start, start + len(words), kind))
        return made

    def _name_ranks(self, draw: np.random.Generator, count: int) -> IntArray:
        """(count, 3) ranks; the lowest bit tells whether the word is at home with its type."""
        ranks = self._name_words.draw(draw, 3 * count).reshape(count, 3)
        return np.asarray(2 * ranks + (draw.random((count, 3)) < _AT_HOME))


def _name_word(rank: int, kind: int) -> str:
    """Words at home with a type are its own; the others are shared by all types."""
    number, at_home = divmod(rank, 2)
    spread = number * (len(TYPES) + 1) + (kind if at_home else len(TYPES))
    return spelt(spread + 100).capitalize()  # not the shortest, which are common words
