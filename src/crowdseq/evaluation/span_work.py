"""SpanWork: which spans each annotator drew, which they could have drawn, and how likely each span is right.

Of tags without spans every label of a token is a span of its own.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.evaluation.kinship import Kin

_ROUNDS, _STILL = 15, 1e-4
_UNSURE = 0.05  # where beliefs begin: the consensus may be wrong so often
_LENT_SPANS = 4.0  # of the crowd's rates, lent to every annotator
_LEAST_RATE = 1e-3


@dataclass(frozen=True, eq=False)
class SpanWork:
    """C spans that somebody or the consensus drew, and what K annotators made of them.

    spans: where they are in the text, sorted. settled (C,): whether the consensus has them.
    seen, seen_by (P,): a span and an annotator who labelled all of its tokens, sorted. drew (P,): whether
    they drew just this span.
    """

    spans: SpanTable
    settled: BoolArray
    seen: IntArray
    seen_by: IntArray
    drew: BoolArray
    n_annotators: int

    @classmethod
    def of(cls, corpus: Corpus, tag_ids: IntArray, *, least_seen: int = 2) -> "SpanWork":
        """least_seen: spans that fewer annotators have seen are left out, nothing can be compared with them.

        Stray pieces of an annotator count as spans: a slip in spelling is no miss.
        """
        crowd = corpus.annotations
        bounds = np.append(crowd.row_starts, len(crowd.tags))
        given = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
        rows = np.searchsorted(crowd.row_starts, given.starts, side="right") - 1
        shift = corpus.offsets[crowd.row_sentences[rows]] - crowd.row_starts[rows]
        settled = find_spans(tag_ids, corpus.offsets, corpus.scheme)
        spans, numbers = _distinct(
            np.append(given.starts + shift, settled.starts),
            np.append(given.ends + shift, settled.ends),
            np.append(given.types, settled.types),
        )
        seen, seen_by = _seen(corpus, spans)
        size = len(crowd.annotators)
        drawn = np.unique(numbers[: len(given)] * size + crowd.voters[rows])
        kept = np.bincount(seen, minlength=len(spans)) >= least_seen
        pairs = kept[seen]
        return cls(
            SpanTable(spans.starts[kept], spans.ends[kept], spans.types[kept]),
            np.isin(np.flatnonzero(kept), numbers[len(given) :]),
            (np.cumsum(kept) - 1)[seen[pairs]],
            seen_by[pairs],
            np.isin(seen[pairs] * size + seen_by[pairs], drawn),
            size,
        )

    @cached_property
    def n_drawn(self) -> FloatArray:
        """(K,) spans that each annotator drew."""
        return self.sums(self.drew)

    def sums(self, values: FloatArray | BoolArray) -> FloatArray:
        """(P,) values added up for each annotator (K,)."""
        return np.bincount(self.seen_by, values, minlength=self.n_annotators).astype(np.float64)

    def hits(self, belief: FloatArray) -> FloatArray:
        """(K,) expected number of right spans among those drawn; belief (C,): how likely each is right."""
        return self.sums(belief[self.seen] * self.drew)

    def wanted(self, belief: FloatArray) -> FloatArray:
        """(K,) expected number of right spans among those seen."""
        return self.sums(belief[self.seen])

    def belief(self, kin: tuple[Kin, ...] = ()) -> FloatArray:
        """(C,) how likely each span is right, all who saw it being witnesses, and the consensus one more.

        Each witness draws a right span with one probability and a wrong one with another, which are learned
        from all spans, beginning with the consensus; those who copy each other count as one. So nobody is
        measured by a consensus that only says what they said themselves.
        """
        weights, settled = self._weights(kin), self.settled.astype(np.float64)
        belief = np.clip(settled, _UNSURE, 1.0 - _UNSURE)
        if not len(belief):
            return belief
        for _ in range(_ROUNDS):
            before = belief
            found, invented = self._rates(belief[self.seen]), self._rates(1.0 - belief[self.seen])
            said = np.where(self.drew, _log_ratio(found, invented)[self.seen_by], 0.0)
            said += np.where(self.drew, 0.0, _log_ratio(1.0 - found, 1.0 - invented)[self.seen_by])
            told = np.bincount(self.seen, weights * said, minlength=len(settled))
            right, wrong = _rate(settled, belief), _rate(settled, 1.0 - belief)
            told += np.where(self.settled, _log_ratio(right, wrong), _log_ratio(1.0 - right, 1.0 - wrong))
            share = np.clip(belief.mean(), 0.01, 0.99)
            belief = self._chances(np.exp(np.clip(told + np.log(share / (1.0 - share)), -30.0, 30.0)))
            if np.abs(belief - before).max() < _STILL:
                break
        return belief

    def _chances(self, odds: FloatArray) -> FloatArray:
        """(C,) odds of each span against nothing to chances; of those that overlap one can be right."""
        one, other = self._overlapping
        rivals = np.bincount(one, odds[other], minlength=len(odds))
        rivals += np.bincount(other, odds[one], minlength=len(odds))
        return np.asarray(odds / (1.0 + odds + rivals))

    @cached_property
    def _overlapping(self) -> tuple[IntArray, IntArray]:
        """Every two spans that share a token."""
        starts, size = self.spans.starts, len(self.spans)
        counts = np.searchsorted(starts, self.spans.ends) - np.arange(size) - 1
        return np.repeat(np.arange(size), counts), gather_ranges(np.arange(size) + 1, counts)

    def _rates(self, weights: FloatArray) -> FloatArray:
        """(K,) how often each annotator draws a span, spans weighing so much; few are lent the crowd's."""
        drawn, seen = self.sums(weights * self.drew), self.sums(weights)
        pooled = drawn.sum() / max(seen.sum(), 1e-9)
        return _bounded((drawn + _LENT_SPANS * pooled) / (seen + _LENT_SPANS))

    def _weights(self, kin: tuple[Kin, ...]) -> FloatArray:
        """(P,) 1 / (1 + dependence on others who saw the span)."""
        weights: FloatArray = np.ones(len(self.seen))
        if not kin or not len(weights):
            return weights
        first, second, _, _, values = (np.array(column) for column in zip(*kin, strict=True))
        size = self.n_annotators
        ties = sparse.csr_matrix((values, (first, second)), shape=(size, size))
        where = self.seen, self.seen_by
        present = sparse.csr_matrix((weights, where), shape=(len(self.spans), size))
        weights += np.asarray((present @ (ties + ties.T))[where]).ravel()
        return 1.0 / weights


