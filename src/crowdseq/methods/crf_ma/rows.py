"""Rows: what each annotator said of each sentence, laid end to end."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import convert
from crowdseq.numerics.chains.chain import Lattice


@dataclass(frozen=True, eq=False)
class Rows:
    """Answers of annotators to sentences: R rows laid end to end.

    voters, sentences (R,). bounds (R + 1,): where each begins in the cells. tokens (C,): the token of
    each cell. open_to (C, M): 0 for the label given, or for all where none is, minus infinity else.
    surplus (R,): minus the log probability of the row if its labels were guessed.
    """

    voters: IntArray
    sentences: IntArray
    bounds: IntArray
    tokens: IntArray
    open_to: FloatArray
    surplus: FloatArray

    @classmethod
    def of(cls, corpus: Corpus) -> "Rows":
        crowd, scheme = corpus.annotations, corpus.scheme
        ends = np.append(crowd.row_starts, len(crowd.tags))
        tags = crowd.tags if scheme.is_plain else convert(crowd.tags, ends, scheme, scheme)
        said = np.concatenate([[0], np.cumsum(tags >= 0)])
        n_said = said[ends[1:]] - said[ends[:-1]]
        kept = np.flatnonzero(n_said > 0)
        lengths = np.diff(ends)[kept]
        cells = gather_ranges(crowd.row_starts[kept], lengths)
        sentences = crowd.row_sentences[kept]
        open_to = np.full((len(cells), len(scheme)), -np.inf)
        given = tags[cells]
        open_to[given < 0] = 0.0
        known = np.flatnonzero(given >= 0)
        open_to[known, given[known]] = 0.0
        return cls(
            crowd.voters[kept],
            sentences,
            np.concatenate([[0], np.cumsum(lengths)]),
            gather_ranges(corpus.offsets[sentences], lengths),
            open_to,
            n_said[kept] * np.log(max(len(scheme), 1)),
        )

    def lattice(self, whole: Lattice) -> Lattice:
        """The scores of all sentences as one sentence for each row, open only to what its annotator said."""
        scores = whole.unary[self.tokens] + self.open_to
        return Lattice(scores, self.bounds, whole.transitions, whole.starts, whole.ends)


def voted(rows: Rows, n_tokens: int) -> FloatArray:
    """(T, M) above 0 for the labels that some annotator gave a token."""
    given = (rows.open_to == 0.0) & (np.isinf(rows.open_to).any(axis=1, keepdims=True))
    support = np.zeros((n_tokens, rows.open_to.shape[1]))
    np.add.at(support, rows.tokens, given.astype(np.float64))
    return support
