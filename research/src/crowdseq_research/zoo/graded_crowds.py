"""Crowds by degrees: four texts, four kinds of people, two to nine of them, short texts and longer ones.

Where draws at random rarely meet, every combination is there: nobody copies, everybody sees everything.
"""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from crowdseq_research.zoo.casts import BAD, GOOD, MID, Character, Passage, read, to_corpus
from crowdseq_research.zoo.drawn_crowds import Drawn
from crowdseq_research.zoo.simulated_crowds import gold_text

_SEED = 97
_TEXTS = ("conll2003", "ncbi_disease", "bc2gm", "jnlpba")
_PEOPLE = {"good": GOOD, "mid": MID, "bad": BAD, "miss half": Character(0.50, 0.06, 0.06, 0.02)}
_COUNTS = (2, 3, 5, 9)
_LENGTHS = {80: 0.0, 250: 0.4, 600: 0.2}  # sentences, and how much of what people decide they repeat
_FIRST = 2000  # sentence of the training part; simulated crowds have those before

GRADES = tuple(product(_TEXTS, _PEOPLE, _COUNTS, _LENGTHS))


def grade_crowd(data: Path, number: int) -> Drawn:
    """The crowd of this number, from 0 on."""
    name, kind, count, sentences = GRADES[number]
    text = gold_text(data, name, "train", _FIRST + sentences).select(np.arange(_FIRST, _FIRST + sentences))
    passage, character = Passage.of(text), replace(_PEOPLE[kind], habit=_LENGTHS[sentences])
    people = {
        f"a{one}": read(passage, character, np.random.default_rng([_SEED, number, one]))
        for one in range(count)
    }
    return Drawn(to_corpus(passage, people), (name, f"{sentences} sentences", f"{count} people", kind))
