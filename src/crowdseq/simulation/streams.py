"""Stream: the random numbers of one annotator, which nobody else's draws can move."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from crowdseq.arrays import FloatArray


@dataclass(frozen=True)
class Stream:
    """Uniform numbers that depend on the seed, the person and the purpose alone.

    Everything is made from these, and not from numpy's own distributions, whose algorithms may change.
    """

    seed: int
    person: tuple[int, ...]

    def draws(self, purpose: str, *shape: int) -> FloatArray:
        """Numbers from 0 to 1, 1 left out; the same again for the same purpose."""
        key = (*self.person, crc32(purpose.encode()))
        sequence = np.random.SeedSequence(self.seed, spawn_key=key)
        return np.random.Generator(np.random.PCG64(sequence)).random(shape)


def ordinary_stream(seed: int, number: int) -> Stream:
    """The stream of the ordinary annotator of this number."""
    return Stream(seed, (0, number))


def profile_stream(seed: int, name: str, number: int) -> Stream:
    """The stream of the annotator who is the numberth of a profile."""
    return Stream(seed, (1, crc32(name.encode()), number))
