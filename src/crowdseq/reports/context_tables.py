"""How each annotator labels after their own earlier labels: the tables behind α and β, for any method."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.methods.sa_slc.evidence import ContextVotes, linked_tokens, word_numbers

NOTHING = -1  # the start of a sentence, or a token that the annotator left without a label
_TELLING_SHARE = 0.1  # words that votes put into an entity at least so often are linked between mentions


@dataclass(frozen=True, eq=False)
class ContextTables:
    """Expected counts of truth by given label (M, M), for one annotator and one context.

    A context is a label of the same annotator: `local`, the one given to the token before (α), or
    `repeated`, the one given to the nearest earlier mention of the word in the document (β). The truth is
    what the posteriors say, so the tables mean the same whatever the method.
    """

    votes: ContextVotes
    probabilities: FloatArray
    n_annotators: int

    @classmethod
    def of(cls, consensus: Consensus) -> "ContextTables":
        corpus = consensus.corpus
        linked = linked_tokens(corpus, "content", _TELLING_SHARE)
        votes = ContextVotes.of(corpus, word_numbers(corpus, "exact"), linked, "document")
        return cls(votes, consensus.probabilities, len(corpus.annotators))

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.votes.annotators, kind="stable")

    @cached_property
    def _bounds(self) -> IntArray:
        ordered = self.votes.annotators[self._order]
        return np.searchsorted(ordered, np.arange(self.n_annotators + 1))

    def _votes_of(self, annotator: int) -> IntArray:
        return self._order[self._bounds[annotator] : self._bounds[annotator + 1]]

    def _contexts(self, annotator: int, kind: str) -> IntArray:
        column = self.votes.previous if kind == "local" else self.votes.earlier
        return column[self._votes_of(annotator)]

    def frequent(self, annotator: int, kind: str, limit: int) -> list[int]:
        """The contexts that the annotator labelled most often in, the most frequent first.

        Under `repeated`, a word without an earlier mention is no context.
        """
        contexts, counts = np.unique(self._contexts(annotator, kind), return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [int(one) for one in contexts[order] if kind == "local" or one != NOTHING][:limit]

    def counts(self, annotator: int, kind: str, context: int) -> FloatArray:
        """(M, M) expected counts, truth by given label."""
        mine = self._votes_of(annotator)[self._contexts(annotator, kind) == context]
        n_labels = self.probabilities.shape[1]
        tokens, places = np.unique(self.votes.tokens[mine], return_inverse=True)
        given = sparse.csr_matrix(
            (np.ones(len(mine)), (self.votes.labels[mine], places)), shape=(n_labels, len(tokens))
        )
        return np.ascontiguousarray(np.asarray(given @ self.probabilities[tokens]).T)
