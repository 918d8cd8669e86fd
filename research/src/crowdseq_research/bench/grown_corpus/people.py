"""Annotators of known characters, and what each of them marks in a document."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crowdseq_research.bench.grown_corpus.text import TYPES, Document, Name

_PEOPLE_STREAM = 2**40  # beyond every document number


@dataclass(frozen=True)
class Character:
    """How likely somebody misses a name, takes it for another type, cuts it short or draws it too far, and
    marks a token that is none."""

    kind: str
    misses: float
    confuses: float
    cuts: float
    invents: float


_KINDS = (
    (0.30, Character("careful", 0.05, 0.03, 0.03, 0.002)),
    (0.40, Character("ordinary", 0.15, 0.08, 0.08, 0.005)),
    (0.15, Character("hasty", 0.45, 0.08, 0.10, 0.002)),
    (0.10, Character("muddled", 0.15, 0.35, 0.10, 0.010)),
    (0.05, Character("guesser", 0.85, 0.60, 0.30, 0.080)),
)


class People:
    """`count` annotators, of whom `votes` see each document; some do far more than others."""

    def __init__(self, count: int, votes: int, seed: int) -> None:
        self._seed, self._votes = seed, votes
        draw = np.random.default_rng([seed, _PEOPLE_STREAM])
        self.names = [f"w{number:0{len(str(count - 1))}}" for number in range(count)]
        self.characters = [_character(draw, (number + 0.5) / count) for number in range(count)]
        eagerness = draw.pareto(2.0, count) + 0.3
        self._eagerness = eagerness / eagerness.sum()

    def marks(self, document: Document) -> dict[str, list[Name]]:
        """What each annotator of a document marked, by name."""
        draw = np.random.default_rng([self._seed, document.number, 1])
        chosen = draw.choice(len(self.names), self._votes, replace=False, p=self._eagerness)
        return {
            self.names[who]: _marked(draw, document, self.characters[who]) for who in sorted(chosen.tolist())
        }


def _character(draw: np.random.Generator, place: float) -> Character:
    """The kind at this place of the crowd, with some more and some less of each fault."""
    bounds = np.cumsum([share for share, _ in _KINDS])
    kind = _KINDS[min(int(np.searchsorted(bounds, place, side="right")), len(_KINDS) - 1)][1]
    faults = (kind.misses, kind.confuses, kind.cuts, kind.invents)
    return Character(kind.kind, *(min(0.95, fault * draw.uniform(0.6, 1.4)) for fault in faults))


def _marked(draw: np.random.Generator, document: Document, who: Character) -> list[Name]:
    names, size = document.names, len(document.tokens)
    starts = set(document.bounds)
    luck, other = draw.random((len(names), 3)), draw.integers(1, len(TYPES), len(names))
    invented = np.flatnonzero(draw.random(size) < who.invents)
    kinds = draw.integers(0, len(TYPES), len(invented))
    found = [
        Name(place, place + 1, kind) for place, kind in zip(invented.tolist(), kinds.tolist(), strict=True)
    ]
    for name, (missed, confused, cut), shift in zip(names, luck.tolist(), other.tolist(), strict=True):
        if missed < who.misses:
            continue
        kind = (name.type + shift) % len(TYPES) if confused < who.confuses else name.type
        end = name.end
        if cut < who.cuts:
            is_long = name.end - name.start > 1
            end = name.end - 1 if is_long else min(name.end + (name.end not in starts), size)
        found.append(Name(name.start, end, kind))
    found.sort()
    apart = found[:1]
    apart += [name for before, name in pairwise(found) if name.start >= before.end]
    return apart
