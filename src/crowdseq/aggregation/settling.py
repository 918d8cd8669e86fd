"""settle: from any posteriors to the best valid tags and a report on every annotator.

LoneLabels: labels that nobody can be compared with stand; what the text says otherwise is a suggestion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.aggregation.judging import judge_annotators
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.consensus import Consensus, Remark
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable, find_spans, paint
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.crowd_profile import CrowdProfile
from crowdseq.numerics.chains.chain import Lattice, best_paths

# Breaks ties between equally good tags without ever outweighing a real difference of probability.
_TIE_STEP = 1e-9
_LEAST = 1e-6  # probability under which a label is as good as impossible


def settle(
    corpus: Corpus,
    posteriors: FloatArray,
    *,
    history: Sequence[float] = (),
    tie_order: Sequence[int] | None = None,
    tag_ids: IntArray | None = None,
    temperature: float = 1.0,
    **parameters: Any,
) -> Consensus:
    """(T, M) posteriors to a consensus.

    The tags are those with the largest expected number of right tokens among all sequences that the scheme
    allows. tie_order: label numbers, the most welcome first, for ties (default: as the scheme lists them).
    tag_ids: valid tags that the method has found itself. temperature: by which the posteriors were softened
    before they came here; annotators are judged by the belief behind them. parameters: what only the method
    knows.
    """
    if not np.isfinite(posteriors).all():
        raise AnnotationError("a method gave posteriors that are not finite numbers")
    if tag_ids is None:
        tag_ids = best_valid_tags(corpus, posteriors, tie_order)
    if temperature != 1.0:
        parameters["temperature"] = temperature
    reports = judge_annotators(corpus, sharpened(posteriors, temperature, tag_ids), tag_ids)
    return Consensus(corpus, tag_ids, posteriors, reports, parameters, tuple(history))


def sharpened(posteriors: FloatArray, temperature: float, tag_ids: IntArray) -> FloatArray:
    """(T, M) the belief that was softened by a temperature, token by token.

    Where another label than the settled one (T,) is told to be likeliest it is not that belief that speaks,
    but a doubt that was added to it: such a row is left as it was told.
    """
    if temperature == 1.0:
        return posteriors
    raised = posteriors**temperature
    raised /= raised.sum(axis=1, keepdims=True)
    speaks = posteriors.argmax(axis=1) == tag_ids
    return np.where(speaks[:, None], raised, posteriors)


def best_valid_tags(
    corpus: Corpus, posteriors: FloatArray, tie_order: Sequence[int] | None = None
) -> IntArray:
    """(T,) the tags that are right most often on expectation and that the scheme allows."""
    n_labels = len(corpus.scheme)
    order = list(range(n_labels)) if tie_order is None else list(tie_order)
    bonus = np.zeros(n_labels)
    bonus[order] = -_TIE_STEP * np.arange(n_labels) / max(n_labels, 1)
    transitions, starts, ends = scheme_scores(corpus.scheme)
    lattice = Lattice(posteriors + bonus, corpus.offsets, transitions, starts, ends)
    return best_paths(lattice)[0].astype(np.int16)


def best_spans(corpus: Corpus, posteriors: FloatArray, free: Sequence[SpanTable], charge: float) -> IntArray:
    """(T,) tags of the spans that are likeliest together, where a span that is not `free` pays a charge.

    Of tokens taken one by one the likeliest labels can make a span that nobody meant: the one began it here,
    the other there. Spans in question are those of `best_valid_tags`, which pay, and those that are free. A
    span gains the log odds of its tags against O, and no two may overlap.
    """
    usual = find_spans(best_valid_tags(corpus, posteriors), corpus.offsets, corpus.scheme)
    tables = [*free, usual]
    rows = np.concatenate([np.stack([table.ends, table.starts, table.types], axis=1) for table in tables])
    pays = np.repeat(np.arange(len(tables)) == len(tables) - 1, [len(table) for table in tables])
    rows, first = np.unique(rows, axis=0, return_index=True)  # of equal spans the first, which is free
    spans = SpanTable(rows[:, 1], rows[:, 0], rows[:, 2])
    if not len(spans):
        return np.full(corpus.n_tokens, corpus.scheme.outside, np.int16)
    gains = _log_odds(spans, posteriors, corpus.scheme) - charge * pays[first]
    chosen = _best_apart(spans, gains)
    found = SpanTable(spans.starts[chosen], spans.ends[chosen], spans.types[chosen])
    return paint(found, corpus.n_tokens, corpus.scheme, corpus.offsets).astype(np.int16)


def _log_odds(spans: SpanTable, posteriors: FloatArray, scheme: LabelScheme) -> FloatArray:
    """(S,) log odds of the tags of each span against O on all its tokens."""
    logs = np.log(np.maximum(posteriors, _LEAST))
    logs -= logs[:, scheme.outside][:, None]
    every, zero = np.arange(len(scheme.types)), np.zeros(len(scheme.types), np.int64)
    single = np.array([paint(SpanTable(zero[:1], zero[:1] + 1, every[t : t + 1]), 1, scheme) for t in every])
    threes = np.array([paint(SpanTable(zero[:1], zero[:1] + 3, every[t : t + 1]), 3, scheme) for t in every])
    inside = np.concatenate([np.zeros((1, len(every))), np.cumsum(logs[:, threes[:, 1]], axis=0)])
    starts, ends, types = spans.starts, spans.ends, spans.types
    longer = logs[starts, threes[types, 0]] + logs[ends - 1, threes[types, 2]]
    longer += inside[np.maximum(ends - 1, starts + 1), types] - inside[starts + 1, types]
    return np.asarray(np.where(ends - starts == 1, logs[starts, single[types, 0]], longer))


def _best_apart(spans: SpanTable, gains: FloatArray) -> IntArray:
    """Which spans, sorted by their ends, gain most together while no two overlap."""
    places = np.searchsorted(spans.ends, spans.starts, side="right").tolist()
    best, taken = [0.0], []
    for gain, place in zip(gains.tolist(), places, strict=True):
        taken.append(gain > 0 and best[place] + gain > best[-1])
        best.append(best[place] + gain if taken[-1] else best[-1])
    chosen, last = [], len(places)
    while last > 0:
        if taken[last - 1]:
            chosen.append(last - 1)
            last = places[last - 1]
        else:
            last -= 1
    return np.array(chosen[::-1], np.int64)


def scheme_scores(scheme: LabelScheme) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The rules of a scheme as log scores: 0 where it allows, minus infinity where it forbids."""
    transitions = np.where(scheme.allowed, 0.0, -np.inf)
    return transitions, np.where(scheme.starts, 0.0, -np.inf), np.where(scheme.ends, 0.0, -np.inf)


