"""Crowds drawn at random, of kinds that nobody thought of: text, people, habits, copies and who saw what.

Each number gives one crowd for good. Nothing of it is taken from the list of the zoo.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from crowdseq.arrays import BoolArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq_research.zoo.casts import (
    Character,
    Marks,
    Passage,
    blank,
    copy,
    guess,
    read,
    retyped,
    to_corpus,
    without_overlaps,
)
from crowdseq_research.zoo.simulated_crowds import gold_text

_SEED = 83
_TEXTS = ("conll2003", "conll2003", "ncbi_disease", "bc2gm", "jnlpba")
_ALL = 100_000
_CAPITAL_SHARE = 0.5  # of the people invent on capitalised words alone, the others anywhere
_RATES = Character(0.20, 0.10, 0.12, 0.05)  # the middle of all; a crowd and each in it has its own

Spoil = Callable[[Passage, Marks, Generator], Marks]


@dataclass(frozen=True)
class Drawn:
    """A crowd, and in a few words what is peculiar about it."""

    corpus: Corpus
    peculiar: tuple[str, ...]


def draw_crowd(data: Path, number: int) -> Drawn:
    """The crowd of this number."""
    random = np.random.default_rng([_SEED, number])
    name = _TEXTS[int(random.integers(len(_TEXTS)))]
    size = int(np.exp(random.uniform(np.log(60), np.log(900))))
    text, changed = _text(gold_text(data, name, "train", _ALL), size, random)
    passage = Passage.of(text)
    people, spoiled = _people(passage, random)
    people, copied = _copies(passage, people, random)
    seen, shared = _seen(len(passage.tokens), list(people), random)
    told = (name, f"{len(passage.tokens)} sentences", f"{len(people)} people", *changed, *spoiled, *copied)
    return Drawn(to_corpus(passage, people, seen), (*told, *shared))


def _text(gold: Corpus, size: int, random: Generator) -> tuple[Corpus, tuple[str, ...]]:
    """Whole documents up to so many sentences; one text in eight in small letters, one in eight merged."""
    documents: dict[str, list[int]] = {}
    for place, sentence in enumerate(gold.sentences):
        documents.setdefault(str(sentence.doc if sentence.doc is not None else sentence.id), []).append(place)
    keys, chosen = list(documents), list[int]()
    random.shuffle(keys)
    for key in keys:
        if len(chosen) >= size:
            break
        chosen += documents[key]
    text, change = gold.select(np.sort(chosen)), int(random.integers(8))
    if change == 0:
        return _rewritten(text, 1, str.lower), ("small letters",)
    if change == 1:
        return _rewritten(text, int(random.integers(3, 9)), str), ("merged sentences",)
    return text, ()


def _rewritten(text: Corpus, together: int, spell: Callable[[str], str]) -> Corpus:
    builder, sentences, gold = CorpusBuilder(), list(text.sentences), text.gold
    for begin in range(0, len(sentences), together):
        parts = range(begin, min(begin + together, len(sentences)))
        tokens = [spell(word) for place in parts for word in sentences[place].tokens]
        tags = [tag for place in parts for tag in gold[place] or ()]
        builder.add(Record(tokens, f"s{begin}", sentences[begin].doc, {}, tags))
    return builder.build(text.scheme)


def _people(passage: Passage, random: Generator) -> tuple[dict[str, Marks], tuple[str, ...]]:
    """2 to 12 people whose rates lie around those of their crowd; in half of the crowds some are spoiled."""
    count, level = int(random.integers(2, 13)), float(random.lognormal(0.0, 0.5))
    works = {f"a{number:02d}": read(passage, _character(level, random), random) for number in range(count)}
    if random.random() < 0.5:
        return works, ()
    name = str(random.choice(list(_SPOILED)))
    some = _some(list(works), random)
    spoil = _SPOILED[name]
    spoiled = {who: spoil(passage, marks, random) if who in some else marks for who, marks in works.items()}
    return spoiled, (f"{len(some)} {name}",)


def _character(level: float, random: Generator) -> Character:
    """Somebody, whose rates of error are those of the middle times so much, each a bit more or less."""
    misses, mistypes, misbounds, invents = (
        min(0.85, rate * level * float(random.lognormal(0.0, 0.4)))
        for rate in (_RATES.misses, _RATES.mistypes, _RATES.misbounds, _RATES.invents)
    )
    habit = float(random.choice([0.0, 0.0, 0.4, 0.8]))
    anywhere = bool(random.random() >= _CAPITAL_SHARE)
    # Capitalised words outside of mentions are few, other words many.
    invents = invents / 4.0 if anywhere else invents
    return Character(misses, mistypes, misbounds, invents, habit, anywhere)


def _some(names: list[str], random: Generator) -> set[str]:
    return {
        str(name) for name in random.choice(names, int(random.integers(1, len(names) + 1)), replace=False)
    }


def _of_one_type(passage: Passage, marks: Marks, random: Generator) -> Marks:
    kept = passage.types[int(random.integers(len(passage.types)))]
    return [[mark for mark in spans if mark[2] == kept] for spans in marks]


def _without_a_type(passage: Passage, marks: Marks, random: Generator) -> Marks:
    lost = passage.types[int(random.integers(len(passage.types)))]
    return [[mark for mark in spans if mark[2] != lost] for spans in marks]


def _half_way(_passage: Passage, marks: Marks, random: Generator) -> Marks:
    end = int(random.uniform(0.2, 0.8) * len(marks))
    return [spans if place < end else [] for place, spans in enumerate(marks)]


def _timid(_passage: Passage, marks: Marks, random: Generator) -> Marks:
    share = random.uniform(0.1, 0.5)
    return [[mark for mark in spans if random.random() < share] for spans in marks]


def _wide(_passage: Passage, marks: Marks, _random: Generator) -> Marks:
    return [
        without_overlaps([(max(0, first - 1), last, kind) for first, last, kind in spans]) for spans in marks
    ]


def _narrow(_passage: Passage, marks: Marks, _random: Generator) -> Marks:
    return [[(first, max(first + 1, last - 1), kind) for first, last, kind in spans] for spans in marks]


def _overmarks(passage: Passage, marks: Marks, random: Generator) -> Marks:
    more = guess(passage, 0.06, random)
    return [without_overlaps([*spans, *added]) for spans, added in zip(marks, more, strict=True)]


def _permuted(passage: Passage, marks: Marks, _random: Generator) -> Marks:
    turned = dict(zip(passage.types, passage.types[1:] + passage.types[:1], strict=True))
    return retyped(marks, turned.__getitem__)


def _blank(passage: Passage, _marks: Marks, _random: Generator) -> Marks:
    return blank(passage)


def _guesses(passage: Passage, _marks: Marks, random: Generator) -> Marks:
    return guess(passage, float(random.uniform(0.02, 0.15)), random)


_SPOILED: dict[str, Spoil] = {
    "mark one type": _of_one_type,
    "leave out a type": _without_a_type,
    "stop half way": _half_way,
    "timid": _timid,
    "mark a token more": _wide,
    "mark a token less": _narrow,
    "mark too much": _overmarks,
    "turn types": _permuted,
    "mark nothing": _blank,
    "guess": _guesses,
}


def _copies(
    passage: Passage, people: dict[str, Marks], random: Generator
) -> tuple[dict[str, Marks], tuple[str, ...]]:
    """In a quarter of the crowds up to three more who copy one of them, changing up to a quarter."""
    if random.random() < 0.75:
        return people, ()
    copied, changes = str(random.choice(list(people))), float(random.choice([0.0, 0.06, 0.15, 0.25]))
    more = {
        f"c{number}": copy(passage, people[copied], changes, random) if changes else people[copied]
        for number in range(int(random.integers(1, 4)))
    }
    return {**people, **more}, (f"{len(more)} copy {copied}, {changes:.0%} changed",)


def _seen(
    size: int, names: list[str], random: Generator
) -> tuple[dict[str, BoolArray] | None, tuple[str, ...]]:
    """All see all in half of the crowds; else some to each block of sentences, or a block in five shared."""
    way = int(random.integers(6))
    if way < 3 or len(names) < 3:
        return None, ()
    seen, few = (
        {name: np.zeros(size, bool) for name in names},
        int(random.integers(2, min(5, len(names)) + 1)),
    )
    for begin in range(0, size, 10):
        count = few if way < 5 or begin % 50 == 0 else 1
        for name in random.choice(names, count, replace=False):
            seen[str(name)][begin : begin + 10] = True
    return seen, (f"{few} for each ten sentences" if way < 5 else f"one for most, {few} for a fifth",)
