"""Casts: annotators made up from rates of single errors, who may copy each other, out of gold spans.

A second simulator beside `crowdseq.simulation`, on purpose: other errors, other places, other dependence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from crowdseq.arrays import BoolArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import find_spans

Mark: TypeAlias = tuple[int, int, str]  # first token, one past the last, type
Marks: TypeAlias = list[list[Mark]]  # sentence by sentence


@dataclass(frozen=True)
class Character:
    """How often an annotator misses a mention, gives it another type or other bounds, and invents one.

    invents: chance of each capitalised token outside of mentions (`anywhere`: of any token) to be marked.
    habit: share of the decisions that are taken once for a surface form and then repeated.
    """

    misses: float
    mistypes: float
    misbounds: float
    invents: float
    habit: float = 0.0
    anywhere: bool = False


GREAT = Character(0.01, 0.005, 0.005, 0.002)
EXPERT = Character(0.05, 0.03, 0.03, 0.01)
GOOD = Character(0.10, 0.06, 0.06, 0.03)
MID = Character(0.20, 0.12, 0.12, 0.06)
BAD = Character(0.35, 0.22, 0.20, 0.12)
TIMID = Character(0.70, 0.05, 0.05, 0.01)  # marks little, but well
EVEN = Character(0.40, 0.20, 0.20, 0.02, anywhere=True)  # errs anywhere, without habits
WITH_HABITS = 0.8  # of those who are copied: their errors come back with a surface form


@dataclass(frozen=True)
class Passage:
    """A text with its gold spans, as characters read it."""

    corpus: Corpus
    tokens: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[Mark, ...], ...]

    @classmethod
    def of(cls, corpus: Corpus) -> "Passage":
        table = find_spans(corpus.gold_tags, corpus.offsets, corpus.scheme)
        spans: list[list[Mark]] = [[] for _ in range(len(corpus))]
        sentences = np.searchsorted(corpus.offsets, table.starts, side="right") - 1
        for sentence, first, last, kind in zip(
            sentences.tolist(), table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True
        ):
            begin = int(corpus.offsets[sentence])
            spans[sentence].append((first - begin, last - begin, corpus.scheme.types[kind]))
        return cls(corpus, tuple(tuple(words) for words in corpus.text.tokens), tuple(map(tuple, spans)))

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.corpus.scheme.types)


class Reader:
    """One person who reads; all that happens to them is drawn from their own stream of random numbers."""

    def __init__(self, character: Character, types: Sequence[str], random: Generator) -> None:
        self._character, self._types, self._random = character, tuple(types), random
        self._habits: dict[tuple[str, ...], tuple[float, ...]] = {}

    def read(self, passage: Passage) -> Marks:
        """What they mark."""
        return [self._sentence(*pair) for pair in zip(passage.tokens, passage.spans, strict=True)]

    def _sentence(self, tokens: tuple[str, ...], spans: Sequence[Mark]) -> list[Mark]:
        made, free = [], np.ones(len(tokens), bool)
        for first, last, kind in spans:
            free[first:last] = False
            mark = self._mention(tokens, first, last, kind)
            if mark is not None:
                made.append(mark)
        for number, word in enumerate(tokens):
            if free[number] and (self._character.anywhere or word[:1].isupper()):
                dice = self._dice((word,))
                if dice[0] < self._character.invents:
                    made.append((number, number + 1, self._types[int(dice[2] * len(self._types))]))
        return without_overlaps(made)

    def _mention(self, tokens: tuple[str, ...], first: int, last: int, kind: str) -> Mark | None:
        dice = self._dice(tokens[first:last])
        if dice[0] < self._character.misses:
            return None
        if dice[1] < self._character.mistypes:
            kind = other_type(kind, self._types, dice[2])
        if dice[3] < self._character.misbounds:
            first, last = other_bounds(first, last, len(tokens), dice[4])
        return first, last, kind

    def _dice(self, words: tuple[str, ...]) -> tuple[float, ...]:
        fresh = tuple(self._random.random(5).tolist())
        if self._random.random() >= self._character.habit:
            return fresh
        return self._habits.setdefault(words, fresh)


def read(passage: Passage, character: Character, random: Generator) -> Marks:
    """What somebody of this character marks."""
    return Reader(character, passage.types, random).read(passage)


def read_with_habits(passage: Passage, character: Character, random: Generator) -> Marks:
    """The same by somebody whose errors come back with the surface form, as those of one who is copied."""
    return read(passage, replace(character, habit=WITH_HABITS), random)


def copy(passage: Passage, marks: Marks, changes: float, random: Generator) -> Marks:
    """A copy in which this share of the marks is dropped, retyped or moved, each as often."""
    copied = []
    for tokens, spans in zip(passage.tokens, marks, strict=True):
        made = []
        for first, last, kind in spans:
            change = int(random.integers(3)) if random.random() < changes else -1
            if change == 0:
                continue
            if change == 1:
                kind = other_type(kind, passage.types, random.random())
            if change == 2 or (change == 1 and len(passage.types) == 1):
                first, last = other_bounds(first, last, len(tokens), random.random())
            made.append((first, last, kind))
        copied.append(without_overlaps(made))
    return copied


def blank(passage: Passage) -> Marks:
    """Somebody who marks nothing."""
    return [[] for _ in passage.tokens]


def guess(passage: Passage, per_token: float, random: Generator) -> Marks:
    """Somebody who marks anywhere, one or two tokens at a time."""
    marks = []
    for tokens in passage.tokens:
        made = []
        for first in np.flatnonzero(random.random(len(tokens)) < per_token).tolist():
            last = min(len(tokens), first + 1 + int(random.integers(2)))
            made.append((first, last, passage.types[int(random.integers(len(passage.types)))]))
        marks.append(without_overlaps(made))
    return marks


def retyped(marks: Marks, change: Callable[[str], str]) -> Marks:
    """The same marks with types changed by a rule."""
    return [[(first, last, change(kind)) for first, last, kind in spans] for spans in marks]


def other_type(kind: str, types: Sequence[str], dice: float) -> str:
    """Another type, or the same where there is no other."""
    others = [other for other in types if other != kind]
    return others[int(dice * len(others))] if others else kind


def other_bounds(first: int, last: int, length: int, dice: float) -> tuple[int, int]:
    """A token more or less at one end, where there is room for it."""
    choices = []
    if last - first > 1:
        choices += [(first + 1, last), (first, last - 1)]
    if first > 0:
        choices.append((first - 1, last))
    if last < length:
        choices.append((first, last + 1))
    return choices[int(dice * len(choices))] if choices else (first, last)


def without_overlaps(marks: Sequence[Mark]) -> list[Mark]:
    """The marks in order; one that begins inside another is left out."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if not kept or mark[0] >= kept[-1][1]:
            kept.append(mark)
    return kept


def to_corpus(
    passage: Passage, people: Mapping[str, Marks], seen: Mapping[str, BoolArray] | None = None
) -> Corpus:
    """The text with the labels of these people; seen (N,): which sentences each of them had, all if None."""
    builder = CorpusBuilder()
    for number, tokens in enumerate(passage.tokens):
        labels = {
            name: tags_of(marks[number], len(tokens))
            for name, marks in people.items()
            if seen is None or seen[name][number]
        }
        sentence = passage.corpus.sentences[number]
        gold = tags_of(passage.spans[number], len(tokens))
        builder.add(Record(tokens, sentence.id, sentence.doc, labels, gold))
    return builder.build(passage.corpus.scheme)


def tags_of(marks: Sequence[Mark], length: int) -> list[str]:
    """Marks of one sentence as IOB2 tags."""
    tags = ["O"] * length
    for first, last, kind in marks:
        tags[first:last] = [f"B-{kind}"] + [f"I-{kind}"] * (last - first - 1)
    return tags
