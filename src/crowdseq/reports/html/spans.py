"""Spans of a consensus with how sure they are and what else they might be."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import find_spans

NONE = -1  # no type: outside all spans
IN_DOUBT = 0.7
_WORTH_NAMING = 0.15  # an alternative below this is noise to the reader


@dataclass(frozen=True)
class ShownSpan:
    """Tokens start to end of a sentence; kind is the number of a type, or NONE.

    other: the type that might be meant instead, or NONE; None when nothing else is likely.
    """

    start: int
    end: int
    kind: int
    confidence: float
    other: int | None
    other_share: float


def span_confidence(consensus: Consensus) -> FloatArray:
    """(S,) for each span of the consensus the confidence of its least sure token."""
    corpus = consensus.corpus
    spans = find_spans(consensus.tag_ids, corpus.offsets, corpus.scheme)
    if not len(spans):
        return np.zeros(0)
    # Every second piece of these bounds is a span; the last bound may not lie past the end.
    bounds = np.stack([spans.starts, spans.ends], axis=1).ravel()
    padded = np.append(consensus.confidence, 1.0)
    return np.asarray(np.minimum.reduceat(padded, bounds)[::2])


def shown_spans(consensus: Consensus, sentence: int) -> list[ShownSpan]:
    """The spans of a sentence, and tokens outside that may well be part of one, in the order of the text."""
    corpus = consensus.corpus
    tokens = slice(int(corpus.offsets[sentence]), int(corpus.offsets[sentence + 1]))
    tags, confidence = consensus.tag_ids[tokens], consensus.confidence[tokens]
    by_type = _by_type(consensus.probabilities[tokens], corpus.scheme)
    table = find_spans(tags, np.array([0, len(tags)]), corpus.scheme)
    columns = (table.starts.tolist(), table.ends.tolist(), table.types.tolist())
    spans = [_span(*row, confidence, by_type) for row in zip(*columns, strict=True)]
    outside = np.ones(len(tags), np.bool_)
    for one in spans:
        outside[one.start : one.end] = False
    others = [
        _span(index, index + 1, NONE, confidence, by_type) for index in np.flatnonzero(outside).tolist()
    ]
    return sorted([*spans, *(one for one in others if one.other is not None)], key=lambda one: one.start)


def _by_type(probabilities: FloatArray, scheme: LabelScheme) -> FloatArray:
    """(T, M) to (T, types + 1): the probability of each type, whatever the part of the span; none is last."""
    sums = np.zeros((len(probabilities), len(scheme.types) + 1))
    np.add.at(sums.T, scheme.type_ids, probabilities.T)
    return sums


def _span(start: int, end: int, kind: int, confidence: FloatArray, by_type: FloatArray) -> ShownSpan:
    least = start + int(np.argmin(confidence[start:end]))
    shares = by_type[least].copy()
    shares[kind] = 0.0
    other = int(np.argmax(shares))
    named = None if shares[other] < _WORTH_NAMING else NONE if other == len(shares) - 1 else other
    return ShownSpan(start, end, kind, float(confidence[least]), named, float(shares[other]))
