"""How an annotator's vote depends on the truth and on their own earlier votes, learned with back-off."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray

NONE = -1  # there is no earlier vote


def previous_votes(tokens: IntArray, rows: IntArray, labels: IntArray) -> IntArray:
    """(V,) the label of the same row's vote on the token before, -1 at its start or after a gap.

    The votes stand row by row, each in the order of its tokens.
    """
    before = np.full(len(labels), NONE, np.int64)
    follows = (rows[1:] == rows[:-1]) & (tokens[1:] == tokens[:-1] + 1)
    before[1:][follows] = labels[:-1][follows]
    return before


def earlier_votes(
    annotators: IntArray,
    scopes: IntArray,
    words: IntArray,
    tokens: IntArray,
    labels: IntArray,
    wanted: BoolArray,
) -> IntArray:
    """(V,) the annotator's label on the nearest earlier token with the same word in the same scope, or -1.

    scopes (V,): sentence or document of each vote. wanted (V,): votes on words whose mentions are linked.
    """
    earlier = np.full(len(labels), NONE, np.int64)
    chosen = np.flatnonzero(wanted)
    keys = (tokens[chosen], words[chosen], scopes[chosen], annotators[chosen])
    order = chosen[np.lexsort(keys)]
    same = np.ones(len(order) - 1 if len(order) else 0, np.bool_)
    for column in (annotators, scopes, words):
        same &= column[order[1:]] == column[order[:-1]]
    earlier[order[1:][same]] = labels[order[:-1][same]]
    return earlier


@dataclass(frozen=True, eq=False)
class Level:
    """One table: kinds of votes, the group (context) of each, and the given label of each.

    members (C, F): sparse, which of the F finest kinds fall into each of the C kinds. groups (C,): the
    context of each kind; n_groups of them.
    """

    members: sparse.csr_matrix
    groups: IntArray
    labels: IntArray
    n_groups: int

    @classmethod
    def of_contexts(cls, contexts: Sequence[IntArray], labels: IntArray) -> tuple["Level", IntArray]:
        """The level that tells these contexts apart, for F finest kinds; and (F,) the kind of each."""
        groups, n_groups = number_rows([*contexts]) if contexts else (np.zeros(len(labels), np.int64), 1)
        kinds, n_kinds = number_rows([groups, labels])
        first = np.zeros(n_kinds, np.int64)
        first[kinds[::-1]] = np.arange(len(kinds))[::-1]
        members = sparse.csr_matrix(
            (np.ones(len(kinds)), (kinds, np.arange(len(kinds)))), shape=(n_kinds, len(kinds))
        )
        return cls(members, groups[first], labels[first], max(n_groups, 1)), kinds

    def count(self, finest: FloatArray) -> FloatArray:
        """(F, M) counts of the finest kinds to (C, M)."""
        return np.asarray(self.members @ finest)

    def probabilities(self, counts: FloatArray, parents: FloatArray, strength: float) -> FloatArray:
        """(C, M) p(label | context, truth), with `strength` votes' worth of the parents' belief (C, M).

        With strength 0 it is the plain relative frequency; a context without evidence takes the parents'.
        """
        totals = np.zeros((self.n_groups, counts.shape[1]))
        np.add.at(totals, self.groups, counts)
        below = (totals + strength)[self.groups]
        known = below > 0
        found = np.divide(counts + strength * parents, below, out=parents.copy(), where=known)
        return np.asarray(found)


def number_rows(columns: Sequence[IntArray]) -> tuple[IntArray, int]:
    """(F,) columns to one number for each combination that occurs, in order, and how many there are."""
    if len(columns[0]) == 0:
        return np.zeros(0, np.int64), 0
    code = np.asarray(columns[0], np.int64)
    for column in columns[1:]:
        # Numbered anew at every step, so that products of large ranges never overflow.
        _, code = np.unique(code, return_inverse=True)
        code = code.astype(np.int64) * (int(column.max()) + 2) + column + 1
    distinct, numbers = np.unique(code, return_inverse=True)
    return numbers.astype(np.int64), len(distinct)


_LEAST = 1e-12  # below this a probability is an artefact of a count that is zero by rounding


@dataclass(frozen=True)
class Smoothing:
    """How many votes' worth of belief comes from the coarser table.

    own: for an annotator's table in a context. annotator: for an annotator's table without context.
    crowd: for the crowd's tables in a context. prior: for the crowd's table without context, towards
    `diagonal` on the right label and the rest spread evenly. share: how much of an annotator's belief in a
    context comes from their own table without it; the rest comes from the crowd in that context.
    """

    own: float = 20.0
    annotator: float = 20.0
    crowd: float = 20.0
    prior: float = 10.0
    diagonal: float = 0.7
    share: float = 0.5


@dataclass(frozen=True, eq=False)
class DependencyModel:
    """Tables for annotators and for the crowd, with no context, then with one more part of it at each level.

    kinds (V,) is the finest kind of each vote, n_kinds of them. own[j] and crowd[j] know the first j parts of
    the context; own_kinds[j] and crowd_kinds[j] (F,) say which of their kinds a finest kind falls into.
    """

    kinds: IntArray
    n_kinds: int
    own: tuple[Level, ...]
    own_kinds: tuple[IntArray, ...]
    crowd: tuple[Level, ...]
    crowd_kinds: tuple[IntArray, ...]

    @classmethod
    def build(cls, annotators: IntArray, labels: IntArray, contexts: Sequence[IntArray]) -> "DependencyModel":
        """From (V,) arrays; contexts from the most to the least telling, each -1 where there is none."""
        columns = [np.asarray(annotators, np.int64), *contexts, np.asarray(labels, np.int64)]
        kinds, n_kinds = number_rows(columns)
        first = np.zeros(n_kinds, np.int64)
        first[kinds[::-1]] = np.arange(len(kinds))[::-1]
        who, given = columns[0][first], columns[-1][first]
        parts = [column[first] for column in contexts]
        own = [Level.of_contexts([who, *parts[:j]], given) for j in range(len(parts) + 1)]
        crowd = [Level.of_contexts(parts[:j], given) for j in range(len(parts) + 1)]
        return cls(
            kinds,
            n_kinds,
            tuple(level for level, _ in own),
            tuple(place for _, place in own),
            tuple(level for level, _ in crowd),
            tuple(place for _, place in crowd),
        )

    @property
    def n_cells(self) -> int:
        """Rows of all tables together, for an estimate of memory."""
        return self.n_kinds + sum(len(level.groups) for level in (*self.own, *self.crowd))

    def log_mixed(self, counts: FloatArray, smoothing: Smoothing, known: int, further: float) -> FloatArray:
        """(F, M) expected counts of the finest kinds, by truth, to log p(vote | truth, context, who).

        The context beyond its first `known` parts counts by `further`: log probabilities without it and with
        it are mixed.
        """
        own = self.tables(counts, smoothing)[0]
        fully = np.asarray(np.log(np.maximum(own[-1], _LEAST)))
        if further == 1.0:
            return fully
        less = np.log(np.maximum(own[known], _LEAST))
        return np.asarray(less + further * (fully - less))

    def log_habits(self, counts: FloatArray, smoothing: Smoothing) -> FloatArray:
        """The same without any context: (F, M) log p(vote | truth, who)."""
        crowd = self._crowd_habits(counts, smoothing)
        own = self._from(self.own[0], self.own_kinds[0], counts, crowd, smoothing.annotator)
        return np.asarray(np.log(np.maximum(own, _LEAST)))

    def tables(
        self, counts: FloatArray, smoothing: Smoothing
    ) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """Probabilities at every level, each (F, M) as seen by the finest kinds: own tables, crowd tables."""
        crowd_now = self._crowd_habits(counts, smoothing)
        own_now = self._from(self.own[0], self.own_kinds[0], counts, crowd_now, smoothing.annotator)
        own, crowd = [own_now], [crowd_now]
        for j in range(1, len(self.own)):
            crowd_now = self._from(self.crowd[j], self.crowd_kinds[j], counts, crowd_now, smoothing.crowd)
            parents = smoothing.share * own_now + (1.0 - smoothing.share) * crowd_now
            own_now = self._from(self.own[j], self.own_kinds[j], counts, parents, smoothing.own)
            own.append(own_now)
            crowd.append(crowd_now)
        return tuple(own), tuple(crowd)

    def _crowd_habits(self, counts: FloatArray, smoothing: Smoothing) -> FloatArray:
        """(F, M) p(vote | truth) of the whole crowd."""
        n_labels = counts.shape[1]
        prior = np.full((n_labels, n_labels), (1.0 - smoothing.diagonal) / max(n_labels - 1, 1))
        np.fill_diagonal(prior, smoothing.diagonal if n_labels > 1 else 1.0)
        return self._learn(self.crowd[0], self.crowd_kinds[0], counts, prior, smoothing.prior)

    @staticmethod
    def _learn(
        level: Level, places: IntArray, counts: FloatArray, prior: FloatArray, strength: float
    ) -> FloatArray:
        found = level.probabilities(level.count(counts), prior[level.labels], strength)
        return found[places]

    @staticmethod
    def _from(
        level: Level, places: IntArray, counts: FloatArray, parents: FloatArray, strength: float
    ) -> FloatArray:
        """One level from its parents' belief, given and returned by finest kind."""
        by_kind = np.empty((len(level.groups), counts.shape[1]))
        by_kind[places] = parents
        return level.probabilities(level.count(counts), by_kind, strength)[places]
