"""Layers: overlapping spans taken apart, so that each part can be solved as labels of tokens."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, split_tag
from crowdseq.core.names import Tags
from crowdseq.core.spans import Span
from crowdseq.core.text import Sentence
from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import GOLD_SPANS, SPANS
from crowdseq.formats.spans.align import Mark, painted, snap, token_span
from crowdseq.formats.spans.from_corpus import Restored, marks_in, restore
from crowdseq.formats.spans.resolve import tell

_MOST_LAYERS = 100  # each is a corpus of its own


@dataclass(frozen=True)
class Layer:
    """Types that never overlap each other, how many spans they have, and the corpus with these alone."""

    types: tuple[str, ...]
    n_spans: int
    corpus: Corpus

    @property
    def name(self) -> str:
        """The types, as the setting `types` takes them."""
        return ",".join(self.types)


class _Row(NamedTuple):
    """What one annotator (None is gold) marked in a sentence, or the tags where only these are known."""

    who: str | None
    marks: list[Mark] | None
    tags: Tags


def split_layers(corpus: Corpus, collector: Collector) -> tuple[Layer, ...]:
    """As few layers as a plain rule gives: the most frequent type first, each into the first that has room.

    Spans of one type inside another of the same type cannot be told apart by type: the longest stays.
    """
    if corpus.scheme.is_plain or not any(SPANS in held for held in corpus.text.extras.values()):
        return (Layer(corpus.scheme.types, 0, corpus),)
    counts, clashes = _look(corpus, collector.settings.cut_tokens)
    groups: list[list[str]] = []
    for kind in sorted(counts, key=lambda kind: (-counts[kind], kind)):
        fitting = (group for group in groups if not any(_pair(kind, other) in clashes for other in group))
        group = next(fitting, None)
        if group is None:
            groups.append(group := [])
        group.append(kind)
    if len(groups) > _MOST_LAYERS:
        what = f"overlapping spans make {len(groups):,} layers, more than {_MOST_LAYERS}:"
        raise FormatError(Problem(what, advice=Advice("choose some types with {types}", types="")))
    return tuple(
        Layer(tuple(sorted(group)), sum(counts[kind] for kind in group), _part(corpus, group, collector))
        for group in groups
    )


def _look(corpus: Corpus, cut: str) -> tuple[Counter[str], set[tuple[str, str]]]:
    """How often each type was marked, and which types share a token of one annotator."""
    counts: Counter[str] = Counter(dict.fromkeys(corpus.scheme.types, 0))
    clashes: set[tuple[str, str]] = set()
    for number, sentence in enumerate(corpus.sentences):
        restored = restore(sentence)
        for row in _rows(corpus, number, sentence, restored):
            if row.marks is None:
                counts.update(split_tag(tag)[1] for tag in row.tags if tag and tag[:2] in ("B-", "S-", "U-"))
                continue
            counts.update(mark.label for mark in row.marks)
            placed = [token_span(mark, restored.starts, restored.ends, cut, []) for mark in row.marks]
            clashes |= _overlaps([span for span in placed if span is not None])
    return counts, clashes


def _overlaps(spans: list[Span]) -> set[tuple[str, str]]:
    """Pairs of types of which two spans share a token."""
    found: set[tuple[str, str]] = set()
    is_open: dict[str, int] = {}  # by type, where the last of its spans ends
    for span in sorted(spans):
        is_open = {label: end for label, end in is_open.items() if end > span.start}
        found.update(_pair(span.label, other) for other in is_open if other != span.label)
        is_open[span.label] = max(span.end, is_open.get(span.label, 0))
    return found


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _rows(corpus: Corpus, number: int, sentence: Sentence, restored: Restored) -> Iterator[_Row]:
    ballot = corpus.annotations.ballots[number]
    spans = sentence.extras.get(SPANS)
    by_name: Mapping[str, Any] = spans if isinstance(spans, Mapping) else {}
    for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
        name = corpus.annotators[voter]
        yield _Row(name, marks_in(by_name.get(name), restored), _spelt(corpus, tags))
    if corpus.has_gold[number]:
        first, last = corpus.offsets[number], corpus.offsets[number + 1]
        tags = corpus.gold_tags[first:last].tolist()
        yield _Row(None, marks_in(sentence.extras.get(GOLD_SPANS), restored), _spelt(corpus, tags))


def _spelt(corpus: Corpus, tags: Sequence[int]) -> Tags:
    return [corpus.scheme.tags[tag] if tag >= 0 else None for tag in tags]


def _part(corpus: Corpus, types: Sequence[str], collector: Collector) -> Corpus:
    """The corpus with the spans of some types alone."""
    builder = CorpusBuilder()
    wanted = frozenset(types)
    for number, sentence in enumerate(corpus.sentences):
        restored = restore(sentence)
        rows = list(_rows(corpus, number, sentence, restored))
        tags = {row.who: _tags(row, restored, wanted, collector) for row in rows}
        gold = tags.pop(None, None)
        votes = {who: row for who, row in tags.items() if who is not None}
        extras = _extras(sentence, wanted)
        builder.add(Record(sentence.tokens, sentence.id, sentence.doc, votes, gold, sentence.columns, extras))
    return builder.build(corpus.scheme.kind)


def _tags(row: _Row, restored: Restored, types: frozenset[str], collector: Collector) -> Tags:
    if row.marks is None:
        return [tag if tag is None or split_tag(tag)[1] in types else OUTSIDE for tag in row.tags]
    marks = [mark for mark in row.marks if mark.label in types]
    snapped = snap(marks, restored.starts, restored.ends, cut=collector.settings.cut_tokens)
    for event in snapped.events:
        if event.kind == "overlap":  # whatever else befell the marks was told when they were read
            tell("overlap", event.mark, collector, Problem("", record=restored.sentence.id))
    return painted(snapped.spans, len(restored.starts))


def _extras(sentence: Sentence, types: frozenset[str]) -> dict[str, Any]:
    extras = dict(sentence.extras)
    spans = extras.get(SPANS)
    if isinstance(spans, Mapping):
        extras[SPANS] = {name: _kept(marks, types) for name, marks in spans.items()}
    if GOLD_SPANS in extras:
        extras[GOLD_SPANS] = _kept(extras[GOLD_SPANS], types)
    return extras


def _kept(marks: Any, types: frozenset[str]) -> Any:
    if not isinstance(marks, list):
        return marks
    return [mark for mark in marks if not isinstance(mark, list) or len(mark) != 3 or mark[2] in types]
