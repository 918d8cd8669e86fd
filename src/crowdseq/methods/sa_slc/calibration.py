"""How sure to be of everything, by whether annotators err together, and of each token, by who looked at it.

A model of independent votes takes shared errors for agreement, so all scores are divided by one temperature.
That softens what annotators agree on as much as what they dispute: belief is then too modest where nobody
marked anything, and too sure of what one source marked. Errors are shared where somebody marks something;
where nobody does, the text alone knows what may have been missed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import add_up
from crowdseq.evaluation.kinship import Kin
from crowdseq.methods.sa_slc.evidence import ContextVotes

# Set on development crowds of many kinds; where many votes err alone and the text agrees nothing is softened.
_BY_SHARED_ERRORS = 11.0
_BY_TEXT = 3.2
_BY_PRECISION = 2.6
_GOOD_AGREEMENT = 0.71
_GOOD_PRECISION = 0.6
_TELLING_MARKS = 500  # from fewer no tagger learns to agree: its silence is no sign of doubt
_LEAST_TELLING = 0.25
_USUAL_DOUBT = 0.3  # of the text, where it has too little to learn from to tell
# Correlations of crowds in which nobody can tell, with the weight of so many pairs of votes. Inside, belief
# is chosen from the votes, so that few of them never show the errors that all share.
_USUAL_INSIDE, _USUAL_PAIRS_INSIDE = 0.07, 800
_USUAL_OUTSIDE, _USUAL_PAIRS_OUTSIDE = 0.15, 1000
_PAIR_VARIANCE = 0.2
# False marks that gather by so much on the same tokens are as in any text; by so much more they err together.
_USUAL_GATHERING, _MUCH_GATHERING = 0.05, 0.1
_LEAST_TOGETHER = 0.3
# What is missed gathers from 0 on: on crowds of Mechanical Turk it soon goes beyond this, on those made up of
# independent people hardly to the second figure. Their false marks gather by the third, as in any text, and
# not by the fourth.
_MUCH_MISSED_TOGETHER, _HARDLY_TOGETHER = 0.08, 0.02
_AS_IN_ANY_TEXT, _BEYOND_ANY_TEXT = 0.1, 0.125
_OTHER_WORDS, _SAME_WORDS = 0.5, 0.65  # are what lacks the majority, as `coupling.left_out` tells
_LITTLE_STANDS, _MUCH_STANDS = 0.55, 0.7  # shares of marks
OF_SOURCES = 4.0  # sources err by rule and cover each other, which pairs of votes do not show
# Set on the same crowds, each weighing the same.
OF_TEXT = 1.15  # what the text alone says is softened by so much
_HALFWAY = 0.5
_RULES_ERR = 0.2  # of what one source marks and nobody else, whatever is believed


@dataclass(frozen=True, eq=False)
class VoteHits:
    """(4, K) by annotator: votes on tokens of a kind that others labelled too, those of them that are as
    believed, marks anywhere, and those of them that are as believed. The kind: what is believed to be inside
    something, or else what is not."""

    counts: FloatArray

    @classmethod
    def of(cls, votes: ContextVotes, tags: IntArray, outside: int, size: int, inside: bool) -> "VoteHits":
        right, marked = votes.labels == tags[votes.tokens], votes.labels != outside
        shared = _shared(votes, tags, outside, inside)
        chosen = (shared, shared & right, marked, marked & right)
        counts = np.stack([np.bincount(votes.annotators[one], minlength=size) for one in chosen])
        return cls(counts.astype(np.float64))

    @property
    def rates(self) -> FloatArray:
        """(K,) how often each gives the label that is told."""
        return np.asarray((self.counts[1] + 0.5) / (self.counts[0] + 1.0))

    @property
    def speaking(self) -> BoolArray:
        """(K,) who marks anything."""
        return np.asarray(self.counts[2] > 0)

    @property
    def precision(self) -> float:
        """The share of all marks that are as told."""
        marks = float(self.counts[2].sum())
        return float(self.counts[3].sum()) / marks if marks else 1.0


@dataclass(frozen=True)
class Asked:
    """Tokens of one kind as the annotators' votes on them go together: inside or outside; rates (K,)."""

    inside: bool
    rates: FloatArray


def pair_sums(
    votes: ContextVotes, tags: IntArray, outside: int, asked: Asked, kin: tuple[Kin, ...]
) -> FloatArray:
    """(2,) over all pairs of votes on a token of the kind: the products of their deviations from what is
    usual of their annotators, and of the spreads of these; kin are no pairs."""
    shared = _shared(votes, tags, outside, asked.inside)
    tokens, annotators = votes.tokens[shared], votes.annotators[shared]
    usual = asked.rates[annotators]
    deviations = (votes.labels[shared] == tags[tokens]) - usual
    spreads = np.sqrt(usual * (1.0 - usual))
    sums = np.array([_pairs(tokens, values, len(tags)) for values in (deviations, spreads)])
    for pair in kin:
        first, second = (np.flatnonzero(annotators == one) for one in (pair.first, pair.second))
        _, left, right = np.intersect1d(tokens[first], tokens[second], return_indices=True)
        left, right = first[left], second[right]
        sums -= [deviations[left] @ deviations[right], spreads[left] @ spreads[right]]
    return sums


