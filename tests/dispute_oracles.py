"""Disputes found slowly: sentence by sentence, annotator by annotator, by sets."""

from collections import Counter

import numpy as np

from builders import random_tags
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.evaluation.disputes import Dispute, Mark

Marks = tuple[Mark, ...]
Found = tuple[int, int, int]  # sentence, begin, end


def marks_of(corpus: Corpus, tags: list[str | None]) -> list[Mark]:
    if corpus.scheme.is_plain:
        return [Mark(place, place + 1, tag) for place, tag in enumerate(tags) if tag is not None]
    return [Mark(span.start, span.end, span.label) for span in decode(corpus.scheme, tags, lenient=True)]


def regions_of(marks: list[Mark]) -> list[tuple[int, int]]:
    """Ranges of tokens that the marks cover without a cut between any two marks."""
    ranges = [(mark.begin, mark.end) for mark in marks]
    while True:
        merged = _merge_once(ranges)
        if merged == sorted(set(ranges)):
            return merged
        ranges = merged


def _merge_once(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found = []
    for one in ranges:
        touching = [other for other in ranges if one[0] < other[1] and other[0] < one[1]]
        found.append((min(t[0] for t in touching), max(t[1] for t in touching)))
    return sorted(set(found))


def slow_disputes(corpus: Corpus, consensus: Consensus) -> dict[Found, tuple[Marks, dict[int, Marks]]]:
    """For every dispute what is settled, and what everybody who saw it reads."""
    found = {}
    for sentence in range(len(corpus)):
        settled = marks_of(corpus, list(consensus.tags[sentence]))
        ballot = corpus.annotations.ballots[sentence]
        rows = {
            who: list(corpus.scheme.names(tags))
            for who, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        given = {who: marks_of(corpus, tags) for who, tags in rows.items()}
        for begin, end in regions_of([*settled, *(mark for marks in given.values() for mark in marks)]):
            held = {
                who: _inside(marks, begin, end)
                for who, marks in given.items()
                if None not in rows[who][begin:end] or _inside(marks, begin, end)
            }
            says = _inside(settled, begin, end)
            if held and set(held.values()) != {says}:
                found[sentence, begin, end] = says, held
    return found


def _inside(marks: list[Mark], begin: int, end: int) -> Marks:
    return tuple(mark for mark in marks if begin <= mark.begin and mark.end <= end)


def slow_kinds(says: Marks, held: dict[int, Marks]) -> set[str]:
    readings = {says, *held.values()}
    kinds = {"missed"} if () in readings else set()
    for one in readings:
        for other in readings - {one}:
            for left in one:
                for right in other:
                    if left.begin < right.end and right.begin < left.end:
                        kinds |= {"type"} if left.label != right.label else set()
                        kinds |= {"boundary"} if (left.begin, left.end) != (right.begin, right.end) else set()
    return kinds


def slow_probability(consensus: Consensus, dispute: Dispute, marks: Marks) -> float:
    """The least probability of a token's tag, if the place held just these marks."""
    scheme, first = consensus.corpus.scheme, int(consensus.corpus.offsets[dispute.sentence])
    tags = {}
    for mark in marks:
        for place in range(mark.begin, mark.end):
            fitting = [
                tag
                for tag in (scheme.tags if scheme.is_plain else _shapes(mark.label))
                if tag in scheme.index
                and mark.label in [one.label for one in marks_of(consensus.corpus, [tag])]
            ]
            tags[place] = _tag(scheme.kind, place == mark.begin, place == mark.end - 1, mark.label, fitting)
    return min(
        float(consensus.probabilities[first + place, scheme.index[tags.get(place, "O")]])
        for place in range(dispute.begin, dispute.end)
    )


def _shapes(label: str) -> list[str]:
    return [f"{prefix}-{label}" for prefix in "BIESLU"]


def _tag(kind: str, first: bool, last: bool, label: str, fitting: list[str]) -> str:
    if kind == "plain":
        return fitting[0]
    letters = {
        "IO": "IIII",
        "IOB1": "IIII",
        "IOB2": "BBII",
        "BIOES": "SBEI",
        "BILOU": "UBLI",
    }[kind]
    shape = 0 if first and last else 1 if first else 2 if last else 3
    return f"{letters[shape]}-{label}"


def slow_label_pairs(disputes: list[tuple[Marks, dict[int, Marks]]]) -> Counter[tuple[str, str | None]]:
    """How many disputes are about each pair."""
    counts: Counter[tuple[str, str | None]] = Counter()
    for says, held in disputes:
        readings = {says, *held.values()}
        every = {mark for reading in readings for mark in reading}
        pairs: set[tuple[str, str | None]] = {
            (min(one.label, other.label), max(one.label, other.label))
            for one in every
            for other in every
            if one.label != other.label and one.begin < other.end and other.begin < one.end
        }
        if () in readings:
            pairs |= {(mark.label, None) for mark in every}
        counts.update(pairs)
    return counts


def labels_of(marks: Marks) -> set[str | None]:
    labels: set[str | None] = {mark.label for mark in marks}
    return labels or {None}


def people_by_label(disputes: list[tuple[Marks, dict[int, Marks]]]) -> Counter[str | None]:
    counts: Counter[str | None] = Counter()
    for _, held in disputes:
        for marks in held.values():
            counts.update(labels_of(marks))
    return counts


def random_consensus(corpus: Corpus, seed: int) -> Consensus:
    """Any valid tags with any probabilities: what disputes are does not hang on how they were settled."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(corpus.scheme), 0.4), corpus.n_tokens)
    tags = [random_tags(rng, corpus.scheme, size) for size in corpus.text.lengths.tolist()]
    return Consensus(corpus, np.concatenate([np.zeros(0, np.int16), *tags]), shares, ())
