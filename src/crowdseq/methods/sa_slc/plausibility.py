"""How much the text alone suggests an entity: annotators are misled where a tagger would be."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.labels import LabelScheme

# Chances of an entity that part a token that nobody would mark from one that almost everybody would.
LEVELS = (0.01, 0.1, 0.4, 0.8)


def plausibility_levels(unseen: FloatArray, scheme: LabelScheme) -> IntArray:
    """(T, M) beliefs of a tagger that did not see the votes on these tokens to (T,) levels, 0 to 4.

    A mark on a word that looks like an entity says less than one on a word that does not: where the truth is
    O, wrong marks gather on the likely words, and a table that mixes both takes them for evidence.
    """
    if scheme.outside < 0:
        return np.zeros(len(unseen), np.int64)
    return np.searchsorted(np.array(LEVELS), 1.0 - unseen[:, scheme.outside]).astype(np.int64)


def part_outside(alike: FloatArray, apart: FloatArray, scheme: LabelScheme) -> FloatArray:
    """(T, M) log scores of votes: for O by tables `apart` for each level, for entities halfway to `alike`.

    How often O is marked does hang on how it looks. How often an entity is missed does too, but less, and a
    table that may say freely that likely words are mostly missed makes entities of words that few marked.
    """
    mixed: FloatArray = (alike + apart) / 2
    mixed[:, scheme.outside] = apart[:, scheme.outside]
    return mixed