def correlation(sums: FloatArray, *, inside: bool) -> float:
    """How far errors are shared, from `pair_sums` of all shards; where pairs are few the usual value."""
    usual, pairs = (_USUAL_INSIDE, _USUAL_PAIRS_INSIDE) if inside else (_USUAL_OUTSIDE, _USUAL_PAIRS_OUTSIDE)
    weight = pairs * _PAIR_VARIANCE
    return max(0.0, float((sums[0] + weight * usual) / (sums[1] + weight)))


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """How far annotators err together on tokens of a kind, the share of marks that are as believed, and (K,)
    who marks anything."""

    correlation: float
    precision: float
    speaking: BoolArray


def shared_errors(placed: Placed[Any], version: int, *, inside: bool) -> SharedErrors:
    """Under a version of the belief that the shards hold, on tokens inside something or else outside."""
    hits = VoteHits(add_up(placed.each("vote_hits", version, inside)))
    sums = add_up(placed.each("pair_sums", version, Asked(inside, hits.rates)))
    return SharedErrors(correlation(sums, inside=inside), hits.precision, hits.speaking)


def together(gathering: float) -> float:
    """0 to 1: how far the correlation of the settings holds, by how far false marks gather; never not at all,
    since what all believe is not counted among the false."""
    return min(max((gathering - _USUAL_GATHERING) / _MUCH_GATHERING, _LEAST_TOGETHER), 1.0)


def misses_gather(seen: SharedErrors) -> float:
    """0 to 1: how far misses hang on what stands there. They do if annotators miss the same tokens, and if
    missing is what they do wrong: where few marks stand, what looks missed was never there."""
    return min(seen.correlation / _MUCH_MISSED_TOGETHER, 1.0) * much_stands(seen.precision)


def err_alone(missed: float, invented: float) -> float:
    """0 to 1: how surely annotators do not err together, neither in what they miss nor in what they invent,
    by how far both gather."""
    beyond = (invented - _AS_IN_ANY_TEXT) / (_BEYOND_ANY_TEXT - _AS_IN_ANY_TEXT)
    return max(0.0, 1.0 - missed / _HARDLY_TOGETHER) * min(max(1.0 - beyond, 0.0), 1.0)


def much_stands(share: float) -> float:
    """0 to 1: whether most marks stand, by the share of them that does."""
    return min(max((share - _LITTLE_STANDS) / (_MUCH_STANDS - _LITTLE_STANDS), 0.0), 1.0)


def little_left_out(left_out: float) -> float:
    """0 to 1: whether what lacks the majority was never there, by how far it is the same words."""
    return min(max((_SAME_WORDS - left_out) / (_SAME_WORDS - _OTHER_WORDS), 0.0), 1.0)


def temperature(seen: SharedErrors, agreement: float, n_marked: int) -> float:
    """By which all scores are divided before they are told.

    agreement: of the text alone with what is believed. n_marked: tokens that somebody marked, from which the
    text could learn: of few its doubt says little, and the usual one stands in for it.
    """
    telling = min(max(n_marked / _TELLING_MARKS, _LEAST_TELLING), 1.0)
    seen_doubt = max(0.0, 1.0 - agreement / _GOOD_AGREEMENT)
    doubt = telling * seen_doubt + (1.0 - telling) * _USUAL_DOUBT
    noise = max(0.0, _GOOD_PRECISION - seen.precision)
    return 1.0 + _BY_SHARED_ERRORS * seen.correlation + _BY_TEXT * doubt + _BY_PRECISION * noise


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

    An O where nobody marked anything and at most one person looked is told as the text alone tells it. Of
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


def _shared(votes: ContextVotes, tags: IntArray, outside: int, inside: bool) -> BoolArray:
    """(V,) whether others vote on the token too, and it is told to be inside something, or else outside."""
    voters = np.bincount(votes.tokens, minlength=len(tags))
    return np.asarray((voters[votes.tokens] > 1) & ((tags[votes.tokens] != outside) == inside))


def _pairs(tokens: IntArray, values: FloatArray, n_tokens: int) -> float:
    """The sum over pairs on one token of the products of their values."""
    sums = np.bincount(tokens, weights=values, minlength=n_tokens)
    return float((sums @ sums - values @ values) / 2.0)
