"""Agreement inside every document, as arrays and as a view on them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.coefficients import alpha, cohen, divide, fleiss, span_f1, sum_by
from crowdseq.evaluation.crowd_agreement import TokenSums
from crowdseq.evaluation.measures import DocumentAgreement, plain
from crowdseq.evaluation.pair_counts import PairCounts


@dataclass(frozen=True, eq=False)
class DocumentFigures:
    """Arrays (D,): tokens that two or more labelled, and the figures of `Measures`, NaN for None."""

    tokens: FloatArray
    cohen: FloatArray
    fleiss: FloatArray
    alpha: FloatArray
    span_f1: FloatArray

    @classmethod
    def of(cls, pairs: PairCounts, sums: TokenSums) -> "DocumentFigures":
        """Of D documents, from what was counted in them."""
        size = len(sums.seen)
        tables = (pairs.common, pairs.left_spans, pairs.right_spans)
        spans = (sum_by(pairs.documents, table.sum(axis=1), size) for table in tables)
        return cls(
            tokens=sums.compared,
            cohen=_mean_cohen(pairs, size),
            fleiss=fleiss(sums.agreed, sums.compared, sums.shares, sums.seen),
            alpha=alpha(sums.coincidences, sums.totals),
            span_f1=span_f1(*spans),
        )

    @classmethod
    def joined(cls, parts: Sequence["DocumentFigures"]) -> "DocumentFigures":
        """Parts one after the other."""
        none = cls(*(np.zeros(0) for _ in fields(cls)))
        columns = ([getattr(part, field.name) for part in (none, *parts)] for field in fields(cls))
        return cls(*map(np.concatenate, columns))


def _mean_cohen(pairs: PairCounts, size: int) -> FloatArray:
    """(D,) the mean of Cohen's kappa over the pairs of each document for which it is known."""
    chance = (pairs.left * pairs.right).sum(axis=1)
    kappas = cohen(pairs.both.sum(axis=1), pairs.left.sum(axis=1), chance)
    known = ~np.isnan(kappas)
    documents = pairs.documents[known]
    return divide(sum_by(documents, kappas[known], size), sum_by(documents, np.ones(len(documents)), size))


@dataclass(frozen=True, eq=False)
class DocumentView(Sequence[DocumentAgreement]):
    """The documents of a corpus in their order, made when asked for."""

    names: tuple[str, ...]
    annotators: IntArray
    figures: DocumentFigures

    @classmethod
    def of(cls, corpus: Corpus, figures: DocumentFigures) -> "DocumentView":
        return cls(_document_names(corpus), _annotators_of_documents(corpus), figures)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        position, figures = range(len(self))[index], self.figures
        return DocumentAgreement(
            tokens=int(figures.tokens[position]),
            cohen=plain(figures.cohen[position]),
            fleiss=plain(figures.fleiss[position]),
            alpha=plain(figures.alpha[position]),
            span_f1=plain(figures.span_f1[position]),
            document=self.names[position],
            annotators=int(self.annotators[position]),
        )


def _document_names(corpus: Corpus) -> tuple[str, ...]:
    text = corpus.text
    first_sentence = dict(zip(reversed(text.document_of.tolist()), reversed(text.ids), strict=True))
    return tuple(
        first_sentence.get(number, "") if name is None else name for number, name in enumerate(text.documents)
    )


def _annotators_of_documents(corpus: Corpus) -> IntArray:
    """(D,) how many annotators saw any of a document."""
    crowd, size = corpus.annotations, max(len(corpus.annotators), 1)
    codes = corpus.text.document_of[crowd.row_sentences].astype(np.int64) * size + crowd.voters
    return np.bincount(np.unique(codes) // size, minlength=len(corpus.text.documents))
