"""How sure each token is told: a softened belief is too modest where nobody marked anything, and too sure of
what one source marked.

One temperature for all tokens softens what annotators agree on as much as what they dispute. Errors are
shared where somebody marks something; where nobody does, the text alone knows what may have been missed.
"""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.methods.sa_slc.evidence import ContextVotes

# Set on development crowds of many kinds, each weighing the same.
OF_TEXT = 1.15  # what the text alone says is softened by so much
_HALFWAY = 0.5
_RULES_ERR = 0.2  # of what one source marks and nobody else, whatever is believed


@dataclass(frozen=True, eq=False)
class Softening:
    """temperature: by which all scores are divided. speaking (K,): who marks anything; None where nothing but
    the temperature counts."""

    temperature: float
    speaking: BoolArray | None = None


@dataclass(frozen=True, eq=False)
class Seen:
    """(T,) how many marked each token, and how many labelled it of those who mark anything at all."""

    marks: IntArray
    voters: IntArray

    @classmethod
    def of(cls, votes: ContextVotes, speaking: BoolArray, outside: int, n_tokens: int) -> "Seen":
        marks = np.bincount(votes.tokens[votes.labels != outside], minlength=n_tokens)
        voters = np.bincount(votes.tokens[speaking[votes.annotators]], minlength=n_tokens)
        return cls(marks, voters)


def told_of_people(
    softened: FloatArray, text: FloatArray, believed: FloatArray, seen: Seen, outside: int
) -> FloatArray:
    """(T, M) probabilities of what people labelled, from the softened belief, what the text alone says, and
    the sharp belief.

    An O of one person who marked nothing there is told as the text alone tells it: nobody else looked. Of
    several it is told halfway from the softened belief to the text where the text is surer.
    """
    quiet = (seen.marks == 0) & (believed.argmax(axis=1) == outside)
    weights = np.where(text[:, outside] > softened[:, outside], _HALFWAY, 0.0)
    weights = np.where(seen.voters <= 1, 1.0, weights) * quiet
    return np.asarray(softened + weights[:, None] * (text - softened))


def told_of_sources(
    softened: FloatArray, text: FloatArray, believed: FloatArray, seen: Seen, outside: int
) -> FloatArray:
    """The same of sources that look for some things only.

    They say nothing by silence, so that what none marked is told as the text alone tells it. They err by
    rule, which neither votes nor a text that learns the rules can show: of what one marked a share is told as
    O, and the less, the more of them marked it.
    """
    told = np.where(seen.marks[:, None] == 0, text, softened)
    found = (seen.marks > 0) & (believed.argmax(axis=1) != outside)
    doubted = found * _RULES_ERR / np.maximum(seen.marks, 1)
    told *= 1.0 - doubted[:, None]
    told[:, outside] += doubted
    return np.asarray(told)
