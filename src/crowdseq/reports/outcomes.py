"""What became of the spans of a consensus in the hands of every annotator who labelled them."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.methods.sa_slc.evidence import word_numbers

NONE = -1


class Outcome(IntEnum):
    """What an annotator made of a span that the consensus has."""

    RIGHT = 0
    LEFT_OUT = 1
    OTHER_TYPE = 2
    TOO_SHORT = 3
    TOO_LONG = 4
    SHIFTED = 5
    SPLIT = 6


@dataclass(frozen=True, eq=False)
class SpanOutcomes:
    """(S,) spans of the consensus, once for every annotator who labelled them, in the order of the text.

    given: the type that the annotator gave instead where the outcome is OTHER_TYPE, else -1.
    earlier: the index in these arrays of the same annotator's nearest earlier mention of the same words in
    the document, or -1. The other three are the (G,) spans that annotators gave, and whether the consensus
    has nothing at all there. Stray pieces count as spans: a slip in spelling is no miss.
    """

    annotators: IntArray
    types: IntArray
    outcomes: IntArray
    given: IntArray
    earlier: IntArray
    given_annotators: IntArray
    given_types: IntArray
    invented: BoolArray

    @classmethod
    def of(cls, consensus: Consensus) -> "SpanOutcomes":
        corpus, crowd = consensus.corpus, consensus.corpus.annotations
        lengths = crowd.lengths[crowd.row_sentences]
        tokens = gather_ranges(corpus.offsets[crowd.row_sentences], lengths)
        bounds = np.append(crowd.row_starts, len(crowd.tags))
        truth = np.where(crowd.tags >= 0, consensus.tag_ids[tokens], np.int16(NONE))
        wanted = find_spans(truth, bounds, corpus.scheme, lenient=True)
        given = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
        who = np.repeat(crowd.voters, lengths).astype(np.int64)
        outcomes, instead = _compare(wanted, given)
        first, last = _overlapping(given, wanted)
        return cls(
            who[wanted.starts],
            wanted.types,
            outcomes,
            instead,
            _earlier_mentions(consensus, wanted, tokens, who[wanted.starts]),
            who[given.starts],
            given.types,
            first == last,
        )


def _overlapping(spans: SpanTable, others: SpanTable) -> tuple[IntArray, IntArray]:
    """(S,) for each span the range of the others that share a token with it."""
    first = np.searchsorted(others.ends, spans.starts, side="right")
    last = np.searchsorted(others.starts, spans.ends, side="left")
    return first, np.maximum(first, last)


def _compare(wanted: SpanTable, given: SpanTable) -> tuple[IntArray, IntArray]:
    """(S,) outcomes, and (S,) types given instead."""
    first, last = _overlapping(wanted, given)
    size = len(wanted)
    indices = np.repeat(np.arange(size), last - first)
    partners = gather_ranges(first, last - first)
    alike = wanted.types[indices] == given.types[partners]
    n_alike = np.bincount(indices[alike], minlength=size)
    begin = np.full(size, np.iinfo(np.int64).max)
    end = np.zeros(size, np.int64)
    np.minimum.at(begin, indices[alike], given.starts[partners[alike]])
    np.maximum.at(end, indices[alike], given.ends[partners[alike]])
    outcomes = np.select(
        [
            last == first,
            n_alike == 0,
            n_alike > 1,
            (begin == wanted.starts) & (end == wanted.ends),
            (begin >= wanted.starts) & (end <= wanted.ends),
            (begin <= wanted.starts) & (end >= wanted.ends),
        ],
        [
            Outcome.LEFT_OUT,
            Outcome.OTHER_TYPE,
            Outcome.SPLIT,
            Outcome.RIGHT,
            Outcome.TOO_SHORT,
            Outcome.TOO_LONG,
        ],
        Outcome.SHIFTED,
    ).astype(np.int64)
    instead = np.full(size, NONE, np.int64)
    other = outcomes == Outcome.OTHER_TYPE
    instead[other] = given.types[first[other]]
    return outcomes, instead


def _earlier_mentions(
    consensus: Consensus, wanted: SpanTable, tokens: IntArray, annotators: IntArray
) -> IntArray:
    """(S,) the index of the annotator's nearest earlier span with the same words in the document, or -1."""
    corpus = consensus.corpus
    starts = tokens[wanted.starts] if len(wanted) else wanted.starts
    surfaces = _surfaces(corpus, starts, wanted.ends - wanted.starts)
    documents = corpus.text.document_of[corpus.text.sentence_of[starts]]
    order = np.lexsort((starts, surfaces, documents, annotators))
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in (annotators, documents, surfaces):
        same &= column[order[1:]] == column[order[:-1]]
    earlier = np.full(len(wanted), NONE, np.int64)
    earlier[order[1:][same]] = order[:-1][same]
    return earlier


def _surfaces(corpus: Corpus, starts: IntArray, lengths: IntArray) -> IntArray:
    """(S,) equal for spans of the same words, but for case."""
    words = word_numbers(corpus, "casefold").tolist()
    numbers: dict[tuple[int, ...], int] = {}
    pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
    numbered = [numbers.setdefault(tuple(words[start : start + size]), len(numbers)) for start, size in pairs]
    return np.array(numbered, np.int64)
