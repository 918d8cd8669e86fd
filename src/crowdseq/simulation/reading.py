"""How an annotator who reads marks a text: by quota, mentions right, damaged or missed, and marks made up."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable
from crowdseq.simulation.cast import Person
from crowdseq.simulation.damage import Damage, confusion_rows, damaged_marks, draw_any, draw_wrong
from crowdseq.simulation.marks import Board, Marks, join, opens_with_inside, pick
from crowdseq.simulation.mentions import Mentions
from crowdseq.simulation.profiles import MERGE, Profile
from crowdseq.simulation.scene import Scene

_SEARCH = 3  # a few mentions more or less let a small corpus meet a precision that it could not else


@dataclass(frozen=True)
class Quota:
    """Marks that match a gold mention, and marks that do not."""

    right: int
    wrong: int


def find_quota(n_mentions: int, precision: float, recall: float) -> Quota:
    """The numbers that come closest to a precision, near a recall."""
    if n_mentions == 0:
        return Quota(0, 0)
    wanted = recall * n_mentions
    middle = round(wanted)
    nearby = range(max(1, middle - _SEARCH), min(n_mentions, middle + _SEARCH) + 1)
    quotas = [Quota(right, wrong_beside(right, precision)) for right in nearby]

    def distance(quota: Quota) -> tuple[float, float]:
        # Precision is the promise; a thousandth of it is not worth moving recall for.
        realised = quota.right / (quota.right + quota.wrong)
        return max(abs(realised - precision), 1e-3), abs(quota.right - wanted)

    return min(quotas, key=distance)


def wrong_beside(right: int, precision: float) -> int:
    """Wrong marks that bring so many right ones to a precision."""
    return round(right * (1 - precision) / precision)


def right_beside(wrong: int, precision: float) -> int:
    """Right marks that bring so many wrong ones to a precision."""
    return round(wrong * precision / (1 - precision))


@dataclass(frozen=True, eq=False)
class _Opinions:
    """What an annotator thinks of each of the G mentions.

    luck: the lower, the sooner it is right. care: the lower, the sooner it is damaged rather than missed.
    Numbers are ranked and not held against a chance, so that quotas are met to the mention; and as they do
    not depend on the quotas, who gets better still gets right nearly all that was right before.
    """

    luck: FloatArray
    care: FloatArray
    damage: Damage

    @classmethod
    def of(cls, mentions: Mentions, person: Person) -> "_Opinions":
        stream, character = person.stream, person.character
        repeating, luck, care, wrong, *how = stream.draws("mentions", 8, len(mentions))
        sources = mentions.repeats.sources(repeating, character.consistency)
        leanings = stream.draws("leanings", mentions.n_types, mentions.n_types)
        rows = confusion_rows(mentions.type_counts, leanings)
        wrong_types = draw_wrong(mentions.table.types, rows, wrong)
        damage = Damage.of(mentions, character.weights.damages, np.array(how), sources, wrong_types)
        return cls(luck[sources], care[sources], damage)


def read_and_mark(scene: Scene, person: Person, seen: BoolArray) -> Marks:
    """The marks of one annotator on the sentences (N,) that they saw.

    Precision is met to the mark. Recall is met as well, unless the text has no room for the wrong marks that
    go with it: then fewer mentions are marked right.
    """
    mentions, character = scene.mentions, person.character
    opinions = _Opinions.of(mentions, person)
    met = np.flatnonzero(seen[mentions.sentences])
    quota = find_quota(len(met), character.precision, _recall_before_slips(character, scene.corpus.scheme))
    lost = len(met) - quota.right
    spoilt = character.weights.damaged(lost, quota.wrong)
    right, damaged = _choose(opinions, met, quota.right, spoilt, quota.wrong)
    wrong = damaged_marks(mentions, opinions.damage, damaged)
    board = Board(scene.corpus.n_tokens, int(mentions.must_part))
    for table in (pick(mentions.table, right), wrong):
        board.take(table.starts, table.ends)
    wrong = join(wrong, _make_up(scene, person, seen, board, quota.wrong - len(wrong)))
    if len(wrong) < quota.wrong:
        right = right[: right_beside(len(wrong), character.precision)]
    return Marks(pick(mentions.table, right), wrong)


def _recall_before_slips(character: Profile, scheme: LabelScheme) -> float:
    """Marks that slip count for nothing in a strict reading, so that many more have to be right."""
    lost = 0.0 if opens_with_inside(scheme) else character.slips
    return min(1.0, character.recall / (1.0 - lost))


def _choose(
    opinions: _Opinions, met: IntArray, n_right: int, n_damaged: int, most_pieces: int
) -> tuple[IntArray, IntArray]:
    """Which mentions are right, luckiest first, and which are damaged, into at most `most_pieces` marks.

    Two neighbours that are merged are both lost, so others are right in their place.
    """
    by_luck = met[np.argsort(opinions.luck[met], kind="stable")]
    lost = by_luck[n_right:]
    damaged = _by_care(opinions, lost)[:n_damaged]
    merging = _merging(opinions, damaged, len(lost) // 2)
    involved = np.union1d(merging, merging + 1)
    right = by_luck[~np.isin(by_luck, involved)][:n_right]
    other = opinions.damage.kinds[damaged] != MERGE
    unmerged = np.setdiff1d(damaged[other], np.union1d(right, involved))
    damaged = _by_care(opinions, np.union1d(unmerged, merging))
    pieces = np.cumsum(opinions.damage.pieces[damaged])
    return right, damaged[pieces <= most_pieces]


def _by_care(opinions: _Opinions, chosen: IntArray) -> IntArray:
    """Those that can be damaged, the likeliest first."""
    able = np.sort(chosen[opinions.damage.kinds[chosen] >= 0])
    return able[np.argsort(opinions.care[able], kind="stable")]


def _merging(opinions: _Opinions, damaged: IntArray, most: int) -> IntArray:
    """Mentions that swallow the one after them, of which none is itself swallowed."""
    wanting = np.sort(damaged[opinions.damage.kinds[damaged] == MERGE][:most])
    opens_run = np.ones(len(wanting), np.bool_)
    opens_run[1:] = np.diff(wanting) > 1
    places = np.arange(len(wanting))
    in_run = places - np.maximum.accumulate(np.where(opens_run, places, 0))
    swallowing: IntArray = wanting[in_run % 2 == 0]
    return swallowing


def _make_up(scene: Scene, person: Person, seen: BoolArray, board: Board, wanted: int) -> SpanTable:
    """Marks where there is no mention, tempting places first; a place that comes back tempts again."""
    places, stream = scene.places, person.stream
    repeating, tempted, kind = stream.draws("places", 3, len(places))
    sources = places.repeats.sources(repeating, person.character.consistency)
    # Waiting times of these rates come in the order of a weighted draw without putting back.
    waiting = (-np.log1p(-tempted) / places.weights)[sources]
    waiting[~seen[places.sentences]] = np.inf
    kept = board.fit(waiting, places.starts, places.ends, wanted)
    any_type = draw_any(scene.mentions.type_counts, kind[sources[kept]])
    known = places.types[kept]
    return SpanTable(places.starts[kept], places.ends[kept], np.where(known >= 0, known, any_type))
