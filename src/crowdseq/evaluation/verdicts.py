"""Verdicts on annotators: good, watch, drop or too little evidence, each with its reason and its numbers.

Somebody is good from an F1 of .8 against the truth on, and to be dropped below .4. Of tags without spans the
skill counts, agreement with the truth beyond chance; of labelling functions, which need not find everything,
the precision.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv

from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.names import listed, short
from crowdseq.evaluation.crowd_profile import CrowdProfile
from crowdseq.evaluation.kinship import find_kin
from crowdseq.evaluation.span_work import SpanWork

GOOD, WATCH, DROP, UNKNOWN = "good", "watch", "drop", "too little evidence"
VERDICTS = (GOOD, WATCH, DROP, UNKNOWN)
LEAST_GOOD, LEAST_WATCH = 0.8, 0.4
_TOLERANCE = 0.15  # so far may the interval reach beyond what the verdict says
_INTERVAL = 0.9
_DESIGN = 2.0  # errors come in documents: so many spans tell as much as one would by itself
_TOLD = 0.15  # the share from which on a kind of error is named
_AT_RANDOM = 0.75  # of the marks, where nothing is
_FEW_OF_A_TYPE = 10
_FINDS_MOST = 0.5  # of what others mark
_HARDLY_ANY = 0.2  # of all spans that labelling functions drew
_SHOWN_NAMES, _SHOWN_FAULTS = 3, 2
_ALONE = "shares no token with anybody, so that there is nothing to compare"
_AMONG_BLANKS = "nobody else who marks anything labelled the same text, so that there is nothing to compare"
_IDLE = "labelled nothing"


@dataclass(frozen=True)
class Measure:
    """How good an annotator is by one figure, the interval that holds it, and on how much it rests."""

    name: str
    value: float
    low: float
    high: float
    rests_on: float

    @classmethod
    def of(cls, name: str, value: float, rests_on: float) -> "Measure":
        """With the interval that a Beta distribution gives to a share of so many spans."""
        worth, share = rests_on / _DESIGN, max(value, 0.0)
        shape = share * worth + 0.5, (1.0 - share) * worth + 0.5
        tail = (1.0 - _INTERVAL) / 2.0
        low, high = (float(betaincinv(*shape, edge)) for edge in (tail, 1.0 - tail))
        return cls(name, value, min(low, value), max(high, value), rests_on)

    @property
    def verdict(self) -> str:
        """By the figure; too little evidence where the interval reaches far beyond what it says."""
        if self.value >= LEAST_GOOD:
            return GOOD if self.low >= LEAST_GOOD - _TOLERANCE else UNKNOWN
        if self.value < LEAST_WATCH:
            return DROP if self.high <= LEAST_WATCH + _TOLERANCE else UNKNOWN
        is_surely_better = self.low >= LEAST_WATCH - _TOLERANCE
        is_surely_worse = self.high <= LEAST_GOOD + _TOLERANCE
        return WATCH if is_surely_better and is_surely_worse else UNKNOWN


def with_verdicts(consensus: Consensus, *, silence: str = "auto", is_truth: bool = False) -> Consensus:
    """The consensus with a verdict, its reason and its evidence in every report.

    silence: `abstains` or `auto`, as methods have it. is_truth: whether the consensus is known to be right.
    """
    if not consensus.annotators:
        return consensus
    bench = _Bench.of(consensus, silence, is_truth)
    reports = [bench.judged(number, report) for number, report in enumerate(consensus.annotators)]
    return replace(consensus, annotators=tuple(reports))


@dataclass(frozen=True, eq=False)
class _Errors:
    """(K,) spans drawn with another type than the right one, with other bounds, where nothing is; right
    spans that were seen, and of them those that were overlooked; and the (K, types) numbers of spans drawn
    and of spans that are right."""

    retyped: FloatArray
    misbound: FloatArray
    invented: FloatArray
    right: FloatArray
    overlooked: FloatArray
    drawn_of: FloatArray
    right_of: FloatArray

    @classmethod
    def of(cls, work: SpanWork, belief: FloatArray, corpus: Corpus) -> "_Errors":
        right, spans = belief > 0.5, work.spans
        cover = np.zeros(corpus.n_tokens + 1)
        np.add.at(cover, spans.starts[right], 1.0)
        np.add.at(cover, spans.ends[right], -1.0)
        inside = np.concatenate([[0], np.cumsum(np.cumsum(cover)[:-1] > 0)])
        touches = inside[spans.ends] > inside[spans.starts]
        places = spans.starts * (corpus.n_tokens + 1) + spans.ends
        fits = np.isin(places, places[right])
        wrong = work.drew & ~right[work.seen]
        retyped, misbound = (work.sums(wrong & one[work.seen]) for one in (fits, touches & ~fits))
        missed = work.sums(right[work.seen] & ~work.drew)
        types, size = len(corpus.scheme.types), work.n_annotators
        cells = work.seen_by * types + spans.types[work.seen]
        drawn_of, right_of = (
            np.bincount(cells, weights, minlength=size * types).astype(np.float64).reshape(size, types)
            for weights in (work.drew, belief[work.seen])
        )
        return cls(
            retyped,
            misbound,
            work.sums(wrong & ~touches[work.seen]),
            work.sums(right[work.seen]),
            np.maximum(missed - retyped - misbound, 0.0),
            drawn_of,
            right_of,
        )


@dataclass(frozen=True, eq=False)
class _Bench:
    """What verdicts are made of. alone: who has nobody to be compared with, with the words for it. abstains:
    whether silence is no vote. beyond_chance: whether labels are tags of every token, which chance finds too.
    """

    work: SpanWork
    errors: _Errors
    hits: FloatArray
    wanted: FloatArray
    alone: Mapping[int, str]
    kin: dict[int, list[str]]
    types: Sequence[str]
    unit: str
    abstains: bool
    beyond_chance: bool

    @classmethod
    def of(cls, consensus: Consensus, silence: str, is_truth: bool) -> "_Bench":
        corpus, scheme = consensus.corpus, consensus.corpus.scheme
        profile, kin = CrowdProfile.of(corpus), find_kin(corpus)
        abstains = profile.silence(silence, scheme.outside >= 0) == "abstains" or _are_specialists(
            consensus, profile
        )
        is_certain = is_truth or abstains
        work = SpanWork.of(corpus, consensus.tag_ids, least_seen=1 if is_certain else 2)
        belief = work.settled.astype(np.float64) if is_certain else work.belief(kin)
        relatives: dict[int, list[str]] = defaultdict(list)
        for one in kin:
            relatives[one.first].append(corpus.annotators[one.second])
            relatives[one.second].append(corpus.annotators[one.first])
        return cls(
            work,
            _Errors.of(work, belief, corpus),
            work.hits(belief),
            work.wanted(belief),
            {} if is_truth else _lonely(corpus, profile, abstains),
            dict(relatives),
            scheme.types,
            "label" if scheme.is_plain else "span",
            abstains,
            scheme.outside < 0,
        )

    def judged(self, number: int, report: AnnotatorReport) -> AnnotatorReport:
        measure = self.measure(number)
        verdict = UNKNOWN if measure is None else measure.verdict
        reason = "; ".join(self._reasons(number, measure, verdict))
        return replace(report, verdict=verdict, reason=reason, evidence=self._evidence(number, measure))

    def measure(self, number: int) -> Measure | None:
        """None where there is nothing to measure by."""
        drawn, hits, wanted = self.work.n_drawn[number], self.hits[number], self.wanted[number]
        total = drawn if self.abstains else (drawn + wanted) / 2.0
        if total <= 0 or number in self.alone or self._is_deaf:
            return None
        share = float(hits / total)
        if self.abstains:
            return Measure.of("precision", share, float(total))
        if not self.beyond_chance:
            return Measure.of("F1", share, float(total))
        chance = float(
            self.errors.drawn_of[number] @ self.errors.right_of[number] / max(drawn * wanted, 1e-9)
        )
        skill = (share - chance) / (1.0 - chance) if chance < 1.0 - 1e-9 else 0.0
        return Measure.of("skill", skill, float(total))

    @property
    def _is_deaf(self) -> bool:
        """Whether the consensus has hardly anything of what labelling functions marked."""
        return self.abstains and self.hits.sum() < _HARDLY_ANY * self.work.n_drawn.sum()

    def _reasons(self, number: int, measure: Measure | None, verdict: str) -> Iterator[str]:
        if measure is None:
            yield self._nothing(number)
            return
        drawn, wanted = self.work.n_drawn[number], self.wanted[number]
        if not drawn:
            hardly_any = "marks nothing, and there is hardly anything to mark"
            others = f"marks nothing, where the others have {wanted:,.0f} {self._units(wanted)}"
            yield others if round(wanted) else hardly_any
            return
        few = "only " if verdict == UNKNOWN else ""
        reach = f"{short(measure.low)} to {short(measure.high)}"
        rests = f"{few}{measure.rests_on:,.0f} {self._units(measure.rests_on)}"
        yield f"estimated {measure.name} {short(measure.value)} ({reach}) on {rests}"
        if verdict in (WATCH, DROP):  # what rests on too little accuses nobody
            yield from self._faults(number)
        if unmarked := self._never_marked(number):
            yield f"never marks {', '.join(unmarked)}"
        if number in self.kin:
            yield f"agrees with {listed(self.kin[number], _SHOWN_NAMES)} as only copies do"

    def _nothing(self, number: int) -> str:
        if number in self.alone:
            return self.alone[number]
        if self.abstains and not self.work.n_drawn[number]:
            return "marks nothing, which labelling functions may"
        if self.abstains:
            return "the consensus has hardly anything of what labelling functions marked"
        return f"no {self.unit} to compare: nobody drew any where others worked too"

    def _faults(self, number: int) -> Iterator[str]:
        """The kinds of errors that make up much of the work, the most common first."""
        drawn, errors = self.work.n_drawn[number], self.errors
        if self.beyond_chance:
            return
        shares = {
            "marks at random: {} of the marks lie where nothing is": errors.invented[number] / drawn,
            "wrong types in {} of the marks": errors.retyped[number] / drawn,
            "wrong bounds in {} of the marks": errors.misbound[number] / drawn,
        }
        if not self.abstains:
            shares[f"overlooks {{}} of the {self.unit}s"] = errors.overlooked[number] / max(
                errors.right[number], 1.0
            )
        for words, share in sorted(shares.items(), key=lambda item: -item[1])[:_SHOWN_FAULTS]:
            if share >= _TOLD:
                yield (words if share >= _AT_RANDOM else words.removeprefix("marks at random: ")).format(
                    f"{100 * share:.0f} %"
                )

    def _never_marked(self, number: int) -> list[str]:
        if self.abstains or self.beyond_chance:
            return []
        never = (self.errors.drawn_of[number] == 0) & (self.errors.right_of[number] >= _FEW_OF_A_TYPE)
        return [self.types[kind] for kind in np.flatnonzero(never).tolist()]

    def _evidence(self, number: int, measure: Measure | None) -> dict[str, Any]:
        drawn, wanted, hits = self.work.n_drawn[number], self.wanted[number], self.hits[number]
        found: dict[str, Any] = {
            "spans": int(drawn),
            "right": round(float(hits), 1),
            "wanted": round(float(wanted), 1),
            **{name: int(getattr(self.errors, name)[number]) for name in _KINDS},
            "never_marks": self._never_marked(number) if measure is not None else [],
            "kin": list(self.kin.get(number, ())),
        }
        if measure is not None:
            figures = {"value": measure.value, "low": measure.low, "high": measure.high}
            found |= {"measure": measure.name} | {name: round(value, 4) for name, value in figures.items()}
        return found

    def _units(self, count: float) -> str:
        return self.unit if round(count) == 1 else f"{self.unit}s"


def _lonely(corpus: Corpus, profile: CrowdProfile, abstains: bool) -> dict[int, str]:
    """Those with nobody to be compared with, and why. Who never marks anything is no witness of what others
    mark; of labelling functions silence says nothing anyway."""
    n_votes = np.bincount(corpus.annotations.votes().annotators, minlength=len(corpus.annotators))
    lonely = dict.fromkeys(np.flatnonzero(n_votes == 0).tolist(), _IDLE)
    if profile.blank.any() and not abstains:
        marking = corpus.keep_annotators(
            [name for name, is_blank in zip(corpus.annotators, profile.blank, strict=True) if not is_blank]
        )
        alone = np.flatnonzero(CrowdProfile.of(marking).alone).tolist()
        numbers = {name: number for number, name in enumerate(corpus.annotators)}
        lonely |= {numbers[marking.annotators[one]]: _AMONG_BLANKS for one in alone}
    return lonely | dict.fromkeys(np.flatnonzero(profile.alone).tolist(), _ALONE)


def _are_specialists(consensus: Consensus, profile: CrowdProfile) -> bool:
    """Whether most look for some types only, and find less than half of what others mark: then they are
    labelling functions, even if they find too much to be known by their silence alone."""
    recalls = profile.recalls[np.isfinite(profile.recalls)]
    if consensus.corpus.scheme.outside < 0 or not len(recalls) or np.median(recalls) >= _FINDS_MOST:
        return False
    work = SpanWork.of(consensus.corpus, consensus.tag_ids)
    errors = _Errors.of(work, work.settled.astype(np.float64), consensus.corpus)
    some = ((errors.drawn_of == 0) & (errors.right_of >= _FEW_OF_A_TYPE)).any(axis=1)
    marking = work.n_drawn > 0
    return bool(some[marking].sum() > marking.sum() / 2.0)


_KINDS = ("retyped", "misbound", "invented", "overlooked")