def _rate(drawn: FloatArray, weights: FloatArray) -> FloatArray:
    return _bounded((drawn @ weights + _LENT_SPANS / 2.0) / (weights.sum() + _LENT_SPANS))


def _bounded(rates: FloatArray) -> FloatArray:
    return np.asarray(np.clip(rates, _LEAST_RATE, 1.0 - _LEAST_RATE))


def _log_ratio(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.asarray(np.log(one) - np.log(other))


def _distinct(starts: IntArray, ends: IntArray, types: IntArray) -> tuple[SpanTable, IntArray]:
    """The different spans, sorted, and for each of the given ones its number among them."""
    order = np.lexsort((types, ends, starts))
    columns = [column[order].astype(np.int64) for column in (starts, ends, types)]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return SpanTable(*(column[is_new] for column in columns)), numbers


def _seen(corpus: Corpus, spans: SpanTable) -> tuple[IntArray, IntArray]:
    """For every span those who labelled all of its tokens: numbers of spans, and of annotators."""
    crowd = corpus.annotations
    sentences = corpus.text.sentence_of[spans.starts]
    n_rows = np.diff(crowd.row_offsets)[sentences]
    rows = gather_ranges(crowd.row_offsets[sentences], n_rows)
    asked = np.repeat(np.arange(len(spans)), n_rows)
    gaps = np.concatenate([[0], np.cumsum(crowd.tags < 0)])
    first = crowd.row_starts[rows] - corpus.offsets[sentences[asked]]
    whole = gaps[first + spans.starts[asked]] == gaps[first + spans.ends[asked]]
    return asked[whole], crowd.voters[rows[whole]].astype(np.int64)
