"""Kin who hardly err: told by what they leave out together, where their agreement alone tells nothing."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from crowdseq.arrays import BoolArray
from crowdseq.evaluation.pair_agreements import LEAST_SHARED, Agreements
from crowdseq.evaluation.shared_deviations import MOST_WITNESSES, DeviationCounts, Quorum, SharedDeviations
from crowdseq.evaluation.tetrads import CERTAINTY, LEAST_LINK, STEP, Kin

_LEAST_EXCESS = 0.5  # as for tetrads: half of what could be shared is surely shared
_LEAST_EXCESS_OF_RELATIVES = 0.1  # copies of one person with changes of their own share what that one erred
_LEAST_TO_CONFIRM = 0.25  # for pairs of whom tetrads speak
_OF_EXPERTS, _OF_TWINS = 0.96, 0.99  # agreement: noisy copies hardly agree so well, nor do exact ones differ
_FORETOLD = 0.75  # of experts too little is foretold, but much
_OF_SUSPECTS = 1.0  # standard errors
_MOST_PAIRS = 200  # those who agree most
_MOST_PASSES = 8

Pair = tuple[int, int]
_Asked = tuple[int, int, tuple[int, ...]]
Count = Callable[[Quorum], DeviationCounts]


def deviating_kin(agreements: Agreements, known: Sequence[Kin], count: Count) -> list[Kin]:
    """Pairs besides the known ones, by what they share of what others agree on that they left out.

    First those are suspected whom the best witnesses, or those who surely agree less, speak against. Then
    each must hold with all others as witnesses who are no kin and no suspects of either: who sides with a
    pair for being right is a witness again. The most certain are taken first; kin are then no two witnesses
    any more.
    """
    court = _Court(agreements, known, count)
    pairs = court.pairs()
    suspected = court.suspects(pairs)
    found: list[Kin] = []
    while suspected and court.passes < _MOST_PASSES:
        related = court.is_kin.copy()
        _mark(related, suspected)
        told = court.hear([(one, other, court.quorum(one, other, related)) for one, other in suspected])
        sure = {
            pair: _sure(one, CERTAINTY) for pair, one in zip(suspected, told, strict=True) if one is not None
        }
        left = [pair for pair in suspected if pair in sure and sure[pair] >= _least(related, *pair)]
        if len(left) < len(suspected):
            suspected = left
            continue
        best = max(sure.values())
        taken = [pair for pair in suspected if sure[pair] >= best - STEP]
        found += [
            _kin(agreements, pair, one)
            for pair, one in zip(suspected, told, strict=True)
            if pair in taken and one is not None
        ]
        _mark(court.is_kin, taken)
        suspected = [pair for pair in suspected if pair not in taken]
    return found


def confirmed(agreements: Agreements, known: Sequence[Kin], count: Count) -> list[Kin]:
    """The known pairs without those who agree so well that two experts might, and who share no deviations.

    Poor witnesses meet on what is easy, and so foretell too little of two experts. Who never differ stay.
    """
    court, are_close = _Court(agreements, known, count), agreements.are_close
    doubted = [
        kin
        for kin in known
        if _OF_EXPERTS <= kin.agreement < _OF_TWINS and kin.expected >= _FORETOLD and are_close[kin[:2]]
    ]
    doubted.sort(key=lambda kin: -kin.agreement)
    pairs = [kin[:2] for kin in doubted[:_MOST_PAIRS]]
    told = court.hear([(*pair, court.quorum(*pair, court.is_kin)) for pair in pairs])
    freed = {
        pair
        for pair, one in zip(pairs, told, strict=True)
        if one is not None and _sure(one, CERTAINTY) < _LEAST_TO_CONFIRM
    }
    return [kin for kin in known if kin[:2] not in freed]


class _Court:
    """Who may speak against whom, what is known of whom, and what was counted already."""

    def __init__(self, agreements: Agreements, known: Sequence[Kin], count: Count) -> None:
        self._agreements, self._count = agreements, count
        self.is_kin: BoolArray = np.zeros(agreements.values.shape, np.bool_)
        _mark(self.is_kin, (kin[:2] for kin in known))
        self._told: dict[_Asked, SharedDeviations] = {}
        self.passes = 0
        # Who agree equally well with a pair are told apart by their work, so that no order of names matters.
        self._work = agreements.shared.sum(axis=0)

    def pairs(self) -> list[Pair]:
        """Who could be kin of somebody who hardly errs; of too many those who agree most."""
        values, shared = self._agreements.values, self._agreements.shared
        first, second = np.nonzero(np.triu(self._agreements.are_close & ~self.is_kin, 1))
        best = np.lexsort((-shared[first, second], -values[first, second]))[:_MOST_PAIRS]
        return sorted(zip(first[best].tolist(), second[best].tolist(), strict=True))

    def suspects(self, pairs: Sequence[Pair]) -> list[Pair]:
        nobody, values = np.zeros_like(self.is_kin), self._agreements.values
        upper = values + CERTAINTY * self._agreements.errors
        asked = []
        for one, other in pairs:
            less = np.maximum(upper[one], upper[other]) < values[one, other]
            asked += [(one, other, self.quorum(one, other, nobody, only)) for only in (less, None)]
        told = self.hear(asked)
        sure = [max(_sure(one, _OF_SUSPECTS) for one in told[2 * n : 2 * n + 2]) for n in range(len(pairs))]
        suspected = [pair for pair, one in zip(pairs, sure, strict=True) if one >= _least(self.is_kin, *pair)]
        related = self.is_kin.copy()
        _mark(related, suspected)
        return [
            pair
            for pair, one in zip(pairs, sure, strict=True)
            if pair in suspected or one >= _least(related, *pair)
        ]

    def quorum(
        self, one: int, other: int, related: BoolArray, only: BoolArray | None = None
    ) -> tuple[int, ...]:
        """The witnesses of a pair who agree most with it, none of them related to it, no two of them kin.

        Nor any two who surely agree more with each other than with the pair, and less than the pair does:
        nobody knows yet whether they are a family, whose errors the pair does not make.
        """
        values, shared = self._agreements.values, self._agreements.shared
        with_pair = np.maximum(values[one], values[other])
        lower = values - CERTAINTY * self._agreements.errors
        close = (lower > with_pair[:, None]) & (values < values[one, other])
        barred = self.is_kin | close | close.T
        able = np.minimum(shared[one], shared[other]) >= LEAST_SHARED
        able &= np.minimum(values[one], values[other]) >= LEAST_LINK
        able &= ~(related[one] | related[other] | self.is_kin[one] | self.is_kin[other])
        if only is not None:
            able &= only
        able[[one, other]] = False
        some = np.flatnonzero(able)
        chosen: list[int] = []
        for witness in some[np.lexsort((-self._work[some], -(values[one] + values[other])[some]))].tolist():
            if len(chosen) < MOST_WITNESSES and not barred[witness, chosen].any():
                chosen.append(witness)
        return tuple(chosen)

    def hear(self, asked: Sequence[_Asked]) -> list[SharedDeviations | None]:
        """What was counted for each pair and its witnesses, None where there are no two of them."""
        new = sorted({one for one in asked if len(one[2]) > 1} - self._told.keys())
        if new:
            witnesses = [[*some, *[-1] * (MOST_WITNESSES - len(some))] for _, _, some in new]
            first, second = (np.array([one[part] for one in new], np.int64) for part in (0, 1))
            counts = self._count(Quorum(first, second, np.array(witnesses, np.int64)))
            self._told.update(zip(new, counts.measured(), strict=True))
            self.passes += 1
        return [self._told.get(one) for one in asked]


def _sure(told: SharedDeviations | None, certainty: float) -> float:
    """The share that is there for certain: evidence is the square of a share in standard errors."""
    if told is None or told.evidence <= 0.0:
        return 0.0
    return told.excess * (1.0 - certainty / float(np.sqrt(told.evidence)))


def _least(related: BoolArray, one: int, other: int) -> float:
    return _LEAST_EXCESS_OF_RELATIVES if (related[one] & related[other]).any() else _LEAST_EXCESS


def _mark(is_kin: BoolArray, pairs: Iterable[Pair]) -> None:
    for one, other in pairs:
        is_kin[one, other] = is_kin[other, one] = True


def _kin(agreements: Agreements, pair: Pair, told: SharedDeviations) -> Kin:
    agreement = float(agreements.values[pair])
    dependence = float(np.clip(2.0 * told.excess - 1.0, 0.0, 1.0))
    return Kin(*pair, agreement, agreement * (1.0 - told.lent), dependence)
