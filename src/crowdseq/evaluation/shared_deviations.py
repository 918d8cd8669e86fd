"""What pairs of annotators leave out together of what a few others, their witnesses, agree on.

Two who are both right where witnesses invent the same leave that out together too. Hence two classes of
spans, true and invented: of either class witnesses draw on their own, the pair in any way (copies) or each of
them on their own as well. What independence explains as well as copying does is no sign of copying.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.pair_agreements import DrawnSpans

MOST_WITNESSES = 6  # 3 ** 6 answers are counted for every pair
_ROUNDS = 60
_STARTS = (
    (0.7, (0.9, 0.04, 0.04, 0.02), (0.02, 0.15, 0.15, 0.68), 0.8, 0.1),
    (0.7, (0.8, 0.08, 0.08, 0.04), (0.01, 0.09, 0.09, 0.81), 0.55, 0.2),
)  # true spans; how a pair draws true and invented ones: both, one, the other, neither; how a witness does
_LENT = 0.1  # answers lent to every rate of a witness
_LENT_TO_PAIR = 0.01
_MOST_UNSEEN = 0.8  # share of the spans that nobody drew
_LEAST_SHARED, _LEAST_EXCESS = 2.5, 0.1  # fewer or less is no evidence
_DIGITS = 6  # so that no order of names or shards shows in the last ones


class Quorum(NamedTuple):
    """(P,) pairs of annotators and (P, MOST_WITNESSES) their witnesses, -1 where there are fewer."""

    first: IntArray
    second: IntArray
    witnesses: IntArray


class SharedDeviations(NamedTuple):
    """Of one pair, on true spans: how many both leave out, and which share that is, beyond chance, of what
    the one leaves out who leaves out less. evidence: how much likelier copying is than independence (twice
    the logarithm), less as more is left out in the same documents; 0 where hardly anything is shared. lent:
    the share of their agreement that is due to it.
    """

    shared: float
    excess: float
    evidence: float
    lent: float


@dataclass(frozen=True, eq=False)
class DeviationCounts:
    """Spans that both of a pair could draw, of a corpus or of whole documents of it.

    tables (P, 4, 3 ** W): by who of the pair drew it (both, first, second, neither) and by what witnesses
    did (0 left it out, 1 drew it, 2 did not label it; the first witness is the highest digit). clusters
    (P, 2): of spans that neither but two witnesses drew, the number in each document, and its square, summed.
    """

    tables: IntArray
    clusters: IntArray

    @classmethod
    def of(cls, corpus: Corpus, asked: Quorum) -> "DeviationCounts":
        spans = DrawnSpans.of(corpus)
        drawn, seen = (_columns(table) for table in (spans.drawn.tocsc(), spans.seen.tocsc()))
        tables = np.zeros((len(asked.first), 4, 3**MOST_WITNESSES), np.int64)
        clusters = np.zeros((len(asked.first), 2), np.int64)
        answers = np.full(len(spans.documents), 2, np.int8)
        for row, (first, second, witnesses) in enumerate(zip(*asked, strict=True)):
            chosen = np.intersect1d(seen[first], seen[second], assume_unique=True)
            side = 3 - 2 * np.isin(chosen, drawn[first]) - np.isin(chosen, drawn[second])
            codes, n_drawn = np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.int64)
            for witness in witnesses.tolist():
                answers[:] = 2
                if witness >= 0:
                    answers[seen[witness]] = 0
                    answers[drawn[witness]] = 1
                codes = 3 * codes + answers[chosen]
                n_drawn += answers[chosen] == 1
            cells = np.bincount(side * tables.shape[2] + codes, minlength=tables[row].size)
            tables[row] = cells.reshape(tables[row].shape)
            in_one = np.bincount(spans.documents[chosen[(side == 3) & (n_drawn >= 2)]])
            clusters[row] = in_one.sum(), np.square(in_one).sum()
        return cls(tables, clusters)

    def __add__(self, other: "DeviationCounts") -> "DeviationCounts":
        return DeviationCounts(self.tables + other.tables, self.clusters + other.clusters)

    def measured(self) -> list[SharedDeviations]:
        """Of each pair what it shares."""
        return [
            _measured(table.astype(np.float64), *cluster)
            for table, cluster in zip(self.tables, self.clusters.tolist(), strict=True)
        ]


def _columns(table: sparse.csc_matrix) -> list[IntArray]:
    table.sort_indices()
    parts: list[IntArray] = np.split(table.indices, table.indptr[1:-1])
    return parts


class _Answers(NamedTuple):
    """The answers of witnesses that occur, and for every set of them who labelled the one in which none drew:
    of such spans nobody knows unless one of the pair drew them.
    """

    counts: FloatArray  # (4, C)
    yes: FloatArray  # (C, W)
    no: FloatArray
    set_of: IntArray  # (C,)
    silent: IntArray  # (S,) which answer is silence


def _answers(table: FloatArray) -> _Answers:
    codes = np.arange(table.shape[1])
    said = codes[:, None] // 3 ** np.arange(MOST_WITNESSES)[::-1] % 3
    sets = (said < 2) @ (1 << np.arange(MOST_WITNESSES))
    is_silent = ~(said == 1).any(axis=1)
    occurs = table.sum(axis=0) > 0
    kept = occurs | (is_silent & np.isin(sets, sets[occurs]))
    _, set_of = np.unique(sets[kept], return_inverse=True)
    silent = np.flatnonzero(is_silent[kept])
    silent = silent[np.argsort(set_of[silent])]
    kept_said = said[kept]
    return _Answers(
        table[:, kept],
        (kept_said == 1).astype(np.float64),
        (kept_said == 0).astype(np.float64),
        set_of.ravel(),
        silent,
    )


def _measured(table: FloatArray, in_documents: int, squares: int) -> SharedDeviations:
    answers = _answers(table)
    if not answers.counts.any():
        return SharedDeviations(0.0, 0.0, 0.0, 0.0)
    likelihood, true = max(_fitted(answers, start, True) for start in range(len(_STARTS)))
    both, by_first, by_second, shared = true
    total = sum(true)
    left_out = by_second + shared, by_first + shared
    chance = left_out[0] * left_out[1] / max(total, 1e-9)
    excess = (shared - chance) / max(min(left_out) - chance, 0.5)
    evidence = 0.0
    if shared >= _LEAST_SHARED and excess >= _LEAST_EXCESS:
        alone = max(_fitted(answers, start, False)[0] for start in range(len(_STARTS)))
        # Errors come in documents: so many lie together as the mean one has beside it, itself counted.
        clustering = max(squares / max(in_documents, 1), 1.0)
        evidence = max(2.0 * (likelihood - alone), 0.0) / clustering
    return SharedDeviations(
        round(shared, _DIGITS),
        round(float(np.clip(excess, 0.0, 1.0)), _DIGITS),
        round(evidence, _DIGITS),
        round(float(np.clip((shared - chance) / max(both, 1e-9), 0.0, 1.0)), _DIGITS),
    )


def _fitted(answers: _Answers, start: int, together: bool) -> tuple[float, tuple[float, ...]]:
    """The likelihood, and (4,) the spans that are likely true by who of the pair drew them.

    together: the pair draws in any way; else each of them on their own.
    """
    share, of_true, of_invented, *drawing = _STARTS[start]
    shares = np.array([share, 1.0 - share])
    pair, rates = np.array([of_true, of_invented]), np.repeat(np.array(drawing)[:, None], MOST_WITNESSES, 1)
    per_set = np.bincount(answers.set_of, answers.counts.sum(axis=0))
    known: BoolArray = answers.counts > 0
    for _ in range(_ROUNDS):
        saying = np.exp(np.log(rates) @ answers.yes.T + np.log1p(-rates) @ answers.no.T)
        joint = shares[:, None, None] * pair[:, :, None] * saying[:, None, :]
        total = joint.sum(axis=0)
        spans = joint / total * answers.counts
        unseen = joint[:, 3, answers.silent]
        most = np.minimum(unseen.sum(axis=0), _MOST_UNSEEN)
        likelihood = float((answers.counts[known] * np.log(total[known])).sum())
        likelihood -= float((per_set * np.log1p(-most)).sum())
        with_unseen = spans.copy()
        with_unseen[:, 3, answers.silent] += unseen / unseen.sum(axis=0) * (per_set * most / (1.0 - most))
        drawn = with_unseen.sum(axis=2) + _LENT_TO_PAIR
        pair = drawn / drawn.sum(axis=1, keepdims=True)
        if not together:
            one, other = pair[:, 0] + pair[:, 1], pair[:, 0] + pair[:, 2]
            columns = one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)
            pair = np.stack(columns, axis=1)
        by_class = with_unseen.sum(axis=1)
        asked = by_class @ (answers.yes + answers.no)
        rates = (by_class @ answers.yes + _LENT / 2.0) / (asked + _LENT)
        shares = by_class.sum(axis=1) / by_class.sum()
    return likelihood, tuple(spans[0].sum(axis=1).tolist())
