"""Spans found and written token by token, as one would with a pencil."""

import re
from collections.abc import Sequence

from crowdseq.core.labels import LabelScheme, split_tag
from crowdseq.core.spans import Span

# The prefixes that the tokens of one well-formed span carry.
_SHAPES = {"IO": "I+", "IOB1": "I+|BI*", "IOB2": "BI*", "BIOES": "S|BI*E", "BILOU": "U|BI*L"}


def slow_spans(scheme: LabelScheme, tags: Sequence[str | None], *, lenient: bool = False) -> list[Span]:
    """The spans of one sentence."""
    if scheme.is_plain:
        return [Span(place, place + 1, tag) for place, tag in enumerate(tags) if tag is not None]
    pieces = _pieces(tags)
    if not lenient:
        pieces = [piece for piece in pieces if _is_well_formed(scheme.kind, piece, tags)]
    return [span for span, _ in pieces]


def _pieces(tags: Sequence[str | None]) -> list[tuple[Span, str]]:
    """Runs of tokens in which each can continue the one before, with their prefixes."""
    pieces: list[tuple[Span, str]] = []
    for place, tag in enumerate(tags):
        prefix, label = split_tag(tag or "O")
        if prefix == "O":
            continue
        if pieces and prefix in "IEL":
            span, prefixes = pieces[-1]
            if span.end == place and span.label == label and prefixes[-1] in "BI":
                pieces[-1] = (Span(span.start, place + 1, label), prefixes + prefix)
                continue
        pieces.append((Span(place, place + 1, label), prefix))
    return pieces


def _is_well_formed(kind: str, piece: tuple[Span, str], tags: Sequence[str | None]) -> bool:
    span, prefixes = piece
    if not re.fullmatch(_SHAPES[kind], prefixes):
        return False
    if kind != "IOB1" or prefixes[0] != "B":
        return True
    return span.start > 0 and split_tag(tags[span.start - 1] or "O")[1] == span.label


def slow_tags(kind: str, spans: Sequence[Span], length: int) -> list[str]:
    """Spans in the order of the text to the tags of one sentence."""
    tags = ["O"] * length
    for number, span in enumerate(spans):
        for place in range(span.start, span.end):
            tags[place] = f"I-{span.label}"
        before = spans[number - 1] if number else Span(0, 0, "")
        touches = before.end == span.start and before.label == span.label
        if kind in ("IOB2", "BIOES", "BILOU") or (kind == "IOB1" and touches):
            tags[span.start] = f"B-{span.label}"
        if kind in ("BIOES", "BILOU"):
            single = span.end == span.start + 1
            prefix = ("S" if single else "E") if kind == "BIOES" else ("U" if single else "L")
            tags[span.end - 1] = f"{prefix}-{span.label}"
    return tags
