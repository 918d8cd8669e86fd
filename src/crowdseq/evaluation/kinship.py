"""Kinship: annotators who agree far more than their independent skill explains, told without any consensus.

People who label on their own agree as often as both are right: the agreement of k and l is about s_k · s_l,
so that a_ki · a_lj / a_ij foretells a_kl from any two others i and j (Spearman). Those who copy each other,
or a third, agree more than that. Nobody can tell of fewer than four, nor where all but one are kin.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, portions
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.coefficients import cohen, divide

LEAST_ANNOTATORS = 4
LEAST_SHARED = 30.0  # spans of either, on average, where both labelled
_LEAST_AGREEMENT = 0.5  # who agrees less copies nobody
_LEAST_LINK = 0.2  # of witnesses, with the pair and each other: who has less in common foretells nothing
_MOST_WITNESSES, _LEAST_WITNESSES = 24, 8  # of a pair; the fewer, the more pairs there are
_MOST_TETRADS = 4_000_000  # of all pairs together
_QUANTILE = 0.75
_LEAST_EXCESS = 0.5  # the share, surely there, of the agreement that independence would leave open
_FEW_SHARED, _LEAST_EXCESS_OF_FEW = 60.0, 0.75  # honest pairs come near the half where spans are few
_STEP = 0.05  # pairs that lie so near to the most certain one are taken with it
_LEAST_EXCESS_OF_RELATIVES = 0.25  # of two who are kin to a third
_CERTAINTY = 1.5  # standard errors
_CLUSTERING = 2.0  # errors come in documents: so much wider is the spread than that of single spans
_TOKENS_PER_SPAN = 4.0  # plain tags: so many tokens tell as much as one span
_LENT_SPANS = 1.0  # of the crowd's mean agreement, lent to every pair
_PAIRS_AT_A_TIME = 512
_MOST_LOOKED_AT = 1 << 26  # pairs times annotators, of whom each could be a witness
MOST_ANNOTATORS = 2000  # of more, tables of all pairs would fill the memory; so many share too little anyway


class Kin(NamedTuple):
    """Two annotators by number, how far they agree, how far they would on their own, and how they depend.

    dependence: 0 is independent, 1 is a copy.
    """

    first: int
    second: int
    agreement: float
    expected: float
    dependence: float


def find_kin(corpus: Corpus) -> tuple[Kin, ...]:
    """The pairs of annotators who depend on each other, in the order of their numbers.

    The most certain are taken first; kin are then no two witnesses any more, and what is left is computed
    anew without them. Where it cannot be told there is no pair.
    """
    if not can_have_kin(len(corpus.annotators)):
        return ()
    return kin_of(AgreementCounts.of(corpus))


def can_have_kin(n_annotators: int) -> bool:
    """Whether so many annotators can be compared at all."""
    return LEAST_ANNOTATORS <= n_annotators <= MOST_ANNOTATORS


def kin_of(counts: "AgreementCounts") -> tuple[Kin, ...]:
    """The same from what was counted of a corpus, or of all its shards."""
    agreements = Agreements.of_counts(counts)
    first, second = agreements.candidates()
    if len(first) * len(agreements.values) > _MOST_LOOKED_AT:
        return ()
    is_kin = np.zeros(agreements.values.shape, np.bool_)
    found: list[Kin] = []
    while len(first):
        excess = _excess(agreements, is_kin, first, second)
        sure = np.where(excess.is_enough, excess.sure, -np.inf)
        if sure.max() == -np.inf:
            break
        taken = sure >= sure.max() - _STEP
        found += _kin(agreements, first[taken], second[taken], excess.expected[taken])
        is_kin[first[taken], second[taken]] = is_kin[second[taken], first[taken]] = True
        # Who agrees no more than foretold stays so, unless the witnesses were relatives.
        touched = np.asarray(is_kin.any(axis=0))
        left = ~taken & ((excess.sure > 0.0) | touched[first] | touched[second])
        first, second = first[left], second[left]
    return tuple(sorted(found))


def kin_weights(corpus: Corpus, kin: tuple[Kin, ...]) -> FloatArray:
    """(R,) for each row of the annotations 1 / (1 + dependence on those who labelled the sentence too)."""
    crowd, size = corpus.annotations, len(corpus.annotators)
    weights: FloatArray = np.ones(len(crowd.voters))
    if not kin:
        return weights
    first, second, _, _, values = (np.array(column) for column in zip(*kin, strict=True))
    ties = sparse.csr_matrix((values, (first, second)), shape=(size, size))
    cells = np.repeat(np.arange(len(crowd.voters)), crowd.lengths[crowd.row_sentences])
    rows = np.flatnonzero(np.bincount(cells[crowd.tags >= 0], minlength=len(weights)))
    where = crowd.row_sentences[rows], crowd.voters[rows]
    present = sparse.csr_matrix((np.ones(len(rows)), where), shape=(len(corpus), size))
    if len(rows):
        weights[rows] += np.asarray((present @ (ties + ties.T))[where]).ravel()
    return 1.0 / weights


def vote_weights(corpus: Corpus, kin: tuple[Kin, ...]) -> FloatArray | None:
    """(V,) the same for each single vote, in the order of `votes()`; None where all count once."""
    if not kin:
        return None
    crowd = corpus.annotations
    lengths = crowd.lengths[crowd.row_sentences]
    cells = np.repeat(kin_weights(corpus, kin), lengths)
    tokens = gather_ranges(corpus.offsets[crowd.row_sentences], lengths)
    said = crowd.tags >= 0
    return cells[said][np.argsort(tokens[said], kind="stable")]


@dataclass(frozen=True, eq=False)
class Agreements:
    """(K, K) agreement of every two annotators, and how many spans (of plain tags: tokens) it rests on.

    Of spans it is their F1, exact in bounds and type; of plain tags Cohen's kappa, which is s_k · s_l where
    errors fall by chance. It is lent a little of the crowd's mean, so that few spans make no certainty.
    """

    values: FloatArray
    shared: FloatArray

    @classmethod
    def of(cls, corpus: Corpus) -> "Agreements":
        return cls.of_counts(AgreementCounts.of(corpus))

    @classmethod
    def of_counts(cls, counts: "AgreementCounts") -> "Agreements":
        """From what was counted of a corpus, or of all its shards."""
        values, shared = counts.measured()
        np.fill_diagonal(shared, 0.0)
        known = np.where(shared > 0, np.nan_to_num(values), 0.0)
        mean = (known * shared).sum() / max(shared.sum(), 1.0)
        return cls((known * shared + mean * _LENT_SPANS) / (shared + _LENT_SPANS), shared)

    @cached_property
    def errors(self) -> FloatArray:
        """(K, K) standard errors."""
        spread = _CLUSTERING * np.maximum(self.values * (1.0 - self.values), 0.0)
        result: FloatArray = np.sqrt(spread / np.maximum(self.shared, 1.0))
        return result

    def candidates(self) -> tuple[IntArray, IntArray]:
        """The pairs who share enough and agree well enough to be looked at."""
        wanted = (self.shared >= LEAST_SHARED) & (self.values >= _LEAST_AGREEMENT)
        first, second = np.nonzero(np.triu(wanted, 1))
        return first, second


@dataclass(frozen=True, eq=False)
class AgreementCounts:
    """What agreement is made of, of a corpus or a part of it.

    Of spans, tables (2, K, K): spans that both drew, and spans of one whose tokens the other labelled too.
    Of plain tags, (2, K, K): tokens of both, and those on which they agree; and by_label, M tables
    (K, K): tokens of both to which the one gave that label.
    """

    tables: FloatArray
    by_label: tuple[sparse.csr_matrix, ...] | None = None

    @classmethod
    def of(cls, corpus: Corpus) -> "AgreementCounts":
        return _count_tags(corpus) if corpus.scheme.is_plain else _count_spans(corpus)

    def __add__(self, other: "AgreementCounts") -> "AgreementCounts":
        labels = self.by_label
        if labels is not None and other.by_label is not None:
            labels = tuple(one + two for one, two in zip(labels, other.by_label, strict=True))
        return AgreementCounts(self.tables + other.tables, labels)

    def measured(self) -> tuple[FloatArray, FloatArray]:
        """F1 of spans, and half the spans of both, over spans whose tokens both labelled; of plain tags
        Cohen's kappa, and the worth in spans of the tokens of both, less those on which chance agrees."""
        if self.by_label is None:
            common, by_one = self.tables
            shared = (by_one + by_one.T) / 2.0
            return divide(common, shared), shared
        shared, agreed = self.tables
        chance = np.zeros(shared.shape)
        for counts in self.by_label:
            one = counts.toarray()
            chance += one * one.T
        telling = shared - np.nan_to_num(divide(chance, shared))
        return cohen(agreed, shared, chance), telling / _TOKENS_PER_SPAN


