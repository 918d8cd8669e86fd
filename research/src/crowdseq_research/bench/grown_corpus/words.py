"""Words without end: how often each rank of an endless vocabulary is drawn, and how it is spelt."""

from functools import cache

import numpy as np

from crowdseq.arrays import IntArray

# Two power laws, as counts of words in large collections show (Gerlach and Altmann, 2013): common words fall
# off with the rank, the endless rest faster, so that new words keep coming at about N ** (1 / TAIL). Head and
# shift are such that 1,000 to 200,000 tokens have as many different words as CoNLL-2003 has, within a tenth.
HEAD, TAIL, SHIFT = 5_000, 1.77, 0.5
_CONSONANTS, _VOWELS = "bdfghjklmnprstvwyzcq", "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)


class Ranks:
    """Draws ranks 0, 1, 2, …: 1 / (rank + shift) up to `head`, then a tail that never ends."""

    def __init__(self, head: int = HEAD, tail: float = TAIL, shift: float = SHIFT) -> None:
        weights = 1.0 / (np.arange(head) + shift)
        # What the tail weighs if it goes on where the head ends: the integral of (r / head) ** -tail.
        beyond = weights[-1] * head / (tail - 1.0)
        self._head, self._tail = head, tail
        self._bounds = np.cumsum(weights) / (weights.sum() + beyond)

    def draw(self, draw: np.random.Generator, count: int) -> IntArray:
        """(count,) ranks."""
        luck = draw.random(count)
        ranks = np.searchsorted(self._bounds, luck, side="right")
        rare = ranks >= self._head
        left = (1.0 - luck[rare]) / (1.0 - self._bounds[-1])
        ranks[rare] = np.minimum(self._head * left ** (-1.0 / (self._tail - 1.0)), 2.0**60).astype(np.int64)
        return ranks


@cache
def spelt(rank: int) -> str:
    """A word for each rank, and each once: its digits in syllables, so that frequent words are short and many
    share their beginning or their end."""
    word, left = "", rank + 1
    while left:
        left, digit = divmod(left - 1, len(_SYLLABLES))
        word += _SYLLABLES[digit]
    return word
