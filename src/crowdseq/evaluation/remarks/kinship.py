"""Remarks on whom to believe: who copies whom, and what too few annotators cannot tell."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from scipy import sparse

from crowdseq.core.consensus import Remark
from crowdseq.core.names import listed, percent, short
from crowdseq.evaluation.crowd_profile import CrowdView
from crowdseq.evaluation.kinship import LEAST_ANNOTATORS, MOST_ANNOTATORS, Kin
from crowdseq.evaluation.pair_agreements import LEAST_SHARED, AgreementCounts

_FEW_MARKS = 100  # tokens that one of two or both marked: fewer may be chance
_OFTEN = 0.4  # of these, on which the two differ; good people come to a third


def families(seen: CrowdView, kin: Sequence[Kin], kinship: bool) -> Iterator[Remark]:
    """Each family of annotators who depend on each other; kinship: whether their votes count less."""
    size = len(seen.corpus.annotators)
    if not kin:
        return
    first, second, agreement, expected, dependence = (np.array(column) for column in zip(*kin, strict=True))
    ties = sparse.csr_matrix((dependence, (first, second)), shape=(size, size))
    links = sparse.csr_matrix((np.ones(len(first)), (first, second)), shape=(size, size))
    from scipy.sparse import csgraph  # takes long to load, and few runs need it

    _, family_of = csgraph.connected_components(links, directed=False)
    sums = np.asarray((ties + ties.T).sum(axis=1)).ravel()
    for family in np.unique(family_of[first]).tolist():
        members, pairs = np.flatnonzero(family_of == family), family_of[first] == family
        votes = float((1.0 / (1.0 + sums[members])).sum())
        found, due = float(agreement[pairs].mean()), float(expected[pairs].mean())
        unit = "agreement" if seen.corpus.scheme.is_plain else "F1"
        counted = (
            f"counted as {votes:.1f} votes"
            if kinship
            else "each counts in full; the setting kinship can change it"
        )
        yield Remark(
            "kin",
            f"{listed(seen.names(members))} agree far more than independent annotators would (pairwise "
            f"{unit} {short(found)}, expected {short(due)}): {counted}",
            "note" if kinship else "warning",
            {
                "annotators": seen.names(members),
                "agreement": round(found, 4),
                "expected": round(due, 4),
                "votes": round(votes, 3) if kinship else float(len(members)),
            },
        )


def unknown_kin(seen: CrowdView, kin: Sequence[Kin]) -> Iterator[Remark]:
    """Copies are told by what two others foretell of a pair, all four of whom must share text; kin: who are
    known all the same."""
    if len(seen.working) < 2 or not (seen.voters > 1).any():
        return
    evidence = {"annotators": float(len(seen.working))}
    if len(seen.corpus.annotators) > MOST_ANNOTATORS:
        text = f"more than {MOST_ANNOTATORS:,} annotators: whether one copies another is not looked into"
        yield Remark("kinship-unknown", text, "note", evidence)
    elif seen.voters.max() < LEAST_ANNOTATORS and not _four_share_text(seen):
        few = len(seen.working) < LEAST_ANNOTATORS
        who = "fewer than four annotators" if few else "no four annotators share text with each other"
        beyond = "beyond those who never differ, " if kin else ""
        text = f"{who}: {beyond}whether one copies another cannot be told"
        yield Remark("kinship-unknown", text, "note", evidence)
        yield from _twins(seen, {pair[:2] for pair in kin})


def _four_share_text(seen: CrowdView) -> bool:
    """Whether there are four of whom every two labelled some sentence both."""
    crowd, size = seen.corpus.annotations, len(seen.corpus.annotators)
    rows = (np.ones(len(crowd.voters)), (crowd.voters, crowd.row_sentences))
    saw = sparse.csr_matrix(rows, shape=(size, len(seen.corpus)))
    shares = (saw @ saw.T).toarray() > 0
    np.fill_diagonal(shares, False)
    for first, second in zip(*np.nonzero(np.triu(shares)), strict=True):
        others = np.flatnonzero(shares[first] & shares[second])
        if len(others) > 1 and shares[np.ix_(others, others)].any():
            return True
    return False


def _twins(seen: CrowdView, known: Collection[tuple[int, int]]) -> Iterator[Remark]:
    """Two who never differ and are not known to be kin, where nothing else could tell that one is a copy."""
    counts = AgreementCounts.of(seen.corpus)
    values, shared = counts.measured()
    np.fill_diagonal(shared, 0.0)
    alike = np.triu((values == 1.0) & (shared >= LEAST_SHARED))
    for first, second in zip(*(column.tolist() for column in np.nonzero(alike)), strict=True):
        if (first, second) in known:
            continue
        names = seen.names(np.array([first, second]))
        text = (
            f"{names[0]} and {names[1]} have the same labels wherever they share text: is one a copy of the "
            "other, or was one file read twice?"
        )
        yield Remark("twins", text, "warning", {"annotators": names, "spans": float(shared[first, second])})


def undecided(seen: CrowdView) -> Iterator[Remark]:
    """Two who differ much, and nobody else beside either: votes do not say whom to believe, whatever a method
    does. Of people who mark nothing nothing follows."""
    if seen.are_sources or seen.witnesses.max() != 2:
        return
    tells = ~seen.profile.blank[seen.votes.annotators]
    shared = tells & (seen.witnesses[seen.votes.tokens] == 2)
    people = np.sort(
        seen.votes.annotators[shared].reshape(-1, 2), axis=1
    )  # votes stand in the order of tokens
    labels, size = seen.votes.labels[shared].reshape(-1, 2), len(seen.profile.blank)
    met = np.unique(people[:, 0].astype(np.int64) * size + people[:, 1])
    partners = np.bincount(np.concatenate([met // size, met % size]), minlength=size)
    apart = (partners[people] == 1).all(axis=1) & (labels != seen.corpus.scheme.outside).any(axis=1)
    # Who has one partner is in one pair, which its first member names.
    marked = np.bincount(people[apart, 0], minlength=size)
    differing = np.bincount(people[apart, 0], labels[apart, 0] != labels[apart, 1], minlength=size)
    much = (marked >= _FEW_MARKS) & (differing >= _OFTEN * marked)
    apart &= much[people[:, 0]]
    if not apart.any():
        return
    share = float(differing[much].sum() / marked[much].sum())
    names = seen.names(np.unique(people[apart]))
    who = f"{names[0]} and {names[1]}" if len(names) == 2 else f"two by two, {listed(names)}"
    text = (
        f"{who} differ on {percent(share)} of the tokens that either marked, and nobody else speaks on "
        "these: who is right is a guess, and so are verdicts; let a third label some of them"
    )
    evidence = {"annotators": names, "share": round(share, 4), "tokens": float(apart.sum())}
    yield Remark("undecided", text, "warning", evidence)