def _count_spans(corpus: Corpus) -> AgreementCounts:
    crowd, size = corpus.annotations, len(corpus.annotators)
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    table = find_spans(crowd.tags, bounds, corpus.scheme)
    rows = np.repeat(np.arange(len(crowd.voters)), np.diff(np.searchsorted(table.starts, bounds)))
    sentences = crowd.row_sentences[rows]
    places = np.stack([sentences, table.starts - crowd.row_starts[rows], table.ends - crowd.row_starts[rows]])
    kinds, owners = np.unique(np.vstack([places, table.types]), axis=1, return_inverse=True)
    drawn = sparse.csr_matrix(
        (np.ones(len(rows)), (owners.ravel(), crowd.voters[rows])), (kinds.shape[1], size)
    )
    n_rows = np.diff(crowd.row_offsets)[kinds[0]]
    readers = gather_ranges(crowd.row_offsets[kinds[0]], n_rows)
    asked = np.repeat(np.arange(kinds.shape[1]), n_rows)
    if (crowd.tags < 0).any():
        gaps = np.concatenate([[0], np.cumsum(crowd.tags < 0)])
        begins, ends = (crowd.row_starts[readers] + kinds[part][asked] for part in (1, 2))
        whole = gaps[begins] == gaps[ends]
        readers, asked = readers[whole], asked[whole]
    seen = sparse.csr_matrix((np.ones(len(readers)), (asked, crowd.voters[readers])), drawn.shape)
    common = (drawn.T @ drawn).toarray()
    by_one = (drawn.T @ seen).toarray()
    return AgreementCounts(np.stack([common, by_one]))


