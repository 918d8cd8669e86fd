"""Who takes part: the persons of a crowd, each with a level, a character and a stream of random numbers."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from crowdseq.arrays import FloatArray
from crowdseq.simulation.profiles import Profile, find_profile
from crowdseq.simulation.settings import CrowdSettings


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


@dataclass(frozen=True)
class Person:
    """One annotator: `profile` names the character, or is None for an ordinary one."""

    name: str
    profile: str | None
    character: Profile
    stream: Stream


def cast(settings: CrowdSettings) -> tuple[Person, ...]:
    """All persons of a crowd, in the order of their names."""
    return tuple(sorted([*_ordinary(settings), *_with_profile(settings)], key=lambda person: person.name))


def _ordinary(settings: CrowdSettings) -> list[Person]:
    streams = [ordinary_stream(settings.seed, number) for number in range(settings.annotators)]
    talents = np.array([float(ndtri(_inside(stream.draws("talent", 1)[0]))) for stream in streams])
    precisions = spread_levels(settings.precision, settings.spread * talents)
    recalls = spread_levels(settings.recall or settings.precision, settings.spread * talents)
    width = max(2, len(str(settings.annotators)))
    return [
        Person(f"a{number + 1:0{width}}", None, _character(settings, *levels), stream)
        for number, (stream, *levels) in enumerate(
            zip(streams, precisions.tolist(), recalls.tolist(), strict=True)
        )
    ]


def _character(settings: CrowdSettings, precision: float, recall: float) -> Profile:
    return Profile(
        summary="ordinary",
        precision=precision,
        recall=recall,
        consistency=settings.consistency,
        slips=settings.slips,
        weights=settings.weights,
    )


def _with_profile(settings: CrowdSettings) -> list[Person]:
    persons, seen = [], dict.fromkeys(settings.profiles, 0)
    for name in settings.profiles:
        seen[name] += 1
        own_name = name if seen[name] == 1 else f"{name}-{seen[name]}"
        stream = profile_stream(settings.seed, name, seen[name])
        persons.append(Person(own_name, name, find_profile(name), stream))
    return persons


def spread_levels(mean: float, offsets: FloatArray) -> FloatArray:
    """(K,) levels that lie so far apart in log-odds, moved together until their mean is as asked."""
    if len(offsets) == 0:
        return offsets

    def surplus(centre: float) -> float:
        return float(expit(centre + offsets).mean()) - mean

    reach = 40.0 + float(np.abs(offsets).max())
    return np.asarray(expit(brentq(surplus, -reach, reach, xtol=1e-12) + offsets))


def _inside(draw: float) -> float:
    """A draw that a normal distribution can be read off at."""
    return min(max(draw, 1e-9), 1 - 1e-9)
