"""What the plain votes say: shares of labels for every token, by token or by whole span."""

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans, paint
from crowdseq.numerics.crowds.votes import count_votes, normalise


def label_counts(corpus: Corpus) -> FloatArray:
    """(T, M) how many votes each label has."""
    votes = corpus.annotations.votes()
    return count_votes(votes.tokens, votes.labels, corpus.n_tokens, len(corpus.scheme))


def label_shares(corpus: Corpus) -> FloatArray:
    """(T, M) the share of votes of each label; a token that nobody labelled gets the shares of the corpus."""
    counts = label_counts(corpus)
    return shares_of_counts(counts, counts.sum(axis=0), corpus.scheme)


def shares_of_counts(counts: FloatArray, totals: FloatArray, scheme: LabelScheme) -> FloatArray:
    """The same from (T, M) counts of a part of a corpus and the (M,) counts of the whole."""
    overall = normalise(totals + _outside_first(scheme))
    silent = counts.sum(axis=1) == 0
    return normalise(np.where(silent[:, None], overall, counts))


def _outside_first(scheme: LabelScheme) -> FloatArray:
    """One vote for O, so that a corpus without any vote is all O; a plain scheme starts uniform."""
    start = np.zeros(len(scheme))
    if scheme.outside >= 0:
        start[scheme.outside] = 1.0
    return start


def span_shares(corpus: Corpus) -> FloatArray:
    """(T, M) shares in which a span is one unit: a token inside one that more than half of the annotators of
    its sentence gave exactly gets that tag by the share of those who gave it, any other token is outside."""
    if corpus.scheme.is_plain:
        return label_shares(corpus)
    scheme = corpus.scheme
    drawn, counts = drawn_spans(corpus)
    voters = corpus.n_voters[corpus.text.sentence_of[drawn.starts]]
    won = counts * 2 > voters
    table = SpanTable(drawn.starts[won], drawn.ends[won], drawn.types[won])
    tags = paint(table, corpus.n_tokens, scheme)
    shares = np.full(corpus.n_tokens, 1.0)
    lengths = table.ends - table.starts
    shares[gather_ranges(table.starts, lengths)] = np.repeat((counts / np.maximum(voters, 1))[won], lengths)
    result = np.zeros((corpus.n_tokens, len(scheme)))
    result[:, scheme.outside] = 1.0 - shares
    result[np.arange(corpus.n_tokens), tags] += shares
    return result


def drawn_spans(corpus: Corpus) -> tuple[SpanTable, IntArray]:
    """The different spans that annotators drew, in tokens of the corpus, and (S,) how many drew each."""
    crowd = corpus.annotations
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    spans = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
    token_of = gather_ranges(corpus.offsets[crowd.row_sentences], corpus.text.lengths[crowd.row_sentences])
    first = token_of[spans.starts]
    keys = np.stack([first, first + spans.ends - spans.starts, spans.types])
    unique, counts = np.unique(keys, axis=1, return_counts=True)
    return SpanTable(*unique), counts


def majority_shares(shares: FloatArray) -> FloatArray:
    """(T, M) shares of votes to all for the label with the most, evenly between labels that tie."""
    top = (shares == shares.max(axis=1, keepdims=True)).astype(np.float64)
    return np.asarray(top / top.sum(axis=1, keepdims=True))


def dependent_weights(counts: FloatArray, correlation: float) -> FloatArray:
    """(T, M) vote counts to (T, 1) weights of a vote: those that err together tell less than free ones.

    n votes count as n / (1 + correlation (n - 1)), the design effect of samples taken in clusters.
    """
    further = np.maximum(counts.sum(axis=1, keepdims=True) - 1.0, 0.0)
    return np.asarray(1.0 / (1.0 + correlation * further))