def _count_tags(corpus: Corpus) -> AgreementCounts:
    votes, size = corpus.annotations.votes(), len(corpus.annotators)
    shape = (corpus.n_tokens, size)
    labelled = sparse.csr_matrix((np.ones(len(votes.tokens)), (votes.tokens, votes.annotators)), shape)
    shared = (labelled.T @ labelled).toarray()
    agreed, by_label = np.zeros((size, size)), []
    for label in range(len(corpus.scheme)):
        chosen = votes.labels == label
        where = votes.tokens[chosen], votes.annotators[chosen]
        given = sparse.csr_matrix((np.ones(int(chosen.sum())), where), shape)
        agreed += (given.T @ given).toarray()
        by_label.append(sparse.csr_matrix(given.T @ labelled))
    return AgreementCounts(np.stack([shared, agreed]), tuple(by_label))


class _Excess(NamedTuple):
    """Of some pairs: agreement expected of independent people; the share of what that leaves open that is
    there for certain; and whether that is enough to call them kin."""

    expected: FloatArray
    sure: FloatArray
    is_enough: BoolArray


def _excess(agreements: Agreements, is_kin: BoolArray, first: IntArray, second: IntArray) -> _Excess:
    most = int(np.clip(np.sqrt(_MOST_TETRADS / len(first)), _LEAST_WITNESSES, _MOST_WITNESSES))
    parts = [
        _foretold(agreements, is_kin, first[part], second[part], most)
        for part in portions(np.arange(len(first) + 1), _PAIRS_AT_A_TIME)
    ]
    expected, error = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    values, errors, shared = (
        table[first, second] for table in (agreements.values, agreements.errors, agreements.shared)
    )
    most = np.minimum(expected, 0.999)
    excess = (values - most) / (1.0 - most)
    spread = np.hypot(errors, (1.0 - excess) * error) / (1.0 - most)
    sure = np.where(np.isnan(expected), -np.inf, excess - _CERTAINTY * spread)
    least = np.where(shared < _FEW_SHARED, _LEAST_EXCESS_OF_FEW, _LEAST_EXCESS)
    least[(is_kin[first] & is_kin[second]).any(axis=1)] = _LEAST_EXCESS_OF_RELATIVES
    return _Excess(expected, sure, sure >= least)


