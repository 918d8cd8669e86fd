"""Tokens and tags back to text and marked characters, for writers: the user's own where they still hold."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, find_spans
from crowdseq.core.text import Sentence
from crowdseq.errors import AnnotationError
from crowdseq.formats.settings import GOLD_SPANS, OFFSETS, ORIGINAL, PART, SPANS, TEXT
from crowdseq.formats.spans.align import Mark, snap
from crowdseq.formats.spans.kept_text import Document, Normalised, locate, token_bounds
from crowdseq.formats.spans.tokenize import tokenizer

CARRIED = "crowdseq"  # the key under which files of other tools carry what only we know
META = "meta"  # what a tool carries along with a text, under one name whatever the tool calls it
_OWN = frozenset({TEXT, SPANS, GOLD_SPANS, OFFSETS, ORIGINAL, META, PART})
_DIGITS = 6


class Scored(NamedTuple):
    """A mark of a consensus, the smallest confidence of its tokens, and who marked exactly this."""

    mark: Mark
    confidence: float
    agreed: list[str]


@dataclass(frozen=True)
class Restored:
    """One sentence as a text with marks; `carried` is what brings back id, document, tokens and the rest.

    normal: the way from a normalised text, in which marks are kept, to the original, which is given back.
    """

    sentence: Sentence
    text: str
    starts: list[int]
    ends: list[int]
    normal: Normalised | None = None

    def held(self, value: Any) -> list[Mark]:
        """Marks as an extra key of the sentence holds them; none if it holds something else."""
        if self.normal is None:
            return _held(value, len(self.text))
        return list(map(self.normal.mark_to_original, _held(value, len(self.normal.text))))

    def marks(self, spans: Sequence[Span], originals: Any) -> list[Mark]:
        """The characters of spans: those that were marked at first, if they still give these spans."""
        held = self.held(originals)
        if held and snap(held, self.starts, self.ends).spans == list(spans):
            return held
        return [self._mark(span, [held]) for span in spans]

    def _mark(self, span: Span, originals: Sequence[Sequence[Mark]]) -> Mark:
        found: Counter[Mark] = Counter()
        for held in originals:
            snapped = snap([mark for mark in held if mark.label == span.label], self.starts, self.ends)
            found.update(
                mark for there, mark in zip(snapped.spans, snapped.marks, strict=True) if there == span
            )
        if found:
            return max(found, key=found.__getitem__)
        return Mark(self.starts[span.start], self.ends[span.end - 1], span.label)

    def agreed(self, span: Span, names: Sequence[str]) -> Mark:
        """The characters that most of these annotators marked for a span."""
        spans = self.sentence.extras.get(SPANS)
        by_name = spans if isinstance(spans, Mapping) else {}
        return self._mark(span, [self.held(by_name.get(name)) for name in names])

    def carried(self) -> dict[str, Any]:
        """The id and whatever else a text with marks has no place for, to be kept beside it."""
        sentence = self.sentence
        bounds = list(zip(self.starts, self.ends, strict=True))
        made: dict[str, Any] = {"id": sentence.id}
        if sentence.doc is not None:
            made["doc"] = sentence.doc
        if tokenizer("words")(self.text) != bounds:
            made["tokens"] = [list(pair) for pair in bounds]
        if sentence.columns:
            made["columns"] = {name: list(values) for name, values in sentence.columns.items()}
        others = {key: value for key, value in sentence.extras.items() if key not in _OWN}
        return made | ({"extras": others} if others else {})

    @property
    def meta(self) -> dict[str, Any]:
        """What came with the text from the tool it was marked in."""
        found = self.sentence.extras.get(META)
        return dict(found) if isinstance(found, Mapping) else {}


class Crowd(NamedTuple):
    """One sentence with the marks of every annotator who saw it, and of gold."""

    restored: Restored
    votes: dict[str, list[Mark]]
    gold: list[Mark] | None


def restore(sentence: Sentence) -> Restored:
    """The text that tokens came from, if it is known and still fits, else the tokens with spaces between."""
    text, bounds = sentence.extras.get(TEXT), token_places(sentence)
    if bounds is None or not isinstance(text, str):
        text, bounds = " ".join(sentence.tokens), []
        place = 0
        for token in sentence.tokens:
            bounds.append((place, place + len(token)))
            place += len(token) + 1
    normal = _original(sentence, text)
    if normal is not None:
        text, bounds = normal.original, normal.bounds_to_original(bounds)
    return Restored(sentence, text, [start for start, _ in bounds], [end for _, end in bounds], normal)


def token_places(sentence: Sentence) -> list[tuple[int, int]] | None:
    """Where tokens stand in the text that is kept with them; None if there is none or it does not fit."""
    text, offsets = sentence.extras.get(TEXT), sentence.extras.get(OFFSETS)
    if not isinstance(text, str):
        return None
    return _given_bounds(text, offsets, sentence.tokens) or locate(text, sentence.tokens)


def _original(sentence: Sentence, text: str) -> Normalised | None:
    """The way to the original, if the sentence keeps one and it still gives this text."""
    original = sentence.extras.get(ORIGINAL)
    if not isinstance(original, str):
        return None
    normal = Normalised(original)
    try:
        return normal if normal.text == text else None
    except AnnotationError:
        return None


def reclaim(text: str, name: str | None, meta: Mapping[str, Any], carried: Any) -> Document:
    """The document that `carried` was made from, or a new one; meta is what the tool kept with the text."""
    extras: dict[str, Any] = {META: dict(meta)} if meta else {}
    if not isinstance(carried, dict):
        return Document(text, name, extras=extras)
    tokens, columns, others = carried.get("tokens"), carried.get("columns"), carried.get("extras")
    own, doc = carried.get("id"), carried.get("doc")
    if isinstance(others, dict):
        extras |= {key: value for key, value in others.items() if key not in _OWN}
    return Document(
        text,
        own if isinstance(own, str) else name,
        token_bounds(text, tokens) if isinstance(tokens, list) else None,
        doc if isinstance(doc, str) else None,
        columns if isinstance(columns, dict) else {},
        extras,
    )


def crowds(corpus: Corpus) -> Iterator[Crowd]:
    """Every sentence with its marks; `holding.check_holdable` comes first."""
    votes = _spans_of(corpus.annotations.tags, row_bounds(corpus), corpus)
    gold = _spans_of(corpus.gold_tags, corpus.offsets.tolist(), corpus)
    for place, sentence in enumerate(corpus.sentences):
        restored = restore(sentence)
        originals = sentence.extras.get(SPANS)
        by_name = originals if isinstance(originals, Mapping) else {}
        voters = corpus.annotations.ballots[place].voters.tolist()
        names = [corpus.annotators[voter] for voter in voters]
        marks = {name: restored.marks(next(votes), by_name.get(name)) for name in names}
        truth = next(gold)
        has_gold = bool(corpus.has_gold[place])
        yield Crowd(
            restored,
            marks,
            restored.marks(truth, sentence.extras.get(GOLD_SPANS)) if has_gold else None,
        )


def settled(consensus: Consensus) -> Iterator[tuple[Restored, list[Scored]]]:
    """Every sentence with the marks of the consensus."""
    corpus = consensus.corpus
    bounds = corpus.offsets.tolist()
    chosen = _spans_of(consensus.tag_ids, bounds, corpus)
    votes = _spans_of(corpus.annotations.tags, row_bounds(corpus), corpus)
    for place, sentence in enumerate(corpus.sentences):
        restored = restore(sentence)
        voters = corpus.annotations.ballots[place].voters.tolist()
        said = {corpus.annotators[voter]: next(votes) for voter in voters}
        sure = consensus.token_confidence[bounds[place] : bounds[place + 1]]
        found = []
        for span in next(chosen):
            names = [name for name, spans in said.items() if span in spans]
            lowest = round(float(sure[span.start : span.end].min()), _DIGITS)
            found.append(Scored(restored.agreed(span, names), lowest, names))
        yield restored, found


def row_bounds(corpus: Corpus) -> list[int]:
    """Where the row of each annotator in each sentence begins among all votes, and the end of the last."""
    return [*corpus.annotations.row_starts.tolist(), len(corpus.annotations.tags)]


def _spans_of(tags: Any, bounds: Sequence[int], corpus: Corpus) -> Iterator[list[Span]]:
    """The spans of row after row, counted from the beginning of the row."""
    table = find_spans(tags, np.array(bounds), corpus.scheme, lenient=True)
    starts, ends, types = table.starts.tolist(), table.ends.tolist(), table.types.tolist()
    place = 0
    for first, last in pairwise(bounds):
        row: list[Span] = []
        while place < len(starts) and starts[place] < last:
            label = corpus.scheme.types[types[place]]
            row.append(Span(starts[place] - first, ends[place] - first, label))
            place += 1
        yield row


def marks_in(value: Any, restored: Restored) -> list[Mark] | None:
    """Marks as an extra key holds them; None if it holds none, or something else."""
    found = restored.held(value)
    return found if found or value == [] else None


def _held(value: Any, length: int) -> list[Mark]:
    """Marks kept with a sentence; an extra key of that name may hold anything."""
    if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 3 for item in value):
        return []
    kept = [Mark(*item) for item in value if type(item[0]) is type(item[1]) is int and type(item[2]) is str]
    fitting = len(kept) == len(value) and all(0 <= mark.start <= mark.end <= length for mark in kept)
    return kept if fitting else []


def _given_bounds(text: str, offsets: Any, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    if not isinstance(offsets, list) or len(offsets) != len(tokens):
        return None
    for pair, token in zip(offsets, tokens, strict=True):
        is_pair = isinstance(pair, list) and len(pair) == 2 and all(type(item) is int for item in pair)
        if not is_pair or text[pair[0] : pair[1]] != token:
            return None
    bounds = [(pair[0], pair[1]) for pair in offsets]
    in_order = all(before[1] <= after[0] for before, after in pairwise(bounds))
    return bounds if in_order and all(0 <= start <= end for start, end in bounds) else None
