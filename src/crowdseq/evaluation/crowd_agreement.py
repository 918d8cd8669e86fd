"""How the votes on each token split, and agreement at a glance: Krippendorff's alpha with an interval, and
kappa of some annotators as a square."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.evaluation.coefficients import alpha, cohen


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


_NUMBERS_AT_A_TIME = 1 << 21
_MOST_GROUPS = 1000  # more say nothing about the interval that these do not
_FEW_DOCUMENTS = 20
_DRAWS = 400
_COVERAGE = 0.95


@dataclass(frozen=True)
class AlphaInterval:
    """Krippendorff's alpha of all tokens that two or more labelled, and its 95 % interval.

    unit: what was drawn again and again for the interval, `document`, or `sentence` where there are few.
    """

    alpha: float
    low: float
    high: float
    tokens: int
    unit: str


def alpha_with_interval(corpus: Corpus, *, draws: int = _DRAWS, seed: int = 0) -> AlphaInterval | None:
    """None where alpha cannot be said: nothing was labelled twice, or all of it alike.

    The interval is a bootstrap over documents (Efron, percentile), as errors of one document hang together.
    Very many documents are put into a thousand groups first, which are then drawn.
    """
    is_many = len(corpus.text.documents) >= _FEW_DOCUMENTS
    owners = corpus.text.document_of if is_many else np.arange(len(corpus))
    sums = _sums_by_group(corpus, owners % _MOST_GROUPS)
    whole = float(alpha(sums.coincidences.sum(), sums.totals.sum(axis=0)))
    if np.isnan(whole):
        return None
    rng, size = np.random.default_rng(seed), len(sums.seen)
    weights = rng.multinomial(size, np.full(size, 1.0 / size), draws).astype(np.float64)
    drawn = alpha(weights @ sums.coincidences, weights @ sums.totals)
    tail = (1.0 - _COVERAGE) / 2.0
    low, high = np.quantile(drawn[~np.isnan(drawn)], [tail, 1.0 - tail]).tolist()
    return AlphaInterval(
        whole,
        min(low, whole),
        max(high, whole),
        int(sums.compared.sum()),
        "document" if is_many else "sentence",
    )


def _sums_by_group(corpus: Corpus, groups: IntArray) -> TokenSums:
    """Sums over the tokens of each group of sentences; groups that nobody labelled twice are left out."""
    size, n_labels = int(groups.max(initial=-1)) + 1, len(corpus.scheme)
    total = TokenSums.nought(n_labels, size)
    for part in portions(offsets_of(corpus.text.lengths * n_labels), _NUMBERS_AT_A_TIME):
        some = np.arange(part.start, part.stop)
        total = total.plus(count_tokens(corpus, some, groups[some], size)[0])
    kept = total.compared > 0
    return TokenSums(*(column[kept] for column in vars(total).values()))


@dataclass(frozen=True, eq=False)
class PairSquare:
    """Some annotators with each other: shared (n, n), the tokens that both labelled, and kappa (n, n),
    Cohen's, NaN where it cannot be said."""

    shared: FloatArray
    kappa: FloatArray


def pair_square(corpus: Corpus, annotators: Sequence[int]) -> PairSquare:
    """Every two of these annotators, in this order."""
    votes, n_labels, size = corpus.annotations.votes(), len(corpus.scheme), len(annotators)
    places = np.full(max(len(corpus.annotators), 1), -1)
    places[list(annotators)] = np.arange(size)
    who = places[votes.annotators]
    tokens, labels, who = votes.tokens[who >= 0], votes.labels[who >= 0].astype(np.int64), who[who >= 0]
    ones = np.ones(len(who))
    seen = sparse.csr_matrix((ones, (who, tokens)), shape=(size, corpus.n_tokens))
    said = sparse.csr_matrix(
        (ones, (who, tokens * n_labels + labels)), shape=(size, corpus.n_tokens * n_labels)
    )
    by_label = sparse.csr_matrix(
        (ones, (who * n_labels + labels, tokens)), shape=(size * n_labels, corpus.n_tokens)
    )
    shared = np.asarray((seen @ seen.T).todense(), np.float64)
    agreed = np.asarray((said @ said.T).todense(), np.float64)
    given = np.asarray((by_label @ seen.T).todense(), np.float64).reshape(size, n_labels, size)
    chance = np.einsum("amb,bma->ab", given, given)
    return PairSquare(shared, cohen(agreed, shared, chance))