def entities_first(scheme: LabelScheme) -> list[int]:
    """Label numbers in the order in which ties are decided: an entity before O."""
    return sorted(range(len(scheme)), key=lambda label: label == scheme.outside)


@dataclass(frozen=True, eq=False)
class LoneLabels:
    """What is told of a corpus, and beside it what was found.

    tag_ids (T,): what is told, with the labels of annotators who share no token with anybody as they gave
    them, made valid. posteriors (T, M): how likely each label is, kept or not. found (T,): the tags that text
    and votes suggest. kept (T,): whose labels were kept; nobody's where that was not wanted. alone (K,): the
    annotators who are.
    """

    corpus: Corpus
    tag_ids: IntArray
    posteriors: FloatArray
    found: IntArray
    kept: BoolArray
    alone: BoolArray

    @classmethod
    def apart(cls, corpus: Corpus, found: IntArray, posteriors: FloatArray, *, keep: bool) -> "LoneLabels":
        alone = CrowdProfile.of(corpus).alone if keep else np.zeros(len(corpus.annotators), np.bool_)
        return cls.beside(corpus, found, posteriors, alone)

    @classmethod
    def beside(
        cls, corpus: Corpus, found: IntArray, posteriors: FloatArray, alone: BoolArray
    ) -> "LoneLabels":
        """The same of a part of a corpus; alone (K,): who is, in all of it."""
        given = _lone_labels(corpus, alone)
        kept = given >= 0
        if not kept.any():
            return cls(corpus, found, posteriors, found, kept, alone)
        wanted = np.zeros_like(posteriors)
        wanted[np.arange(len(found)), np.where(kept, given, found)] = 1.0
        tag_ids = best_valid_tags(corpus, wanted, entities_first(corpus.scheme))
        return cls(corpus, tag_ids, posteriors, found, kept, alone)

    def parameters(self) -> dict[str, Any]:
        """What a consensus says of it: nothing where no label was kept."""
        if not self.kept.any():
            return {}
        remark = lone_remark(self.corpus.annotators, self.alone, *self.differences)
        return {"suggested_tag_ids": self.found, "remarks": [remark.as_dict()]}

    @property
    def differences(self) -> tuple[int, int]:
        """How many spans (of plain tags: labels) were found and are not told, and are told and not found."""
        if self.corpus.scheme.is_plain:
            differ = int((self.kept & (self.found != self.tag_ids)).sum())
            return differ, differ
        told, found = (
            set(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))
            for tags in (self.tag_ids, self.found)
            for table in [find_spans(tags, self.corpus.offsets, self.corpus.scheme)]
        )
        return len(found - told), len(told - found)


def lone_remark(annotators: Sequence[str], alone: BoolArray, added: int, doubted: int) -> Remark:
    """What is said of labels that were kept; added, doubted: how many spans the text has to say of."""
    names = [name for name, is_alone in zip(annotators, alone, strict=True) if is_alone]
    who = "one annotator only" if len(annotators) == 1 else "annotators who share no token"
    text = (
        f"{who}: labels kept; {added:,} spans that only the text would draw and {doubted:,} kept ones that "
        "it would not are listed apart as suggestions"
    )
    numbers = {"number": float(len(names)), "suggested": float(added), "doubted": float(doubted)}
    return Remark("alone", text, "note", {"annotators": names, **numbers})


def _lone_labels(corpus: Corpus, alone: BoolArray) -> IntArray:
    """(T,) the label of the annotator who is alone with the token, -1 where there is none."""
    votes, given = corpus.annotations.votes(), np.full(corpus.n_tokens, -1, np.int64)
    theirs = alone[votes.annotators]
    given[votes.tokens[theirs]] = votes.labels[theirs]
    return given
