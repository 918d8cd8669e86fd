"""How the votes on each token split, summed up by document and by label."""

from dataclasses import dataclass, fields

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of


@dataclass(frozen=True, eq=False)
class TokenSums:
    """Sums over tokens for (D,) documents or for everything, as `coefficients.fleiss` and `alpha` take them.

    agreed, compared, seen, coincidences (D,); shares, totals (D, M).
    """

    agreed: FloatArray
    compared: FloatArray
    seen: FloatArray
    coincidences: FloatArray
    shares: FloatArray
    totals: FloatArray

    @classmethod
    def nought(cls, n_labels: int, *documents: int) -> "TokenSums":
        """Sums over nothing."""
        single = [np.zeros(documents) for _ in range(4)]
        return cls(*single, *(np.zeros((*documents, n_labels)) for _ in range(2)))

    def plus(self, other: "TokenSums") -> "TokenSums":
        return TokenSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def over_documents(self) -> "TokenSums":
        """All documents in one: arrays () and (M,)."""
        return TokenSums(*(np.asarray(getattr(self, f.name).sum(axis=0)) for f in fields(self)))


@dataclass(frozen=True, eq=False)
class LabelSums:
    """The same sums over all tokens for each label against the rest: arrays (M,)."""

    agreed: FloatArray
    coincidences: FloatArray
    used: FloatArray

    @classmethod
    def nought(cls, n_labels: int) -> "LabelSums":
        """Sums over nothing."""
        return cls(*(np.zeros(n_labels) for _ in range(3)))

    def plus(self, other: "LabelSums") -> "LabelSums":
        return LabelSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def count_tokens(
    corpus: Corpus, sentences: IntArray, documents: IntArray, n_documents: int
) -> tuple[TokenSums, LabelSums]:
    """Sums over these sentences; documents (S,) says into which of the D sums each of them goes."""
    table = _vote_table(corpus, sentences)
    votes = table.sum(axis=1)
    several = votes >= 2
    pairs = np.where(several, votes * (votes - 1.0), 1.0)
    same = table * (table - 1.0) * several[:, None]
    rest = votes[:, None] - table
    same_or_rest = same + rest * (rest - 1.0) * several[:, None]
    gather = _document_sums(corpus.text.lengths[sentences], documents, n_documents)
    by_document = TokenSums(
        agreed=gather @ (same.sum(axis=1) / pairs),
        compared=gather @ several.astype(np.float64),
        seen=gather @ (votes > 0).astype(np.float64),
        coincidences=gather @ (same.sum(axis=1) / np.maximum(votes - 1.0, 1.0)),
        shares=gather @ (table / np.maximum(votes, 1.0)[:, None]),
        totals=gather @ (table * several[:, None]),
    )
    by_label = LabelSums(
        agreed=(same_or_rest / pairs[:, None]).sum(axis=0),
        coincidences=(same_or_rest / np.maximum(votes - 1.0, 1.0)[:, None]).sum(axis=0),
        used=((table > 0) & several[:, None]).sum(axis=0).astype(np.float64),
    )
    return by_document, by_label


def _vote_table(corpus: Corpus, sentences: IntArray) -> FloatArray:
    """(T, M) how many annotators gave each label to each token of these sentences."""
    crowd, n_labels = corpus.annotations, len(corpus.scheme)
    lengths = crowd.lengths[sentences]
    n_rows = np.diff(crowd.row_offsets)[sentences]
    first_tokens = offsets_of(lengths)
    cells = gather_ranges(crowd.block_offsets[sentences], n_rows * lengths)
    row_starts, row_lengths = np.repeat(first_tokens[:-1], n_rows), np.repeat(lengths, n_rows)
    tokens = gather_ranges(row_starts, row_lengths)
    labels = crowd.tags[cells]
    keys = tokens[labels >= 0] * n_labels + labels[labels >= 0]
    size = int(first_tokens[-1])
    return np.bincount(keys, minlength=size * n_labels).reshape(size, n_labels).astype(np.float64)


def _document_sums(lengths: IntArray, documents: IntArray, n_documents: int) -> sparse.csr_matrix:
    """(D, T) a matrix that adds up what belongs to one document."""
    owners = np.repeat(documents, lengths)
    ones = np.ones(len(owners))
    return sparse.csr_matrix((ones, (owners, np.arange(len(owners)))), shape=(n_documents, len(owners)))
