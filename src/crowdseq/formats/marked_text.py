"""Sentences back to text with marked characters: the user's own where they are known, else spaced tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.core.text import Sentence
from crowdseq.errors import AnnotationError
from crowdseq.formats.alignment import Mark, snap
from crowdseq.formats.marking import GOLD_SPANS, OFFSETS, SPANS, TEXT, locate

Tags = Sequence[str | None]


@dataclass(frozen=True)
class MarkedText:
    """A text, where its tokens stand in it, and whether it is the one that was read."""

    text: str
    bounds: list[tuple[int, int]]
    is_original: bool


def marked_text(sentence: Sentence) -> MarkedText:
    """The text that a sentence was read from if its tokens still stand there, else its tokens with spaces."""
    text = sentence.extras.get(TEXT)
    if isinstance(text, str):
        bounds = _bounds(text, sentence)
        if bounds is not None:
            return MarkedText(text, bounds, True)
    bounds, place = [], 0
    for token in sentence.tokens:
        bounds.append((place, place + len(token)))
        place += len(token) + 1
    return MarkedText(" ".join(sentence.tokens), bounds, False)


def _bounds(text: str, sentence: Sentence) -> list[tuple[int, int]] | None:
    given = sentence.extras.get(OFFSETS)
    if given is None:
        return locate(text, sentence.tokens)
    try:
        bounds = [(start, end) for start, end in given]
        return bounds if [text[start:end] for start, end in bounds] == list(sentence.tokens) else None
    except (TypeError, ValueError):
        return None


def marks_for(
    corpus: Corpus, sentence: Sentence, where: MarkedText, tags: Tags, annotator: str | None
) -> list[Mark]:
    """What an annotator marked (None for gold): their own characters if those still give these tags."""
    spans = decode(corpus.scheme, tags, lenient=True)
    kept = _kept_marks(sentence, annotator) if where.is_original else None
    if kept is not None:
        starts, ends = [start for start, _ in where.bounds], [end for _, end in where.bounds]
        snapped = snap(kept, starts, ends)
        if snapped.spans == list(spans):
            return sorted(snapped.marks)
    return [Mark(where.bounds[span.start][0], where.bounds[span.end - 1][1], span.label) for span in spans]


def _kept_marks(sentence: Sentence, annotator: str | None) -> list[Mark] | None:
    extras = sentence.extras
    held: Any = extras.get(GOLD_SPANS) if annotator is None else extras.get(SPANS)
    if annotator is not None:
        held = held.get(annotator) if isinstance(held, dict) else None
    try:
        return None if held is None else [Mark(start, end, label) for start, end, label in held]
    except (TypeError, ValueError):
        return None


def check_spans(corpus: Corpus, form: str) -> list[str]:
    """Refuse what marked characters cannot hold; a line for what they hold in another way."""
    if corpus.scheme.is_plain and corpus.scheme.tags:
        raise AnnotationError(
            f"{form} marks spans, and these labels are of single tokens: write CoNLL or JSONL"
        )
    if bool((corpus.annotations.tags < 0).any()) or _has_gaps(corpus):
        raise AnnotationError(
            f"some tokens are not labelled in a sentence that is, {form} cannot say so: write CoNLL or JSONL"
        )
    notes = []
    if corpus.scheme.kind != "IOB2" and len(corpus.scheme):
        notes.append(f"{form} holds spans, not tags: {corpus.scheme.kind} will be read as IOB2")
    if not corpus.scheme.is_valid(corpus.annotations.tags, _row_bounds(corpus)):
        notes.append("tags that break the rules of the scheme were written as the spans they come nearest to")
    return notes


def _row_bounds(corpus: Corpus) -> Any:
    crowd = corpus.annotations
    return np.append(crowd.row_starts, len(crowd.tags))


def _has_gaps(corpus: Corpus) -> bool:
    lengths = corpus.text.lengths
    return bool((corpus.gold_tags[np.repeat(corpus.has_gold, lengths)] < 0).any())
