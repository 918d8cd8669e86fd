"""CrowdShard: the votes of one shard, and what is believed of its tokens, for EM over annotator models."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crowdseq.aggregation.settling import best_valid_tags
from crowdseq.aggregation.surveys import CrowdLook
from crowdseq.aggregation.voting import shares_of_counts
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.engines.engine import answer, asks_only
from crowdseq.engines.shards import AnyShard, Kept
from crowdseq.evaluation.kinship import Kin, vote_weights
from crowdseq.numerics.crowds.crowd_chain import ChainCounts, ChainPrior, CrowdChain
from crowdseq.numerics.crowds.crowd_tokens import CrowdTokens
from crowdseq.numerics.crowds.votes import VoteTable, count_votes


@dataclass(frozen=True)
class Coding:
    """How votes are told apart: by annotator, label and, if `sequential`, their annotator's vote before.

    dense: every annotator and label has a number, whether it occurs or not; else only kinds that occur.
    """

    dense: bool = False
    sequential: bool = False


@dataclass(frozen=True, eq=False)
class CodedVotes:
    """kinds (V,) of the votes, n_kinds of them; rows (C, 3): annotator, context and label of each."""

    kinds: IntArray
    n_kinds: int
    rows: IntArray


@dataclass(frozen=True, eq=False)
class ChainScores:
    """Log scores of the kinds of votes (C, M) and, if they take part, of the words (W, M) of one shard."""

    votes: FloatArray
    words: FloatArray | None


class CrowdShard:
    """The votes of one shard that count; gold: whether tokens with known gold are held at it."""

    weights: FloatArray | None  # of the votes (V,), where not all count once

    def __init__(self, gold: bool, shard: AnyShard) -> None:
        self.number, self.look = shard.number, CrowdLook(shard.corpus)
        corpus = self.look.whole
        self.gold = corpus.gold_tags if gold else np.full(corpus.n_tokens, -1)
        self._states: Kept[FloatArray] = Kept()
        self._tokens: CrowdTokens | None = None
        self._chain: CrowdChain | None = None
        self._listed: dict[Coding, CodedVotes] = {}

    def hear(self, silent: BoolArray | None, kin: tuple[Kin, ...]) -> None:
        """silent (K,): whose silence is no vote, None for nobody's. kin: whose votes count once between
        them."""
        self.look.hear(silent)
        self.votes = self.corpus.annotations.votes()
        self.weights = vote_weights(self.corpus, kin)

    @property
    def corpus(self) -> Corpus:
        """With the votes that count."""
        return self.look.heard

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these versions of the truth alone."""
        self._states.forget_others(alive)

    @asks_only
    def label_totals(self) -> FloatArray:
        """(M,) how many votes each label has."""
        return np.asarray(self._label_counts().sum(axis=0))

    def _label_counts(self) -> FloatArray:
        """(T, M) how much each label was voted for."""
        votes, shape = self.votes, (self.corpus.n_tokens, len(self.corpus.scheme))
        return count_votes(votes.tokens, votes.labels, *shape, self.weights)

    @asks_only
    def word_counts(self) -> IntArray:
        """(W,) how often each word of the word table occurs."""
        return np.bincount(self.corpus.text.token_ids, minlength=len(self.corpus.text.words))

    def list_kinds(self, coding: Coding) -> IntArray:
        """(C, 3) annotator, context and label of the kinds of votes that occur, in sorted order."""
        self._listed[coding] = self._code(coding)
        return self._listed[coding].rows

    def _coded(self, coding: Coding) -> CodedVotes:
        return self._listed.pop(coding, None) or self._code(coding)

    def _code(self, coding: Coding) -> CodedVotes:
        """The votes as kinds."""
        n_labels, annotators = len(self.corpus.scheme), self.votes.annotators.astype(np.int64)
        if coding.dense:
            kinds = annotators * n_labels + self.votes.labels
            return CodedVotes(kinds, len(self.corpus.annotators) * n_labels, np.zeros((0, 3), np.int64))
        n_contexts, contexts = 1, np.zeros(len(annotators), np.int64)
        if coding.sequential:
            n_contexts, contexts = n_labels + 1, votes_before(self.corpus.annotations, n_labels)
        found, kinds = np.unique(
            (annotators * n_contexts + contexts) * n_labels + self.votes.labels, return_inverse=True
        )
        groups, labels = np.divmod(found, n_labels)
        rows = np.stack([groups // n_contexts, groups % n_contexts, labels], axis=1)
        return CodedVotes(kinds, len(found), rows)

    def vote_table(self, coding: Coding) -> VoteTable:
        """The votes as a table of kinds."""
        coded = self._coded(coding)
        n_tokens = self.corpus.n_tokens
        return VoteTable.build(self.votes.tokens, coded.kinds, n_tokens, coded.n_kinds, self.weights)

    def first_shares(self, totals: FloatArray) -> FloatArray:
        """(T, M) shares of votes; totals (M,): those of all shards, for tokens without votes."""
        return shares_of_counts(self._label_counts(), totals, self.corpus.scheme)

    # Tokens one by one.

    def open_tokens(self, coding: Coding) -> None:
        """Tokens with the same votes are taken together from now on."""
        coded = self._coded(coding)
        self._tokens = CrowdTokens.build(
            self.votes.tokens, coded.kinds, coded.n_kinds, self.gold, self.weights
        )

    @property
    def tokens(self) -> CrowdTokens:
        assert self._tokens is not None
        return self._tokens

    def start_tokens(self, version: int, totals: FloatArray) -> None:
        """From shares of votes."""
        self._states[version] = self.tokens.start(self.first_shares(totals))

    @asks_only
    def count_tokens(self, version: int) -> tuple[FloatArray, FloatArray]:
        """See `CrowdTokens.count`."""
        return self.tokens.count(self._states[version])

    def expect_tokens(self, version: int, shares: FloatArray, scores: FloatArray) -> float:
        """A new version of the truth; the log evidence."""
        self._states[version], evidence = self.tokens.expect(scores, shares)
        return evidence

    @asks_only
    def spread_tokens(self, version: int) -> FloatArray:
        """(T, M) the truth of every token."""
        return self.tokens.spread(self._states[version])

    @asks_only
    def spread_trusting(self, version: int, trusted: BoolArray, competence: float) -> FloatArray:
        """The same, but where annotators (K,) voted who are trusted by so much, whatever was learned."""
        truth, n_labels = self.spread_tokens(version), len(self.corpus.scheme)
        chosen = np.flatnonzero(trusted[self.votes.annotators])
        tokens = self.votes.tokens[chosen]
        truth[tokens] = (1.0 - competence) / max(n_labels - 1, 1)
        truth[tokens, self.votes.labels[chosen]] = competence if n_labels > 1 else 1.0
        return truth

    @asks_only
    def count_compared(self) -> IntArray:
        """(2, K) votes, and those on tokens that another voted on too or whose gold is held."""
        votes, size = self.votes, len(self.corpus.annotators)
        shared = (np.bincount(votes.tokens, minlength=self.corpus.n_tokens) > 1) | (self.gold >= 0)
        chosen = (votes.annotators, votes.annotators[shared[votes.tokens]])
        return np.stack([np.bincount(one, minlength=size) for one in chosen])

    # Sentences as chains.

    def open_chain(
        self, coding: Coding, prior: ChainPrior, words: bool, classes: IntArray | None
    ) -> IntArray:
        """Its own words (W, 1), none if words take no part; classes: numbers that words share, if any do."""
        numbers, table = np.zeros(0, np.int64), None
        n_tokens = self.corpus.n_tokens
        if words:
            word_ids = self.corpus.text.token_ids
            numbers, own = np.unique(word_ids if classes is None else classes[word_ids], return_inverse=True)
            table = VoteTable.build(np.arange(n_tokens), own, n_tokens, len(numbers))
        votes = self.vote_table(coding)
        self._chain = CrowdChain.build(votes, table, self.corpus.offsets, self.gold, prior)
        return numbers[:, None]

    @property
    def chain(self) -> CrowdChain:
        assert self._chain is not None
        return self._chain

    def start_chain(self, version: int, totals: FloatArray, tokens: int | None) -> FloatArray:
        """From a version of the truth of `tokens`, or from shares of votes; (M, M) its pairs."""
        truth = self.first_shares(totals) if tokens is None else self.spread_tokens(tokens)
        self._states[version], pairs = self.chain.start(truth)
        return pairs

    @asks_only
    def count_chain(self, version: int) -> ChainCounts:
        """See `CrowdChain.count`."""
        return self.chain.count(self._states[version])

    def expect_chain(
        self, version: int, starts: FloatArray, transitions: FloatArray, scores: ChainScores
    ) -> tuple[FloatArray, float]:
        """A new version of the truth; its pairs (M, M) and the summed log-partitions."""
        found = self.chain.expect(scores.votes, scores.words, starts, transitions)
        self._states[version] = found.unary
        return found.pairwise, float(found.log_partition.sum())

    @asks_only
    def truth(self, version: int) -> FloatArray:
        """(T, M) of a chain."""
        return self._states[version]

    @asks_only
    def write(self, folder: Path, order: Sequence[int] | None, call: str, *given: object) -> None:
        """Settle what a call tells of the truth, and write it; order: of labels, for ties."""
        from crowdseq.aggregation.stored import write_settled

        posteriors = answer(self, call, *given)
        write_settled(folder, self.number, best_valid_tags(self.corpus, posteriors, order), posteriors)


def votes_before(crowd: Annotations, none: int) -> IntArray:
    """(V,) what the annotator of each vote said one token before, or `none`; in the order of `votes()`."""
    lengths = crowd.lengths[crowd.row_sentences]
    before = np.concatenate([[none], crowd.tags[:-1]])[: len(crowd.tags)]
    before[crowd.row_starts[lengths > 0]] = none
    before = np.where(before < 0, none, before)
    tokens = gather_ranges(offsets_of(crowd.lengths)[:-1][crowd.row_sentences], lengths)
    said = crowd.tags >= 0
    return before[said][np.argsort(tokens[said], kind="stable")]
