"""Casts in which it is known who copies whom, and kinship counted span by span."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import Span, decode, encode
from crowdseq.evaluation.kinship import Kin
from crowdseq.evaluation.pair_agreements import Agreements

TYPES = ("LOC", "ORG", "PER")


def drawn_cast(
    skills: dict[str, float],
    copies: dict[str, tuple[str, float]] | None = None,
    *,
    sentences: int = 300,
    seen: float = 1.0,
    seed: int = 0,
) -> Corpus:
    """People who draw each true span rightly with their skill and else draw another or none, and copies:
    name to (who is copied, share of spans that are changed)."""
    rng = np.random.default_rng(seed)
    scheme, builder = LabelScheme.of_types(TYPES), CorpusBuilder()
    for number in range(sentences):
        truth = [Span(start, start + int(rng.integers(1, 3)), str(rng.choice(TYPES))) for start in (0, 4, 8)]
        drawn = {name: _misread(truth, 1.0 - skill, rng) for name, skill in skills.items()}
        for name, (source, changes) in (copies or {}).items():
            drawn[name] = _misread(drawn[source], changes, rng)
        votes = {name: encode(scheme, spans, 12) for name, spans in drawn.items() if rng.random() < seen}
        builder.add(Record(["x"] * 12, f"s{number}", None, votes, encode(scheme, truth, 12)))
    return builder.build(scheme)


def _misread(spans: Sequence[Span], errors: float, rng: np.random.Generator) -> list[Span]:
    read = []
    for span in spans:
        if rng.random() >= errors:
            read.append(span)
        elif rng.random() < 2 / 3:
            other = str(rng.choice([kind for kind in TYPES if kind != span.label]))
            read.append(Span(span.start, span.end + int(rng.integers(2)), other))
    return read


def slow_agreement(corpus: Corpus, first: int, second: int) -> tuple[float, float]:
    """Span F1 of two annotators before anything is lent, and half their spans, where both labelled."""
    common, total = 0, 0
    for ballot in corpus.annotations.ballots:
        voters = ballot.voters.tolist()
        if first not in voters or second not in voters:
            continue
        rows = [ballot.tags[voters.index(k)] for k in (first, second)]
        sides = [set(decode(corpus.scheme, corpus.scheme.names(row))) for row in rows]
        for side, other in ((0, 1), (1, 0)):
            sides[side] = {span for span in sides[side] if (rows[other][span.start : span.end] >= 0).all()}
        common += len(sides[0] & sides[1])
        total += len(sides[0]) + len(sides[1])
    return (2.0 * common / total if total else 0.0), total / 2.0


def slow_expected(agreements: Agreements, first: int, second: int) -> float:
    """What all witnesses foretell of a pair: the upper quartile, combination by combination."""
    values, shared, errors = agreements.values, agreements.shared, agreements.errors
    witnesses = [
        i
        for i in range(len(values))
        if i not in (first, second)
        and all(shared[k, i] >= 30 and values[k, i] >= 0.2 for k in (first, second))
        and all(values[k, i] + 1.5 * errors[k, i] < values[first, second] for k in (first, second))
    ]
    foretold = []
    for i, j in product(witnesses, witnesses):
        if i != j and shared[i, j] >= 30 and values[i, j] >= 0.2:
            cells = [(first, i), (second, j), (i, j)]
            noise = sum((errors[cell] / values[cell]) ** 2 for cell in cells)
            weight = values[first, i] * values[second, j] / (noise + 1e-4)
            foretold.append((values[first, i] * values[second, j] / values[i, j], weight))
    total, reached = sum(weight for _, weight in foretold), 0.0
    for value, weight in sorted(foretold):
        reached += weight
        if reached >= 0.75 * total - 1e-12:
            return float(value)
    return float("nan")


def slow_weights(corpus: Corpus, kin: Sequence[Kin]) -> list[float]:
    """One number for each annotator of each sentence."""
    weights = []
    for ballot in corpus.annotations.ballots:
        voters = ballot.voters.tolist()
        spoke = {k for k, row in zip(voters, ballot.tags, strict=True) if (row >= 0).any()}
        for k in voters:
            ties = [pair.dependence for pair in kin if k in pair[:2] and {*pair[:2]} <= spoke]
            weights.append(1.0 / (1.0 + sum(ties)))
    return weights


def slow_answers(
    corpus: Corpus, first: int, second: int, witnesses: Sequence[int]
) -> tuple[Counter[tuple[bool, bool, tuple[int, ...]]], list[int]]:
    """Span by span: whether each of a pair drew it, and what witnesses did (0 left it out, 1 drew it, 2 did
    not label it); and how many that neither but two witnesses drew each document has."""
    answers: Counter[tuple[bool, bool, tuple[int, ...]]] = Counter()
    together: Counter[object] = Counter()
    for ballot, sentence in zip(corpus.annotations.ballots, corpus.sentences, strict=True):
        voters = ballot.voters.tolist()
        rows = {k: ballot.tags[place] for place, k in enumerate(voters)}
        drawn = {k: set(decode(corpus.scheme, corpus.scheme.names(row))) for k, row in rows.items()}
        for span in set().union(*drawn.values()):
            seen = {k for k in voters if (rows[k][span.start : span.end] >= 0).all()}
            if not {first, second} <= seen:
                continue
            said = tuple(2 if k not in seen else int(span in drawn[k]) for k in witnesses)
            pair = span in drawn[first], span in drawn[second]
            answers[*pair, said] += 1
            together[sentence.doc or sentence.id] += not any(pair) and said.count(1) >= 2
    return answers, list(together.values())


def slow_deviations(
    answers: Mapping[tuple[bool, bool, tuple[int, ...]], int], start: Sequence[Any], *, together: bool
) -> tuple[float, dict[tuple[bool, bool], float]]:
    """Two classes of spans by EM, answer after answer: likelihood, and true spans by who drew."""
    sides = [(True, True), (True, False), (False, True), (False, False)]
    share, of_true, of_invented, right, wrong = start
    shares, pair = (
        [share, 1.0 - share],
        [dict(zip(sides, part, strict=True)) for part in (of_true, of_invented)],
    )
    known = {key: n for key, n in answers.items() if any(key[:2]) or 1 in key[2]}
    width = len(next(iter(known))[2])
    rates = [[right] * width, [wrong] * width]
    sizes: Counter[tuple[int, ...]] = Counter()
    for (_, _, said), n in known.items():
        sizes[tuple(2 if one == 2 else 0 for one in said)] += n

    def chance(kind: int, side: tuple[bool, bool], said: tuple[int, ...]) -> float:
        result = shares[kind] * pair[kind][side]
        for rate, one in zip(rates[kind], said, strict=True):
            result *= {0: 1.0 - rate, 1: rate, 2: 1.0}[one]
        return float(result)

    for _ in range(60):
        likelihood, spans, true = 0.0, [], dict.fromkeys(sides, 0.0)
        for (one, other, said), n in known.items():
            parts = [chance(kind, (one, other), said) for kind in (0, 1)]
            likelihood += n * math.log(sum(parts))
            spans += [(kind, (one, other), said, n * parts[kind] / sum(parts)) for kind in (0, 1)]
            true[one, other] += n * parts[0] / sum(parts)
        for said, n in sizes.items():
            parts = [chance(kind, (False, False), said) for kind in (0, 1)]
            unseen = min(sum(parts), 0.8)
            likelihood -= n * math.log(1.0 - unseen)
            more = n * unseen / (1.0 - unseen)
            spans += [(kind, (False, False), said, more * parts[kind] / sum(parts)) for kind in (0, 1)]
        for kind in (0, 1):
            drawn = {side: 0.01 + sum(n for z, s, _, n in spans if z == kind and s == side) for side in sides}
            total = sum(drawn.values())
            pair[kind] = {side: n / total for side, n in drawn.items()}
            if not together:
                k, m = (sum(pair[kind][side] for side in sides if side[part]) for part in (0, 1))
                pair[kind] = {(a, b): (k if a else 1 - k) * (m if b else 1 - m) for a, b in sides}
            for w in range(width):
                yes, no = (
                    sum(n for z, _, said, n in spans if z == kind and said[w] == one) for one in (1, 0)
                )
                rates[kind][w] = (yes + 0.05) / (yes + no + 0.1)
        sums = [sum(n for z, _, _, n in spans if z == kind) for kind in (0, 1)]
        shares = [one / sum(sums) for one in sums]
    return likelihood, true
