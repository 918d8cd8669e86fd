"""What an error makes of a mention: other bounds, another label, two marks, or one with its neighbour."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.spans import SpanTable
from crowdseq.simulation.mentions import Mentions
from crowdseq.simulation.profiles import EXTEND, MERGE, SHIFT, SHRINK, SPLIT, TYPE

UNHARMED = -1
_TWO_TOKENS = 0.25  # how often bounds are off by two tokens rather than one


@dataclass(frozen=True, eq=False)
class Damage:
    """How an annotator would get each of the G mentions wrong.

    kinds: the error, -1 where the mention allows none. leans_left, doubles: which side is hit, and whether
    by two tokens. cuts: where a split falls, from 0 to 1. wrong_types: the type taken instead.
    """

    kinds: IntArray
    leans_left: BoolArray
    doubles: BoolArray
    cuts: FloatArray
    wrong_types: IntArray

    @classmethod
    def of(
        cls,
        mentions: Mentions,
        weights: FloatArray,
        draws: FloatArray,
        sources: IntArray,
        wrong_types: IntArray,
    ) -> "Damage":
        """From draws (4, G); a mention repeats the error of its source where it can."""
        own = choose_kinds(mentions.allows, weights, draws[0])
        handed_on = own[sources]
        repeats = (handed_on >= 0) & mentions.allows[handed_on, np.arange(len(own))]
        side, size, cut = draws[1:, sources]
        kinds = np.where(repeats, handed_on, own)
        return cls(kinds, side < 0.5, size < _TWO_TOKENS, cut, wrong_types[sources])

    @property
    def pieces(self) -> IntArray:
        """(G,) wrong marks that the error leaves behind."""
        return np.where(self.kinds == SPLIT, 2, np.where(self.kinds == UNHARMED, 0, 1))


def choose_kinds(allows: BoolArray, weights: FloatArray, draws: FloatArray) -> IntArray:
    """(6, G) what is possible and (6,) weights to (G,) kinds, -1 where nothing is possible."""
    bounds = np.cumsum(allows * weights[:, None], axis=0)
    kinds = (bounds <= draws * bounds[-1]).sum(axis=0)
    return np.where(bounds[-1] > 0, np.minimum(kinds, len(weights) - 1), UNHARMED)


def damaged_marks(mentions: Mentions, damage: Damage, chosen: IntArray) -> SpanTable:
    """The marks that the chosen mentions become, in no order."""
    starts, ends = mentions.table.starts[chosen].copy(), mentions.table.ends[chosen].copy()
    kinds = damage.kinds[chosen]
    types = np.where(kinds == TYPE, damage.wrong_types[chosen], mentions.table.types[chosen])
    for kind, move in ((SHRINK, _shrink), (EXTEND, _extend), (SHIFT, _shift)):
        hit = np.flatnonzero(kinds == kind)
        at_start, at_end = move(mentions, damage, chosen[hit])
        starts[hit] += at_start
        ends[hit] += at_end
    merged = np.flatnonzero(kinds == MERGE)
    ends[merged] = mentions.table.ends[chosen[merged] + 1]
    split = np.flatnonzero(kinds == SPLIT)
    second_starts, second_ends = _split_off(mentions, damage, chosen[split])
    ends[split] = second_starts - int(mentions.must_part)
    return SpanTable(
        np.concatenate([starts, second_starts]),
        np.concatenate([ends, second_ends]),
        np.concatenate([types, types[split]]),
    )


def _shrink(mentions: Mentions, damage: Damage, hit: IntArray) -> tuple[IntArray, IntArray]:
    size = np.minimum(1 + damage.doubles[hit], mentions.lengths[hit] - 1)
    left = damage.leans_left[hit]
    return np.where(left, size, 0), np.where(left, 0, -size)


def _extend(mentions: Mentions, damage: Damage, hit: IntArray) -> tuple[IntArray, IntArray]:
    left = _to_the_left(mentions, damage, hit)
    room = np.where(left, mentions.before[hit], mentions.after[hit])
    size = np.minimum(1 + damage.doubles[hit], room)
    return np.where(left, -size, 0), np.where(left, 0, size)


def _shift(mentions: Mentions, damage: Damage, hit: IntArray) -> tuple[IntArray, IntArray]:
    # By one token only: a mark that no longer touches its mention would be missed and spurious instead.
    step = np.where(_to_the_left(mentions, damage, hit), -1, 1)
    return step, step


def _to_the_left(mentions: Mentions, damage: Damage, hit: IntArray) -> BoolArray:
    """The side that was drawn, or the other one where that has no room."""
    left: BoolArray = np.where(
        damage.leans_left[hit], mentions.before[hit] > 0, mentions.after[hit] == 0
    ).astype(np.bool_)
    return left


def _split_off(mentions: Mentions, damage: Damage, hit: IntArray) -> tuple[IntArray, IntArray]:
    """Start and end of the second piece."""
    gap = int(mentions.must_part)
    ways = mentions.lengths[hit] - 1 - gap
    cut = 1 + gap + np.minimum((damage.cuts[hit] * ways).astype(np.int64), ways - 1)
    return mentions.table.starts[hit] + cut, mentions.table.ends[hit]


def confusion_rows(counts: IntArray, draws: FloatArray) -> FloatArray:
    """(M, M) cumulative chances to take label j for label i, never i itself.

    Frequent labels are taken more often; draws (M, M) give every annotator leanings of their own.
    """
    leanings = -np.log1p(-draws) * (counts + 1.0)
    np.fill_diagonal(leanings, 0.0)
    totals = leanings.sum(axis=1, keepdims=True)
    return np.cumsum(leanings / np.where(totals > 0, totals, 1.0), axis=1)


def draw_wrong(truth: IntArray, rows: FloatArray, draws: FloatArray) -> IntArray:
    """(I,) true labels to wrong ones."""
    wrong = np.empty(len(truth), np.int64)
    for label in np.unique(truth).tolist():
        chosen = np.flatnonzero(truth == label)
        wrong[chosen] = _read_off(rows[label], draws[chosen])
    return wrong


def draw_any(counts: IntArray, draws: FloatArray) -> IntArray:
    """(I,) labels drawn by how often they occur."""
    return _read_off(np.cumsum(counts / max(int(counts.sum()), 1)), draws)


def _read_off(bounds: FloatArray, draws: FloatArray) -> IntArray:
    """Labels at the draws of a cumulative row; labels of no chance are stepped over, at the end too."""
    last = np.searchsorted(bounds, bounds[-1], side="left")
    found: IntArray = np.minimum(np.searchsorted(bounds, draws * bounds[-1], side="right"), last)
    return found
