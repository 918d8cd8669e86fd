"""Back-off: probabilities of votes in fine contexts, drawn towards coarser ones where evidence is thin.

A vote is given in a context: who votes, what they said before, … A *level* keeps some parts of that context
and forgets the rest. Each level is a table with one row of M numbers, one for each truth, for every *kind* of
vote that occurs (context and given label), so its size is bounded by the number of votes and never by the
number of possible contexts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray


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
