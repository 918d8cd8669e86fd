"""Agreement worked out from lists of votes, one definition after the other, in exact fractions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span
from span_oracles import slow_spans

Unit = list[str]  # the votes on one token


def vote_units(corpus: Corpus, document: int | None = None) -> list[Unit]:
    """The votes on every token of a corpus, or of one of its documents."""
    return [
        [votes[name] for name in sorted(votes)]
        for place, sentence in enumerate(_votes(corpus))
        if document is None or corpus.text.document_of[place] == document
        for votes in sentence
    ]


def paired_votes(
    corpus: Corpus, first: str, second: str, document: int | None = None
) -> list[tuple[str, str]]:
    """What two annotators said of the tokens that both labelled."""
    return [
        (votes[first], votes[second])
        for place, sentence in enumerate(_votes(corpus))
        if document is None or corpus.text.document_of[place] == document
        for votes in sentence
        if first in votes and second in votes
    ]


def _votes(corpus: Corpus) -> Iterable[list[dict[str, str]]]:
    """For every sentence and token: annotator to tag."""
    for sentence, ballot in zip(corpus.sentences, corpus.annotations.ballots, strict=True):
        tokens: list[dict[str, str]] = [{} for _ in sentence.tokens]
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            for token, tag in zip(tokens, corpus.scheme.names(tags), strict=True):
                if tag is not None:
                    token[corpus.annotators[voter]] = tag
        yield tokens


def one_against_rest(units: Sequence[Sequence[str]], label: str) -> list[list[str]]:
    """The same votes with every other label called `rest`."""
    return [[vote if vote == label else "rest" for vote in unit] for unit in units]


def slow_cohen(pairs: Sequence[tuple[str, str]]) -> Fraction | None:
    """Cohen (1960)."""
    if not pairs:
        return None
    size = len(pairs)
    observed = Fraction(sum(a == b for a, b in pairs), size)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum((Fraction(left[label] * right[label], size**2) for label in left), Fraction(0))
    return None if chance == 1 else (observed - chance) / (1 - chance)


def slow_fleiss(units: Sequence[Unit]) -> Fraction | None:
    """Fleiss (1971), with Gwet's (2014) means over tokens where their numbers of votes differ."""
    seen = [unit for unit in units if unit]
    compared = [unit for unit in seen if len(unit) > 1]
    if not compared:
        return None
    agreements = [
        Fraction(sum(a == b for a, b in combinations(unit, 2)), len(list(combinations(unit, 2))))
        for unit in compared
    ]
    observed = sum(agreements, Fraction(0)) / len(compared)
    labels = {vote for unit in seen for vote in unit}
    shares = [
        sum((Fraction(unit.count(label), len(unit)) for unit in seen), Fraction(0)) / len(seen)
        for label in labels
    ]
    chance = sum((share * share for share in shares), Fraction(0))
    return None if chance == 1 else (observed - chance) / (1 - chance)


def slow_alpha(units: Sequence[Unit]) -> Fraction | None:
    """Krippendorff: one less the observed over the expected disagreement, by ordered pairs of values."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [vote for unit in paired for vote in unit]
    if not values:
        return None
    observed = sum(
        (Fraction(sum(a != b for a, b in permutations(unit, 2)), len(unit) - 1) for unit in paired),
        Fraction(0),
    ) / len(values)
    counts = Counter(values)
    differing = sum(counts[a] * counts[b] for a, b in permutations(counts, 2))
    expected = Fraction(differing, len(values) * (len(values) - 1))
    return None if expected == 0 else 1 - observed / expected


def slow_span_counts(
    corpus: Corpus, first: str, second: str, *, lenient: bool = False, label: str | None = None
) -> tuple[int, int, int]:
    """Spans in both, of the first and of the second, where the other labelled all of their tokens."""
    common = left = right = 0
    for ballot in corpus.annotations.ballots:
        rows = {
            corpus.annotators[voter]: tags for voter, tags in zip(ballot.voters, ballot.tags, strict=True)
        }
        if first in rows and second in rows:
            one, two = (corpus.scheme.names(rows[name]) for name in (first, second))
            mine = _seen_spans(corpus, one, two, lenient, label)
            other = _seen_spans(corpus, two, one, lenient, label)
            common, left, right = common + len(mine & other), left + len(mine), right + len(other)
    return common, left, right


def _seen_spans(
    corpus: Corpus,
    tags: Sequence[str | None],
    others: Sequence[str | None],
    lenient: bool,
    label: str | None,
) -> set[Span]:
    return {
        span
        for span in slow_spans(corpus.scheme, tags, lenient=lenient)
        if None not in others[span.start : span.end] and label in (None, span.label)
    }


def mean(values: Iterable[Fraction | None]) -> Fraction | None:
    """The mean of those that are known."""
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def f1(common: int, left: int, right: int) -> Fraction | None:
    return Fraction(2 * common, left + right) if left + right else None