def _foretold(
    agreements: Agreements,
    is_kin: BoolArray,
    first: IntArray,
    second: IntArray,
    most: int = _MOST_WITNESSES,
) -> tuple[FloatArray, FloatArray]:
    """What witnesses foretell of each pair, and its standard error; NaN where there are no two of them."""
    witnesses, is_one = _witnesses(agreements, is_kin, first, second, most)
    values, shared = agreements.values, agreements.shared
    left, right = values[first[:, None], witnesses], values[second[:, None], witnesses]
    link = values[witnesses[:, :, None], witnesses[:, None, :]]
    able = is_one[:, :, None] & is_one[:, None, :] & (link >= _LEAST_LINK)
    able &= shared[witnesses[:, :, None], witnesses[:, None, :]] >= LEAST_SHARED
    able &= ~is_kin[witnesses[:, :, None], witnesses[:, None, :]]
    ratios = np.square(agreements.errors / np.maximum(values, 1e-9))
    noise = (
        ratios[first[:, None], witnesses][:, :, None]
        + ratios[second[:, None], witnesses][:, None, :]
        + ratios[witnesses[:, :, None], witnesses[:, None, :]]
    )
    foretold = left[:, :, None] * right[:, None, :] / np.maximum(link, _LEAST_LINK)
    # Poor witnesses meet on what is easy, and so foretell too little: the better ones weigh more.
    worth = left[:, :, None] * right[:, None, :]
    weights = np.where(able, worth / (noise + 1e-4), 0.0).reshape(len(first), -1)
    expected = _upper_quartiles(foretold.reshape(len(first), -1), weights)
    n_able = np.count_nonzero(able.any(axis=2), axis=1)
    mean_noise = divide((weights * noise.reshape(len(first), -1)).sum(axis=1), weights.sum(axis=1))
    # Combinations share their witnesses: there are half as many independent ones as witnesses.
    return expected, expected * np.sqrt(mean_noise / np.maximum(n_able / 2.0, 1.0))


def _witnesses(
    agreements: Agreements, is_kin: BoolArray, first: IntArray, second: IntArray, most: int
) -> tuple[IntArray, BoolArray]:
    """(P, W) for each pair those who surely agree less with either, the ones with most spans, and whether."""
    values, shared = agreements.values, agreements.shared
    upper = values + _CERTAINTY * agreements.errors
    least = np.minimum(shared[first], shared[second])
    able = (least >= LEAST_SHARED) & ~is_kin[first] & ~is_kin[second]
    able &= np.maximum(upper[first], upper[second]) < values[first, second][:, None]
    able &= np.minimum(values[first], values[second]) >= _LEAST_LINK
    # Those with as many spans are told apart by their agreement, so that no order of names matters.
    worth = np.where(able, least + 0.1 * (values[first] + values[second]), -1.0)
    best = np.argpartition(-worth, min(most, len(values)) - 1, axis=1)[:, :most]
    return best, np.take_along_axis(able, best, axis=1)


def _upper_quartiles(values: FloatArray, weights: FloatArray) -> FloatArray:
    """(P,) of each row (P, C) of values with weights; NaN where nothing has any weight.

    Witnesses who are kin themselves foretell too little, and it may not be known yet: hence not the median.
    """
    order = np.lexsort((weights, values), axis=1)
    sums = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    index = np.argmax(sums >= _QUANTILE * sums[:, -1:], axis=1)
    chosen = np.take_along_axis(order, index[:, None], axis=1)
    result: FloatArray = np.where(sums[:, -1] > 0, np.take_along_axis(values, chosen, axis=1)[:, 0], np.nan)
    return result


def _kin(agreements: Agreements, first: IntArray, second: IntArray, expected: FloatArray) -> list[Kin]:
    values = agreements.values[first, second]
    excess = (values - expected) / (1.0 - np.minimum(expected, 0.999))
    columns = first, second, values, expected, np.clip(2.0 * excess - 1.0, 0.0, 1.0)
    return [Kin(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
