"""What became of each mention, told slowly and from the tags alone; and gold corpora to try it on."""

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import Span, encode
from crowdseq.simulation.profiles import ErrorWeights
from span_oracles import slow_spans

SPURIOUS = "spurious"


@dataclass(frozen=True)
class Outcome:
    """One mention in the hands of one annotator; `told` tells one error of a kind from another."""

    kind: str
    told: tuple[object, ...]
    annotator: str
    mention: tuple[object, ...]  # document, words, type


def passes(crowd: Corpus, *, lenient: bool = False) -> Iterator[tuple[int, str, set[Span], set[Span]]]:
    """Sentence, annotator, gold spans and given spans, for every ballot row."""
    for number, ballot in enumerate(crowd.annotations.ballots):
        gold = set(slow_spans(crowd.scheme, crowd.gold[number], lenient=True))
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            given = set(slow_spans(crowd.scheme, crowd.scheme.names(tags), lenient=lenient))
            yield number, crowd.annotators[voter], gold, given


def outcomes(crowd: Corpus) -> list[Outcome]:
    """All mentions in the order of the text, and one outcome for every mark that overlaps no mention."""
    found = []
    for number, annotator, gold, given in passes(crowd, lenient=True):
        sentence = crowd.sentences[number]
        doc = sentence.doc if sentence.doc is not None else sentence.id
        for span in sorted(gold):
            kind, told = _outcome(span, gold, given)
            mention = (doc, sentence.tokens[span.start : span.end], span.label)
            found.append(Outcome(kind, told, annotator, mention))
        for span in sorted(given):
            if not any(_overlap(span, other) for other in gold):
                words = sentence.tokens[span.start : span.end]
                found.append(Outcome(SPURIOUS, (span.label,), annotator, (doc, words, None)))
    return found


def _outcome(span: Span, gold: set[Span], given: set[Span]) -> tuple[str, tuple[object, ...]]:
    over = sorted(mark for mark in given if _overlap(mark, span))
    if span in given:
        return "right", ()
    if not over:
        return "missed", ()
    if len(over) > 1:
        return "split", tuple((mark.start - span.start, mark.end - span.start) for mark in over)
    mark = over[0]
    if sum(_overlap(mark, other) for other in gold) > 1:
        return "merge", ()
    moved = (mark.start - span.start, mark.end - span.end)
    if moved == (0, 0):
        return "type", (mark.label,)
    if moved[0] >= 0 >= moved[1]:
        return "shrink", moved
    return ("extend" if moved[0] <= 0 <= moved[1] else "shift"), moved


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def kind_counts(crowd: Corpus) -> Counter[str]:
    return Counter(outcome.kind for outcome in outcomes(crowd))


def counted(crowd: Corpus, *, lenient: bool = False) -> dict[str, tuple[int, int, int]]:
    """Annotator to right marks, all marks, and mentions of the sentences that they saw."""
    counts = {name: np.zeros(3, np.int64) for name in crowd.annotators}
    for _, annotator, gold, given in passes(crowd, lenient=lenient):
        counts[annotator] += (len(gold & given), len(given), len(gold))
    return {name: (int(row[0]), int(row[1]), int(row[2])) for name, row in counts.items()}


def repeated_alike(crowd: Corpus, kind: str | None = None) -> float:
    """Of the mentions that come back after an error (of a kind), the share that meets the same one again."""
    last: dict[tuple[object, ...], Outcome] = {}
    alike = []
    for outcome in outcomes(crowd):
        key = (outcome.annotator, outcome.mention)
        before = last.get(key)
        if before is not None and before.kind not in ("right", SPURIOUS) and kind in (None, before.kind):
            alike.append((before.kind, before.told) == (outcome.kind, outcome.told))
        last[key] = outcome
    return float(np.mean(alike))


def only(**weights: float) -> ErrorWeights:
    """Weights that are 0 but for those given."""
    none = dict.fromkeys(("shrink", "extend", "shift", "type", "split", "merge", "missed", "spurious"), 0.0)
    return ErrorWeights(**{**none, **weights})


def gold_corpus(
    seed: int,
    *,
    sentences: int = 200,
    kind: str = "IOB2",
    types: tuple[str, ...] = ("LOC", "ORG", "PER"),
    lengths: tuple[int, ...] = (1, 2, 3),
    gaps: tuple[int, ...] = (1, 3, 5),
    names: int = 30,
    documents: int = 20,
) -> Corpus:
    """Sentences of mentions and other words by turns; the same names come back within a document."""
    rng = np.random.default_rng(seed)
    scheme = LabelScheme.of_types(types, kind)
    builder = CorpusBuilder()
    for number in range(sentences):
        tokens: list[str] = []
        spans: list[Span] = []
        for _ in range(int(rng.integers(1, 5))):
            tokens += [f"w{word}" for word in rng.integers(0, 200, rng.choice(gaps)).tolist()]
            length, name = int(rng.choice(lengths)), int(rng.integers(names))
            spans.append(Span(len(tokens), len(tokens) + length, types[name % len(types)]))
            tokens += [f"N{name}-{part}" for part in range(length)]
        tokens += [f"w{word}" for word in rng.integers(0, 200, rng.choice(gaps)).tolist()]
        doc = f"d{number * documents // sentences}"
        builder.add(Record(tokens, doc=doc, gold=encode(scheme, spans, len(tokens))))
    return builder.build(scheme)


def plain_corpus(seed: int, *, sentences: int = 100, tags: str = "NVADP") -> Corpus:
    """Words with a part of speech; the first tags are the commonest."""
    rng = np.random.default_rng(seed)
    shares = 0.5 ** np.arange(len(tags))
    builder = CorpusBuilder()
    for number in range(sentences):
        words = rng.integers(0, 60, int(rng.integers(3, 15))).tolist()
        gold = [tags[int(rng.choice(len(tags), p=shares / shares.sum()))] for _ in words]
        builder.add(Record([f"w{word}" for word in words], doc=f"d{number // 10}", gold=gold))
    return builder.build(LabelScheme.plain(tags))


def real_gold(folder: Path, name: str, most_sentences: int | None = None) -> Corpus:
    """The training part of one of the real corpora, or its first sentences."""
    builder, document = CorpusBuilder(), None
    with gzip.open(folder / name / "train.conll.gz", "rt", encoding="utf-8") as lines:
        blocks = lines.read().strip("\n").split("\n\n")
    for place, block in enumerate(blocks):
        rows = [line.split("\t") for line in block.split("\n")]
        if rows[0][0] == "-DOCSTART-":
            document = f"d{place}"
            continue
        builder.add(Record([row[0] for row in rows], doc=document, gold=[row[-1] for row in rows]))
        if len(builder) == most_sentences:
            break
    return builder.build("IOB2")
