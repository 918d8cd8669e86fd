"""How far every two annotators agree, from sums over the parts of a corpus."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.coefficients import cohen, divide

LEAST_SHARED = 30.0  # spans of either, on average, where both labelled
LEAST_AGREEMENT = 0.5  # who agrees less copies nobody
_MANY_SHARED, _GOOD_AGREEMENT = 100.0, 0.75  # spans; of poorer people agreement tells enough
_CLUSTERING = 2.0  # errors come in documents: so much wider is the spread than that of single spans
_TOKENS_PER_SPAN = 4.0  # plain tags: so many tokens tell as much as one span
_LENT_SPANS = 1.0  # of the crowd's mean agreement, lent to every pair


@dataclass(frozen=True, eq=False)
class Agreements:
    """(K, K) agreement of every two annotators, and how many spans (of plain tags: tokens) it rests on.

    Of spans it is their F1, exact in bounds and type; of plain tags Cohen's kappa, which is s_k · s_l where
    errors fall by chance. It is lent a little of the crowd's mean, so that few spans make no certainty.
    are_alike: who never differ at all.
    """

    values: FloatArray
    shared: FloatArray
    are_alike: BoolArray

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
        lent = (known * shared + mean * _LENT_SPANS) / (shared + _LENT_SPANS)
        return cls(lent, shared, (known == 1.0) & (shared > 0))

    @cached_property
    def errors(self) -> FloatArray:
        """(K, K) standard errors."""
        spread = _CLUSTERING * np.maximum(self.values * (1.0 - self.values), 0.0)
        result: FloatArray = np.sqrt(spread / np.maximum(self.shared, 1.0))
        return result

    @property
    def are_close(self) -> BoolArray:
        """(K, K) who agree well on many spans, as experts do, and copies of an expert."""
        found: BoolArray = (self.shared >= _MANY_SHARED) & (self.values >= _GOOD_AGREEMENT)
        return found

    def candidates(self) -> tuple[IntArray, IntArray]:
        """The pairs who share enough and agree well enough to be looked at."""
        wanted = (self.shared >= LEAST_SHARED) & (self.values >= LEAST_AGREEMENT)
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


@dataclass(frozen=True, eq=False)
class DrawnSpans:
    """All spans that anybody drew, each once (S,): who drew it and who labelled its tokens, (S, K) both, and
    its document."""

    drawn: sparse.csr_matrix
    seen: sparse.csr_matrix
    documents: IntArray

    @classmethod
    def of(cls, corpus: Corpus) -> "DrawnSpans":
        crowd, size = corpus.annotations, len(corpus.annotators)
        bounds = np.append(crowd.row_starts, len(crowd.tags))
        table = find_spans(crowd.tags, bounds, corpus.scheme)
        rows = np.repeat(np.arange(len(crowd.voters)), np.diff(np.searchsorted(table.starts, bounds)))
        sentences = crowd.row_sentences[rows]
        places = np.stack(
            [sentences, table.starts - crowd.row_starts[rows], table.ends - crowd.row_starts[rows]]
        )
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
        return cls(drawn, seen, corpus.text.document_of[kinds[0]].astype(np.int64))


def _count_spans(corpus: Corpus) -> AgreementCounts:
    spans = DrawnSpans.of(corpus)
    common = (spans.drawn.T @ spans.drawn).toarray()
    by_one = (spans.drawn.T @ spans.seen).toarray()
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
