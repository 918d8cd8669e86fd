"""Kinship: annotators who agree far more than their independent skill explains, told without any consensus.

People who label on their own agree as often as both are right: the agreement of k and l is about s_k · s_l,
so that a_ki · a_lj / a_ij foretells a_kl from any two others i and j (Spearman). Those who copy each other,
or a third, agree more than that. Copies of somebody who hardly errs agree little more; what they leave out of
what others agree on gives them away. Nobody can tell of fewer than four, nor where all but one are kin.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.evaluation.pair_agreements import AgreementCounts, Agreements
from crowdseq.evaluation.tetrads import Kin, kin_by_tetrads, relatives, twins

if TYPE_CHECKING:
    from crowdseq.evaluation.shared_deviations import DeviationCounts, Quorum

__all__ = [
    "LEAST_ANNOTATORS",
    "MOST_ANNOTATORS",
    "Kin",
    "can_have_kin",
    "count_deviations",
    "find_kin",
    "kin_of",
    "kin_weights",
    "vote_weights",
]

LEAST_ANNOTATORS = 4
MOST_ANNOTATORS = 2000  # of more, tables of all pairs would fill the memory; so many share too little anyway


def find_kin(corpus: Corpus) -> tuple[Kin, ...]:
    """The pairs of annotators who depend on each other, in the order of their numbers.

    Where it cannot be told there is no pair.
    """
    if not can_have_kin(len(corpus.annotators)):
        return ()
    return kin_of(AgreementCounts.of(corpus), lambda asked: count_deviations(corpus, asked))


def can_have_kin(n_annotators: int) -> bool:
    """Whether so many annotators can be compared at all."""
    return LEAST_ANNOTATORS <= n_annotators <= MOST_ANNOTATORS


def kin_of(counts: AgreementCounts, count: "Callable[[Quorum], DeviationCounts]") -> tuple[Kin, ...]:
    """The same from what was counted of a corpus, or of all its shards; `count` counts what pairs share."""
    agreements = Agreements.of_counts(counts)
    found = kin_by_tetrads(agreements)
    if found is None:
        return ()
    if counts.by_label is None and agreements.are_close.any():  # a plain tag is never left out
        from crowdseq.evaluation.deviating_kin import confirmed, deviating_kin  # few agree so well

        found = confirmed(agreements, found, count)
        found += deviating_kin(agreements, found, count)
        told = {pair[:2] for pair in found}
        found += [pair for pair in twins(agreements) if pair[:2] not in told]
    return tuple(sorted([*found, *relatives(agreements, found)]))


def count_deviations(corpus: Corpus, asked: "Quorum") -> "DeviationCounts":
    """What pairs share of a corpus, or of whole documents of it: what `kin_of` asks for."""
    from crowdseq.evaluation.shared_deviations import DeviationCounts  # few agree so well

    return DeviationCounts.of(corpus, asked)


def kin_weights(corpus: Corpus, kin: tuple[Kin, ...]) -> FloatArray:
    """(R,) for each row of the annotations 1 / (1 + dependence on those who labelled the sentence too)."""
    crowd, size = corpus.annotations, len(corpus.annotators)
    weights: FloatArray = np.ones(len(crowd.voters))
    if not kin:
        return weights
    first, second, _, _, values = (np.array(column) for column in zip(*kin, strict=True))
    ties = sparse.csr_matrix((values, (first, second)), shape=(size, size))
    cells = np.repeat(np.arange(len(crowd.voters)), crowd.lengths[crowd.row_sentences])
    rows = np.flatnonzero(np.bincount(cells[crowd.tags >= 0], minlength=len(weights)))
    where = crowd.row_sentences[rows], crowd.voters[rows]
    present = sparse.csr_matrix((np.ones(len(rows)), where), shape=(len(corpus), size))
    if len(rows):
        weights[rows] += np.asarray((present @ (ties + ties.T))[where]).ravel()
    return 1.0 / weights


def vote_weights(corpus: Corpus, kin: tuple[Kin, ...]) -> FloatArray | None:
    """(V,) the same for each single vote, in the order of `votes()`; None where all count once."""
    if not kin:
        return None
    crowd = corpus.annotations
    lengths = crowd.lengths[crowd.row_sentences]
    cells = np.repeat(kin_weights(corpus, kin), lengths)
    tokens = gather_ranges(corpus.offsets[crowd.row_sentences], lengths)
    said = crowd.tags >= 0
    return cells[said][np.argsort(tokens[said], kind="stable")]
