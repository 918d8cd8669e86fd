"""Errors in common and how many chance would give, counted vote by vote."""

from collections import Counter

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus

_LENT = 5.0
_EASE = 1.0


def slow_common_errors(
    corpus: Corpus, tag_ids: IntArray, first: int, second: int
) -> tuple[int, float, float, float]:
    """Shared wrong votes of two annotators, those expected, and the errors of either where both voted."""
    votes = _votes_by_token(corpus)
    counts, seen = Counter[tuple[int, int, int]](), Counter[tuple[int, int]]()
    for token, given in enumerate(votes):
        for voter, label in given.items():
            counts[voter, int(tag_ids[token]), label] += 1
            seen[voter, int(tag_ids[token])] += 1

    def rate(voter: int, truth: int, label: int) -> float:
        everybody = range(len(corpus.annotators))
        pooled = sum(counts[k, truth, label] for k in everybody) / sum(seen[k, truth] for k in everybody)
        return (counts[voter, truth, label] + _LENT * pooled) / (seen[voter, truth] + _LENT)

    shared, expected, errors = 0, 0.0, [0.0, 0.0]
    for token, given in enumerate(votes):
        truth = int(tag_ids[token])
        for side, (one, other) in enumerate(((first, second), (second, first))):
            label = given.get(one, truth)
            if label in (truth, corpus.scheme.outside) or other not in given:
                continue
            rest = {voter: said for voter, said in given.items() if voter != other}
            hard = (_EASE + sum(said == label for said in rest.values())) / (
                _EASE + sum(rate(voter, truth, label) for voter in rest)
            )
            expected += min(1.0, hard * rate(other, truth, label)) / 2
            errors[side] += 1
            shared += side == 0 and given[other] == label
    return shared, expected, errors[0], errors[1]


def _votes_by_token(corpus: Corpus) -> list[dict[int, int]]:
    found: list[dict[int, int]] = [{} for _ in range(corpus.n_tokens)]
    votes = corpus.annotations.votes()
    for token, voter, label in zip(*(array.tolist() for array in votes), strict=True):
        found[token][voter] = label
    return found
