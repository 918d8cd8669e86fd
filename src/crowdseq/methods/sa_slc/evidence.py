"""Evidence: what votes say of the truth, each read in the context of its annotator's earlier ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges
from crowdseq.evaluation.kinship import Kin, vote_weights
from crowdseq.methods.sa_slc.coupling import content_words, word_votes
from crowdseq.numerics.crowds.dependency import (
    NONE,
    DependencyModel,
    earlier_votes,
    number_rows,
    previous_votes,
)
from crowdseq.numerics.crowds.votes import VoteTable

# Chances of an entity that part a token that nobody would mark from one that almost everybody would.
LEVELS = (0.01, 0.1, 0.4, 0.8)


def plausibility_levels(unseen: FloatArray, scheme: LabelScheme) -> IntArray:
    """(T, M) beliefs of a tagger that did not see the votes on these tokens to (T,) levels, 0 to 4.

    A mark on a word that looks like an entity says less than one on a word that does not: where the truth is
    O, wrong marks gather on the likely words, and a table that mixes both takes them for evidence.
    """
    if scheme.outside < 0:
        return np.zeros(len(unseen), np.int64)
    return np.searchsorted(np.array(LEVELS), 1.0 - unseen[:, scheme.outside]).astype(np.int64)


def part_by_level(
    alike: FloatArray, apart: FloatArray, scheme: LabelScheme, outside: float, inside: float
) -> FloatArray:
    """(T, M) log scores of votes: so far from those `alike` on all tokens to those by tables `apart` for each
    level, for O and for entities.

    How often O is marked does hang on how it looks. How often an entity is missed may or may not, and a
    table that may say freely that likely words are mostly missed makes entities of words that few marked.
    """
    mixed = _between(alike, apart, inside)
    mixed[:, scheme.outside] = _between(alike, apart, outside)[:, scheme.outside]
    return mixed


def _between(alike: FloatArray, apart: FloatArray, share: float) -> FloatArray:
    if share == 1.0:
        return apart.copy()
    mixed: FloatArray = (alike + apart) / 2 if share == 0.5 else alike + share * (apart - alike)
    return mixed


DEPENDENCIES = ("off", "local", "paper", "both")
SCOPES = ("sentence", "document", "off")


@dataclass(frozen=True, eq=False)
class ContextVotes:
    """(V,) votes sorted by token: who, what, and what they said just before and on an earlier mention; -1 is
    nothing. weights (V,): how much each counts, None where all count once."""

    tokens: IntArray
    annotators: IntArray
    labels: IntArray
    previous: IntArray
    earlier: IntArray
    weights: FloatArray | None = None

    @classmethod
    def of(
        cls, corpus: Corpus, words: IntArray, linked: BoolArray, scope: str, kin: tuple[Kin, ...] = ()
    ) -> "ContextVotes":
        """words (T,): equal for mentions of one word; linked (T,): tokens whose mentions count. kin: whose
        votes count once between them."""
        crowd = corpus.annotations
        lengths = crowd.lengths[crowd.row_sentences]
        rows = np.repeat(np.arange(len(crowd.voters)), lengths)
        tokens = gather_ranges(corpus.offsets[crowd.row_sentences], lengths)
        said = crowd.tags >= 0
        tokens, rows, labels = tokens[said], rows[said], crowd.tags[said].astype(np.int64)
        annotators = crowd.voters[rows].astype(np.int64)
        previous = previous_votes(tokens, rows, labels)
        earlier = np.full(len(labels), NONE, np.int64)
        if scope != "off":
            sentences = corpus.text.sentence_of[tokens]
            scopes = sentences if scope == "sentence" else corpus.text.document_of[sentences]
            earlier = earlier_votes(annotators, scopes, words[tokens], tokens, labels, linked[tokens])
        order = np.argsort(tokens, kind="stable")
        weights = vote_weights(corpus, kin)
        return cls(tokens[order], annotators[order], labels[order], previous[order], earlier[order], weights)

    @property
    def sizes(self) -> FloatArray:
        """(V,) how much each vote counts."""
        return np.ones(len(self.tokens)) if self.weights is None else self.weights

    def contexts(self, dependency: str, n_labels: int) -> list[IntArray]:
        """What a vote hangs on besides the truth, under each way to see it.

        `paper`: the earlier mention where there is one, else the vote before (Eq. 11); `both`: first the vote
        before, then the earlier mention.
        """
        if dependency == "off":
            return []
        if dependency == "local":
            return [self.previous]
        if dependency == "paper":
            return [np.where(self.earlier == NONE, self.previous, self.earlier + n_labels)]
        return [self.previous, self.earlier]

    def tables(self, truth: FloatArray, numbers: IntArray) -> dict[str, Any]:
        """Expected counts behind α and β: by the vote before, and by the vote on an earlier mention if any.

        numbers (K,): by which each annotator is told. `…_kinds` (F, 3): annotator, context label (-1: none),
        given label; `…_counts` (F, M): by truth.
        """
        found: dict[str, Any] = {}
        for name, context in (("local", self.previous), ("repeat", self.earlier)):
            chosen = np.flatnonzero(context != NONE) if name == "repeat" else np.arange(len(context))
            columns = np.stack([numbers[self.annotators], context, self.labels], axis=1)[chosen]
            kinds, places = np.unique(columns, axis=0, return_inverse=True)
            order = np.argsort(self.tokens[chosen], kind="stable")
            table = VoteTable.build(self.tokens[chosen][order], places.ravel()[order], len(truth), len(kinds))
            found[f"{name}_kinds"] = kinds.astype(np.int32)
            found[f"{name}_counts"] = table.gather(truth)
        return found


@dataclass(frozen=True, eq=False)
class Evidence:
    """The votes of a text by their kind: who gives which label in which context.

    contexts: what votes hang on besides the truth, each (V,). rows (C, 2 + contexts): who, context and label
    of each kind that occurs, in sorted order; table: the votes as kinds.
    """

    votes: ContextVotes
    contexts: tuple[IntArray, ...]
    rows: IntArray
    table: VoteTable

    @classmethod
    def of(cls, votes: ContextVotes, dependency: str, n_tokens: int, n_labels: int) -> "Evidence":
        return cls._build(votes, tuple(votes.contexts(dependency, n_labels)), n_tokens)

    @classmethod
    def _build(cls, votes: ContextVotes, contexts: tuple[IntArray, ...], n_tokens: int) -> "Evidence":
        columns = [votes.annotators, *contexts, votes.labels]
        kinds, n_kinds = number_rows(columns)
        first = np.zeros(n_kinds, np.int64)
        first[kinds[::-1]] = np.arange(len(kinds))[::-1]
        rows = np.stack([column[first] for column in columns], axis=1)
        table = VoteTable.build(votes.tokens, kinds, n_tokens, n_kinds, votes.weights)
        return cls(votes, contexts, rows, table)

    def foretold(self, expected: FloatArray, tables: FloatArray) -> tuple[float, float]:
        """The log probability of all votes, and how many they are, under (T, M) what the text alone makes
        expected of the truth and (C, M) log probabilities of their kinds."""
        chances = np.exp(tables)[self.table.kinds]
        likely = np.einsum("vm,vm->v", expected[self.votes.tokens], chances)
        sizes = self.votes.sizes
        return float(sizes @ np.log(np.maximum(likely, 1e-300))), float(sizes.sum())

    def within(self, classes: IntArray) -> "Evidence":
        """The same votes, read apart for each class of tokens (T,)."""
        contexts = (classes[self.votes.tokens], *self.contexts)
        return self._build(self.votes, contexts, self.table.n_tokens)


def model_of_kinds(rows: IntArray) -> DependencyModel:
    """The annotator model of the kinds of votes that rows list, numbered as they stand."""
    return DependencyModel.build(rows[:, 0], rows[:, -1], list(rows[:, 1:-1].T))


def draw_tables(model: DependencyModel, rng: np.random.Generator, n_labels: int) -> FloatArray:
    """(C, M) log p(vote | truth, context) of each kind, drawn from Dirichlet(1) rows: the paper's start.

    Kinds that never occur are drawn together: the sum of their shares is all that matters.
    """
    level = model.own[-1]
    shares = rng.standard_gamma(1.0, (len(level.groups), n_labels))
    totals = np.zeros((level.n_groups, n_labels))
    np.add.at(totals, level.groups, shares)
    unseen = n_labels - np.bincount(level.groups, minlength=level.n_groups)
    totals += rng.standard_gamma(np.maximum(unseen, 0)[:, None] * np.ones(n_labels))
    return np.asarray(np.log(shares / totals[level.groups])[model.own_kinds[-1]])


def word_numbers(corpus: Corpus, match: str) -> IntArray:
    """(T,) equal for tokens that count as the same word: spelt alike, or alike but for case."""
    if match == "exact":
        return corpus.text.token_ids.astype(np.int64)
    numbers: dict[str, int] = {}
    table = np.array(
        [numbers.setdefault(word.casefold(), len(numbers)) for word in corpus.text.words], np.int64
    )
    return table[corpus.text.token_ids] if len(table) else corpus.text.token_ids.astype(np.int64)


def linked_tokens(corpus: Corpus, tokens: str, least_share: float) -> BoolArray:
    """(T,) whose mentions are linked: `all`, or `content`, words that votes show to be part of entities."""
    if tokens == "all" or corpus.scheme.is_plain:
        return np.ones(corpus.n_tokens, np.bool_)
    return content_words(*word_votes(corpus), least_share)[corpus.text.token_ids]


def likely_labels(corpus: Corpus, counts: FloatArray) -> BoolArray:
    """(T, M) labels for which a token's features get weights: those voted for, O, and all where nobody voted.

    A label that nobody gave to a token can still win there, by the weights that others taught its features.
    """
    likely = counts > 0
    if corpus.scheme.outside >= 0:
        likely[:, corpus.scheme.outside] = True
    likely[counts.sum(axis=1) == 0] = True
    return np.asarray(likely)
