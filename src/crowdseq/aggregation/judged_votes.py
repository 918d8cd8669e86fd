"""What reports on annotators count: sums over shards, each of which knows its votes and what is settled."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.annotations import Votes, count_slips
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.engines.engine import asks_only
from crowdseq.evaluation.copying import ErrorPairs, WrongVoteRates, error_pairs


@dataclass(frozen=True, eq=False)
class JudgedVotes:
    """What reports on annotators count, of a corpus or a part of it.

    truth (K, M): believed labels of the tokens that each labelled; given (K, M): labels that they gave.
    shared (K,): votes on tokens that somebody else labelled too; sentences (K,). confusions (K, M, M): truth
    by given label. spans (5, K): those of the annotator that are settled too, all of theirs, all that are
    settled where they labelled, their slips, and their spans, slips or not. rates: of wrong votes.
    """

    truth: FloatArray
    given: IntArray
    shared: IntArray
    sentences: IntArray
    confusions: FloatArray
    spans: IntArray
    rates: WrongVoteRates

    def __add__(self, other: "JudgedVotes") -> "JudgedVotes":
        pairs = ((getattr(self, one.name), getattr(other, one.name)) for one in fields(self))
        return JudgedVotes(*(mine + theirs for mine, theirs in pairs))

    @property
    def totals(self) -> IntArray:
        """(K,) votes of each."""
        return np.asarray(self.given.sum(axis=1))

    @property
    def chance(self) -> FloatArray:
        """(K,) agreement that an annotator would reach by drawing labels from their own shares."""
        return np.asarray(
            (self.truth * self.given).sum(axis=1) / np.maximum(self.totals, 1).astype(np.float64) ** 2
        )


class JudgingPart:
    """The votes of a corpus, or of a shard of it, beside (T, M) what is believed and (T,) what is settled."""

    def __init__(self, corpus: Corpus, posteriors: FloatArray, tag_ids: IntArray) -> None:
        self._corpus, self._posteriors, self._tag_ids = corpus, posteriors, tag_ids

    @cached_property
    def _votes(self) -> Votes:
        return self._corpus.annotations.votes()

    @asks_only
    def count(self) -> JudgedVotes:
        """What does not hang on other shards."""
        corpus, votes, posteriors = self._corpus, self._votes, self._posteriors
        size, n_labels = len(corpus.annotators), len(corpus.scheme)
        seen = sparse.csr_matrix(
            (np.ones(len(votes.tokens)), (votes.annotators, votes.tokens)), shape=(size, len(posteriors))
        )
        cells = votes.annotators.astype(np.int64) * n_labels + votes.labels
        given = np.bincount(cells, minlength=size * n_labels).reshape(size, n_labels)
        return JudgedVotes(
            np.asarray(seen @ posteriors),
            given,
            _shared_votes(votes, corpus.n_tokens, size),
            np.bincount(corpus.annotations.voters, minlength=size),
            _confusions(votes, posteriors, size),
            np.concatenate([_count_hits(corpus, self._tag_ids), _count_spans(corpus)]),
            WrongVoteRates.of(corpus, self._tag_ids),
        )

    @asks_only
    def gains(self, chance: FloatArray) -> FloatArray:
        """(2, K) agreement beyond chance, and how much there could be."""
        gains, rooms = self._gains(chance)
        who, size = self._corpus.annotations.voters, len(chance)
        return np.stack([np.bincount(who, part, minlength=size) for part in (gains, rooms)])

    @asks_only
    def residuals(self, chance: FloatArray, raw: FloatArray) -> FloatArray:
        """(K + 2,) squares of what sentences differ from their annotator's kappa; their sum and number."""
        (gains, rooms), who = self._gains(chance), self._corpus.annotations.voters
        residual = np.square(gains - raw[who] * rooms)
        return np.append(
            np.bincount(who, residual, minlength=len(raw)), [float(residual.sum()), float(len(residual))]
        )

    def _gains(self, chance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(R,) the same for each row of the annotations."""
        votes, size = self._votes, len(self._corpus.annotations.voters)
        agreed = self._posteriors[votes.tokens, votes.labels] - chance[votes.annotators]
        ballots = _ballot_of(self._corpus, votes)
        room = 1.0 - chance[votes.annotators]
        gains: FloatArray = np.bincount(ballots, agreed, minlength=size).astype(np.float64)
        return gains, np.bincount(ballots, room, minlength=size).astype(np.float64)

    @asks_only
    def error_pairs(self, rates: WrongVoteRates) -> ErrorPairs:
        """See there."""
        return error_pairs(self._corpus, self._tag_ids, rates)


Ask: TypeAlias = Callable[..., list[Any]]  # the name of a method of `JudgingPart` and what it is given


def _shared_votes(votes: Votes, n_tokens: int, n_annotators: int) -> IntArray:
    """(K,) votes on tokens that somebody else labelled too."""
    crowded = np.bincount(votes.tokens, minlength=n_tokens)[votes.tokens] > 1
    return np.bincount(votes.annotators[crowded], minlength=n_annotators)


def _ballot_of(corpus: Corpus, votes: Votes) -> IntArray:
    """(V,) the row of annotations that each vote comes from."""
    crowd = corpus.annotations
    width = max(len(crowd.annotators), 1)
    keys = crowd.row_sentences.astype(np.int64) * width + crowd.voters
    wanted = corpus.text.sentence_of[votes.tokens].astype(np.int64) * width + votes.annotators
    return np.searchsorted(keys, wanted)


def _confusions(votes: Votes, posteriors: FloatArray, size: int) -> FloatArray:
    """(K, M, M) expected counts, truth by given label."""
    n_labels = posteriors.shape[1]
    by_annotator = np.argsort(votes.annotators, kind="stable")
    bounds = np.searchsorted(votes.annotators[by_annotator], np.arange(size + 1))
    found = np.zeros((size, n_labels, n_labels))
    for number in range(size):
        mine = by_annotator[bounds[number] : bounds[number + 1]]
        found[number] = _confusion(votes.tokens[mine], votes.labels[mine], posteriors)
    return found


def _confusion(tokens: IntArray, labels: IntArray, posteriors: FloatArray) -> FloatArray:
    """(M, M) expected counts, truth by given label."""
    n_labels = posteriors.shape[1]
    shape = (n_labels, len(posteriors))
    given = sparse.csr_matrix((np.ones(len(tokens)), (labels, tokens)), shape=shape)
    return np.ascontiguousarray(np.asarray(given @ posteriors).T)


def _count_hits(corpus: Corpus, tag_ids: IntArray) -> IntArray:
    """(3, K) exact spans of each annotator that are settled too, all of theirs, and all that are settled in
    the same sentences.

    An annotator's stray pieces count as spans: a slip in spelling is no miss.
    """
    crowd = corpus.annotations
    lengths = corpus.text.lengths[crowd.row_sentences]
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    truth = tag_ids[gather_ranges(corpus.offsets[crowd.row_sentences], lengths)]
    truth = np.where(crowd.tags >= 0, truth, np.int16(-1))
    given = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
    wanted = find_spans(truth, bounds, corpus.scheme, lenient=True)
    hits = np.isin(_span_keys(given), _span_keys(wanted))
    who = np.repeat(crowd.voters, lengths)
    starts = (given.starts[hits], given.starts, wanted.starts)
    return np.stack([np.bincount(who[one], minlength=len(crowd.annotators)) for one in starts])


def _span_keys(table: SpanTable) -> IntArray:
    """One number for each span; spans of a flat array are told apart by start, length and type."""
    lengths = table.ends - table.starts
    return (table.starts.astype(np.int64) * 100_003 + lengths) * 40_009 + table.types


def _count_spans(corpus: Corpus) -> IntArray:
    """(2, K) slips and spans of each annotator."""
    crowd = corpus.annotations
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    who = np.repeat(crowd.voters, corpus.text.lengths[crowd.row_sentences])
    spans = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
    n_spans = np.bincount(who[spans.starts], minlength=len(crowd.annotators))
    return np.stack([count_slips(crowd, corpus.scheme), n_spans])
