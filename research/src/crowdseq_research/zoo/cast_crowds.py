"""Crowds whose cast is known: who is good, who copies whom, who marks nothing; most on CoNLL-2003 dev."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.random import Generator

from crowdseq.core.corpus import Corpus
from crowdseq_research.zoo.casts import (
    BAD,
    EXPERT,
    GOOD,
    GREAT,
    MID,
    TIMID,
    Character,
    Marks,
    Passage,
    blank,
    copy,
    guess,
    read,
    read_with_habits,
    retyped,
    to_corpus,
)
from crowdseq_research.zoo.simulated_crowds import gold_text

Make = Callable[[Path, int], Corpus]
Cast = Callable[[Passage, Generator], Mapping[str, Marks]]
SENTENCES = 1000
_NOISE, _LOOSE = 0.06, 0.25  # share of the marks that a noisy and a loose copy changes


def _on(cast: Cast, name: str = "conll2003") -> Make:
    def make(data: Path, draw: int) -> Corpus:
        passage = Passage.of(gold_text(data, name, "dev", SENTENCES))
        return to_corpus(passage, cast(passage, np.random.default_rng([53, draw])))

    return make


def _each(
    passage: Passage, random: Generator, character: Character, count: int, name: str
) -> dict[str, Marks]:
    return {f"{name}{number}": read(passage, character, random) for number in range(1, count + 1)}


def _independent(character: Character, count: int) -> Cast:
    return lambda passage, random: _each(passage, random, character, count, "a")


def _family(
    passage: Passage, random: Generator, character: Character, count: int, changes: float, name: str = "c"
) -> dict[str, Marks]:
    """One who is copied, and those who copy them."""
    first = read_with_habits(passage, character, random)
    copies = {
        f"{name}{number}": copy(passage, first, changes, random) if changes else first
        for number in range(2, count + 1)
    }
    return {f"{name}1": first, **copies}


def _copied(copied: Character, copies: int, changes: float, others: Character, n_others: int) -> Cast:
    return lambda passage, random: {
        **_family(passage, random, copied, copies, changes),
        **_each(passage, random, others, n_others, "a"),
    }


def _families(passage: Passage, random: Generator) -> Mapping[str, Marks]:
    return {
        **_family(passage, random, MID, 3, _NOISE, "c"),
        **_family(passage, random, BAD, 2, _NOISE, "d"),
        **_each(passage, random, MID, 2, "a"),
    }


def _with_blanks(readers: int, blanks: int) -> Cast:
    return lambda passage, random: {
        **_each(passage, random, MID, readers, "a"),
        **{f"x{number}": blank(passage) for number in range(1, blanks + 1)},
    }


def _with_guessers(passage: Passage, random: Generator) -> Mapping[str, Marks]:
    return {
        **_each(passage, random, MID, 3, "a"),
        **{f"x{number}": guess(passage, 0.1, random) for number in (1, 2)},
    }


def _great_and_bad(passage: Passage, random: Generator) -> Mapping[str, Marks]:
    return {"g": read(passage, EXPERT, random), **_each(passage, random, BAD, 4, "b")}


def _two_disagree(passage: Passage, random: Generator) -> Mapping[str, Marks]:
    """Two of five call every place an organisation."""
    people = _each(passage, random, GOOD, 5, "a")
    return {
        name: retyped(marks, lambda kind: "ORG" if kind == "LOC" else kind) if name in ("a4", "a5") else marks
        for name, marks in people.items()
    }


def _one_permuted(passage: Passage, random: Generator) -> Mapping[str, Marks]:
    """A good one has the keys of all types mixed up."""
    types = passage.types
    turned = dict(zip(types, types[1:] + types[:1], strict=True))
    mixed = retyped(read(passage, GOOD, random), turned.__getitem__)
    return {**_each(passage, random, MID, 3, "a"), "p": mixed}


def _apart(character: Character, people: int, shared: float) -> Make:
    """Each sentence has one of them, and a share of the sentences has all."""

    def make(data: Path, draw: int) -> Corpus:
        passage, random = (
            Passage.of(gold_text(data, "conll2003", "dev", SENTENCES)),
            np.random.default_rng([59, draw]),
        )
        marks = _each(passage, random, character, people, "a")
        turn = random.integers(people, size=len(passage.tokens))
        together = random.random(len(passage.tokens)) < shared
        seen = {name: (turn == number) | together for number, name in enumerate(marks)}
        return to_corpus(passage, marks, seen)

    return make


five_mid, three_good, two_mid = (
    _on(_independent(MID, 5)), _on(_independent(GOOD, 3)), _on(_independent(MID, 2)),
)  # fmt: skip
three_great, five_great = _on(_independent(GREAT, 3)), _on(_independent(GREAT, 5))
five_timid = _on(_independent(TIMID, 5))
great_and_bad = _on(_great_and_bad)
two_and_blanks, five_and_blanks = _on(_with_blanks(2, 3)), _on(_with_blanks(5, 2))
three_and_guessers = _on(_with_guessers)
exact_copies, exact_bad_copies = _on(_copied(MID, 3, 0.0, MID, 2)), _on(_copied(BAD, 3, 0.0, GOOD, 2))
noisy_copies, noisy_bad_copies = _on(_copied(MID, 3, _NOISE, MID, 2)), _on(_copied(BAD, 3, _NOISE, GOOD, 2))
noisy_bad_of_seven = _on(_copied(BAD, 4, _NOISE, MID, 3))
loose_copies = _on(_copied(MID, 3, _LOOSE, MID, 2))
families = _on(_families)
alone_expert, alone_bad = _on(_independent(EXPERT, 1)), _on(_independent(BAD, 1))
each_alone = _apart(GOOD, 3, 0.0)
overlap_experts, overlap_mid = _apart(EXPERT, 3, 0.1), _apart(MID, 3, 0.1)
two_disagree, one_permuted = _on(_two_disagree), _on(_one_permuted)
mid_ncbi = _on(_independent(MID, 4), "ncbi_disease")
copies_jnlpba = _on(_copied(MID, 3, _NOISE, MID, 3), "jnlpba")
