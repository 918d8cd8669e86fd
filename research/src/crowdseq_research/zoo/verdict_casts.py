"""Drawn casts of every character, for verdicts: who they are is known, and so is how good they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from crowdseq.core.corpus import Corpus
from crowdseq.simulation import simulate
from crowdseq.simulation.profiles import PROFILES
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
    retyped,
    to_corpus,
)
from crowdseq_research.zoo.simulated_crowds import gold_text

OVER_MARKER = Character(0.08, 0.06, 0.06, 0.9)  # marks whatever begins with a capital letter
SLOPPY = Character(0.06, 0.03, 0.55, 0.02)  # finds the mentions, but not where they begin and end
NOISY = 0.06  # share of the marks that a noisy copy changes

Work = Callable[[Passage, Generator], Marks]
# Texts of the casts that the rule was made on, and of those that judge it: other corpora or other parts.
TEXTS = {
    "development": (("conll2003", "train"), ("jnlpba", "train"), ("ncbi_disease", "train")),
    "judgement": (("conll2003", "test"), ("jnlpba", "test"), ("ncbi_disease", "test"), ("bc2gm", "test")),
}
_SEEDS = {"development": 71, "judgement": 73}
_SENTENCES = 1500


@dataclass(frozen=True)
class Cast:
    """A drawn crowd with its truth as gold, and the character of each annotator by name."""

    corpus: Corpus
    characters: dict[str, str]


def reads(character: Character) -> Work:
    """Somebody who reads; half of their decisions are taken once for a surface form."""
    return lambda passage, random: read(
        passage, replace(character, habit=float(random.choice([0.0, 0.5, 0.8]))), random
    )


def permuted(passage: Passage, random: Generator) -> Marks:
    """A good one who has the names of all types mixed up."""
    turned = dict(zip(passage.types, passage.types[1:] + passage.types[:1], strict=True))
    return retyped(read(passage, GOOD, random), turned.__getitem__)


def type_blind(passage: Passage, random: Generator) -> Marks:
    """A good one who never marks one of the types."""
    unseen = passage.types[int(random.integers(len(passage.types)))]
    marks = read(passage, EXPERT, random)
    return [[mark for mark in sentence if mark[2] != unseen] for sentence in marks]


READERS: dict[str, Work] = {
    "great": reads(GREAT),
    "expert": reads(EXPERT),
    "good": reads(GOOD),
    "mid": reads(MID),
    "bad": reads(BAD),
}
ODD: dict[str, Work] = {
    "lazy": reads(TIMID),
    "over-marker": reads(OVER_MARKER),
    "boundary-sloppy": reads(SLOPPY),
    "random": lambda passage, random: guess(passage, 0.1, random),
    "blank": lambda passage, _: blank(passage),
}
ODD_OF_TYPES: dict[str, Work] = {"permuted": permuted, "type-blind": type_blind}
COPIES = {"exact copy": 0.0, "noisy copy": NOISY}
SIMULATED = "simulated"
CHARACTERS = (*READERS, *ODD, *ODD_OF_TYPES, *COPIES)


def draw_cast(data: Path, part: str, draw: int) -> Cast:
    """2 to 14 people, more than half of whom read; every fourth cast by the package's own simulator."""
    random = np.random.default_rng([_SEEDS[part], draw])
    texts = TEXTS[part]
    text = gold_text(data, *texts[draw % len(texts)], _SENTENCES)
    size = int(random.choice([60, 150, 300, 500]))
    begin = int(random.integers(0, max(1, len(text) - size)))
    passage = text.select(np.arange(begin, min(begin + size, len(text))))
    if draw // len(texts) % 4 == 3:
        return _simulated(passage, random)
    return _drawn(Passage.of(passage), random)


def _drawn(passage: Passage, random: Generator) -> Cast:
    """Everybody has all sentences, or a share of them."""
    count = int(random.choice([2, 3, 3, 4, 5, 6, 8, 10, 12, 14]))
    n_odd = int(random.integers(0, (count - 1) // 2 + 1))
    odd = [*ODD, *COPIES, *(ODD_OF_TYPES if len(passage.types) > 1 else ())]
    chosen = [str(random.choice(list(READERS))) for _ in range(count - n_odd)]
    chosen += [str(random.choice(odd)) for _ in range(n_odd)]
    known = READERS | ODD | ODD_OF_TYPES
    characters = {f"a{number}": character for number, character in enumerate(chosen, 1)}
    people: dict[str, Marks] = {}
    for name, character in characters.items():
        if character in COPIES:
            copied = people[f"a{int(random.integers(1, count - n_odd + 1))}"]
            people[name] = copy(passage, copied, COPIES[character], random)
        else:
            people[name] = known[character](passage, random)
    share = float(random.choice([1.0, 1.0, 0.6, 0.4] if count > 3 else [1.0, 0.7]))
    seen = {name: random.random(len(passage.tokens)) < share for name in people}
    return Cast(to_corpus(passage, people, seen), characters)


def _simulated(text: Corpus, random: Generator) -> Cast:
    """Two to six of one precision on average, and up to three profiles."""
    precision, count = float(random.choice([0.3, 0.5, 0.7, 0.9])), int(random.integers(2, 7))
    profiles = [str(name) for name in random.permutation(list(PROFILES))[: int(random.integers(0, 4))]]
    seed = int(random.integers(1 << 30))
    crowd = simulate(text, annotators=count, precision=precision, profiles=tuple(profiles), seed=seed)
    of_profile = {name: f"{SIMULATED}, {name}" for name in profiles}
    usual = f"{SIMULATED}, precision about {precision:.1f}"
    return Cast(crowd, {name: of_profile.get(name, usual) for name in crowd.annotators})
