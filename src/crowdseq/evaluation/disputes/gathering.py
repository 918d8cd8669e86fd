"""gather: disputes to look at together, over the same words or about the same two labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.evaluation.disputes.mentions import Mention
from crowdseq.evaluation.disputes.regions import CONSENSUS, Disputes, distinct

MOST_TOGETHER = 20
_SELDOM = 6  # mentions with so few places share a screen with others


@dataclass(frozen=True)
class Gathered:
    """Disputes that fit on a screen. mentions: the numbers of theirs, whose places stand together.

    pair: the labels that they are about, None for nothing; twice the same where only the edges differ. gain:
    the sum of that of the disputes.
    """

    mentions: tuple[int, ...]
    disputes: tuple[int, ...]
    pair: tuple[str | None, str | None]
    gain: float


@dataclass(frozen=True)
class _Group:
    mention: int
    disputes: tuple[int, ...]
    code: int


def gather(
    disputes: Disputes,
    found: Iterable[tuple[int, Mention]],
    most: int = MOST_TOGETHER,
    *,
    pair: tuple[str | None, str | None] | None = None,
) -> tuple[Gathered, ...]:
    """Numbered mentions by screens, those with the greatest gain first.

    A mention with many places has screens of its own. Those with few are put together by the two labels that
    they are about, the greatest gain of a place first, so that one screen asks one question. pair: all of
    them are asked about these, and share screens.
    """
    codes, size = _questions(disputes), len(disputes.consensus.corpus.scheme.types) + 1
    screens: list[list[_Group]] = []
    seldom: dict[int, list[_Group]] = {}
    for number, mention in found:
        code = int(codes[mention.disputes[0]]) if pair is None else _code(disputes, pair)
        parts = range(0, len(mention.disputes), most)
        groups = [_Group(number, mention.disputes[at : at + most], code) for at in parts]
        if pair is not None or len(mention.disputes) <= _SELDOM:
            seldom.setdefault(code, []).extend(groups)
        else:
            screens += [[group] for group in groups]
    for groups in seldom.values():
        screens += _packed(groups, disputes, most)
    made = [_gathered(groups, disputes, size) for groups in screens]
    return tuple(sorted(made, key=lambda one: (-one.gain, one.disputes)))


def _code(disputes: Disputes, pair: tuple[str | None, str | None]) -> int:
    types = disputes.consensus.corpus.scheme.types
    first, second = sorted(len(types) if label is None else types.index(label) for label in pair)
    return first * (len(types) + 1) + second


def _packed(groups: list[_Group], disputes: Disputes, most: int) -> list[list[_Group]]:
    """Groups on screens that they fit on, the greatest gain of a place first."""
    gain, screens, room = disputes.gain, list[list[_Group]](), 0
    for group in sorted(groups, key=lambda one: -float(gain[list(one.disputes)].mean())):
        if len(group.disputes) > room:
            screens.append([])
            room = most
        screens[-1].append(group)
        room -= len(group.disputes)
    return screens


def _gathered(groups: Sequence[_Group], disputes: Disputes, size: int) -> Gathered:
    names = (*disputes.consensus.corpus.scheme.types, None)
    first, second = divmod(groups[0].code, size)
    together = tuple(number for group in groups for number in group.disputes)
    return Gathered(
        tuple(group.mention for group in groups),
        together,
        (names[first], names[second]),
        float(disputes.gain[list(together)].sum()),
    )


def _questions(disputes: Disputes) -> IntArray:
    """(D,) the label that is settled and the one that most others gave, as one number."""
    columns, nothing = disputes.columns, len(disputes.consensus.corpus.scheme.types)
    size, count = nothing + 1, len(disputes)
    own = columns.annotators == CONSENSUS
    settled = np.full(count, nothing, np.int64)
    np.minimum.at(settled, columns.owners[own], columns.mark_types[own])
    said, times = _votes(disputes, size)
    others = said % size != settled[said // size]
    said, times = said[others], times[others]
    order = np.lexsort((said, -times, said // size))
    owners = said[order] // size
    is_first = np.diff(owners, prepend=-1) != 0
    other = settled.copy()
    other[owners[is_first]] = said[order][is_first] % size
    return np.minimum(settled, other) * size + np.maximum(settled, other)


def _votes(disputes: Disputes, size: int) -> tuple[IntArray, IntArray]:
    """Keys of dispute and label, the last of them for nothing, and how many people say so."""
    columns, people = disputes.columns, max(len(disputes.consensus.corpus.annotators), 1)
    given = columns.annotators != CONSENSUS
    voters = columns.owners[given] * people + columns.annotators[given]
    said = distinct(voters * size + columns.mark_types[given])
    silent = columns.readers - np.bincount(distinct(voters) // people, minlength=len(disputes))
    keys, times = np.unique(said // size // people * size + said % size, return_counts=True)
    empty = np.flatnonzero(silent > 0)
    return np.concatenate([keys, empty * size + size - 1]), np.concatenate([times, silent[empty]])
