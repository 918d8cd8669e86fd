"""What is wrong and what is missing in each sentence, and what a model's probabilities foretell of it."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.evaluation.scores import match, pick


@dataclass(frozen=True, eq=False)
class ErrorCounts:
    """(N,) for every sentence: labels given, those of them that are wrong, and true ones that are missing.

    A label is a span, or in a plain scheme the tag of a token; there nothing can be missing.
    """

    given: FloatArray
    wrong: FloatArray
    missed: FloatArray


def count_errors(
    truth: IntArray, given: IntArray, offsets: IntArray, scheme: LabelScheme, label: int | None = None
) -> ErrorCounts:
    """(T,) true and given tag numbers of sentences at offsets (N + 1,) to their errors; all exact.

    label: the number of a type, to count no others.
    """
    tables = [find_spans(tags, offsets, scheme) for tags in (truth, given)]
    if label is not None:
        tables = [pick(table, table.types == label) for table in tables]
    wanted, said = tables
    hits = match(wanted, said, len(truth)) if len(truth) else np.zeros(0, np.bool_)
    n_given, n_right = _by_sentence(said, offsets), _by_sentence(pick(said, hits), offsets)
    missed = _by_sentence(wanted, offsets) - n_right
    if scheme.is_plain and label is None:
        missed = np.zeros_like(missed)
    return ErrorCounts(n_given, n_given - n_right, missed)


def _by_sentence(table: SpanTable, offsets: IntArray) -> FloatArray:
    """(N,) how many spans begin in each sentence."""
    sentences = np.searchsorted(offsets, table.starts, side="right") - 1
    return np.bincount(sentences, minlength=len(offsets) - 1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Foretold:
    """(N,) errors that probabilities lead to expect in each sentence, and its greatest doubt."""

    wrong: FloatArray
    missed: FloatArray
    doubt: FloatArray


def foretell_errors(
    probabilities: FloatArray, given: IntArray, offsets: IntArray, scheme: LabelScheme
) -> Foretold:
    """(T, M) probabilities of tags to the errors of the given ones.

    A span is taken to be as sure as its least sure token. As many true spans are expected as there are
    beginnings; those beyond the right ones of the given are missing.
    """
    sure = probabilities[np.arange(len(given)), given]
    n_sentences = len(offsets) - 1
    sentences = np.repeat(np.arange(n_sentences), np.diff(offsets))
    doubt = np.zeros(n_sentences)
    np.maximum.at(doubt, sentences, 1.0 - sure)
    if scheme.is_plain:
        wrong: FloatArray = np.bincount(sentences, 1.0 - sure, minlength=n_sentences).astype(np.float64)
        return Foretold(wrong, np.zeros(n_sentences), doubt)
    table = find_spans(given, offsets, scheme)
    inside = np.repeat(np.arange(len(table)), table.ends - table.starts)
    tokens = np.concatenate([[0], np.cumsum(table.ends - table.starts)])
    at = np.arange(len(inside)) - tokens[inside] + table.starts[inside]
    least = np.ones(len(table))
    np.minimum.at(least, inside, sure[at])
    where = np.searchsorted(offsets, table.starts, side="right") - 1
    right: FloatArray = np.bincount(where, least, minlength=n_sentences).astype(np.float64)
    n_given = np.bincount(where, minlength=n_sentences).astype(np.float64)
    beginnings = probabilities[:, _begins(scheme)].sum(axis=1)
    expected = np.bincount(sentences, beginnings, minlength=n_sentences)
    return Foretold(n_given - right, np.maximum(expected - right, 0.0), doubt)


def _begins(scheme: LabelScheme) -> BoolArray:
    """(M,) the tags that begin a span; in kinds where I- may begin one, I- and B- both count."""
    inside = np.array([ord(prefix) for prefix in "IEL"])
    begins: BoolArray = (scheme.type_ids >= 0) & ~np.isin(scheme.prefix_codes, inside)
    return begins if begins.any() else scheme.type_ids >= 0
