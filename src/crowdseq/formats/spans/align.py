"""Characters to tokens: one set of rules for spans of characters and for labels on other tokens."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import eq
from typing import NamedTuple

from crowdseq.core.labels import OUTSIDE, split_tag
from crowdseq.core.names import Tags
from crowdseq.core.spans import Span
from crowdseq.errors import Advice, AnnotationError


class Mark(NamedTuple):
    """Characters start to end (half-open) that carry one label."""

    start: int
    end: int
    label: str


class Event(NamedTuple):
    """What happened to a mark on its way to tokens: `trimmed`, `cut`, `empty`, `duplicate` or `overlap`."""

    kind: str
    mark: Mark


class Snapped(NamedTuple):
    """Spans of tokens in order, the mark that each came from, and what happened on the way."""

    spans: list[Span]
    marks: list[Mark]
    events: list[Event]


def snap(
    marks: Sequence[Mark],
    starts: Sequence[int],
    ends: Sequence[int],
    *,
    cut: str = "expand",
    overlaps: str = "longest",
) -> Snapped:
    """Marks to the tokens that lie at characters `starts` to `ends`; nothing is lost without an event.

    cut: a mark that ends inside a token may `expand` to it, `contract`, be dropped (`drop`) or be an `error`.
    overlaps: of marks that share a token the `longest` stays, then the first; or it is an `error`.
    """
    events: list[Event] = []
    placed = [(mark, token_span(mark, starts, ends, cut, events)) for mark in marks]
    kept: dict[Span, Mark] = {}
    taken = bytearray(len(starts))
    for mark, span in sorted(placed, key=lambda pair: pair[0].start - pair[0].end):
        if span is None:
            continue
        if span in kept:
            events.append(Event("duplicate", mark))
        elif taken.find(1, span.start, span.end) < 0:
            kept[span] = mark
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
        elif overlaps == "error":
            raise AnnotationError(
                f"{_named(mark)} overlaps another span",
                Advice("correct it or say {overlaps}", overlaps="longest"),
            )
        else:
            events.append(Event("overlap", mark))
    spans = sorted(kept)
    return Snapped(spans, [kept[span] for span in spans], events)


def token_span(
    mark: Mark, starts: Sequence[int], ends: Sequence[int], cut: str, events: list[Event]
) -> Span | None:
    """The tokens of one mark, None if there are none; cut as in `snap`, events are added to the list."""
    first, last = bisect_right(ends, mark.start), bisect_left(starts, mark.end)
    if first >= last or mark.start >= mark.end:
        events.append(Event("empty", mark))
        return None
    if starts[first] < mark.start or ends[last - 1] > mark.end:
        events.append(Event("cut", mark))
        if cut == "error":
            raise AnnotationError(
                f"{_named(mark)} ends inside a token",
                Advice("correct it or say {cut_tokens}", cut_tokens="expand"),
            )
        if cut == "drop":
            return None
        if cut == "contract":
            first += starts[first] < mark.start
            last -= ends[last - 1] > mark.end
            return Span(first, last, mark.label) if first < last else None
    elif starts[first] > mark.start or ends[last - 1] < mark.end:
        events.append(Event("trimmed", mark))
    return Span(first, last, mark.label)


def painted(spans: Iterable[Span], n_tokens: int) -> list[str]:
    """The tags of spans that do not overlap."""
    tags = [OUTSIDE] * n_tokens
    for span in spans:
        _paint(tags, span.start, span.end, span.label)
    return tags


class Grid:
    """Which token starts or ends at a character; empty ones, which some tools have, do neither."""

    def __init__(self, starts: Sequence[int], ends: Sequence[int]) -> None:
        self.n_tokens = len(starts)
        self.first = dict(zip(starts, range(len(starts)), strict=True))
        self.after = dict(zip(ends, range(1, len(ends) + 1), strict=True))
        if any(map(eq, starts, ends)):
            bounds = list(enumerate(zip(starts, ends, strict=True)))
            self.first = {start: number for number, (start, end) in bounds if start < end}
            self.after = {end: number + 1 for number, (start, end) in bounds if start < end}


def exact_tags(marks: Sequence[Mark], grid: Grid) -> list[str] | None:
    """The tags if every mark covers whole tokens and none overlap, which is nearly always so; else None."""
    tags = [OUTSIDE] * grid.n_tokens
    first_at, after_at = grid.first.get, grid.after.get
    for start, end, label in marks:
        first, after = first_at(start, -1), after_at(end, -1)
        length = after - first
        if first < 0 or length < 1 or tags[first:after].count(OUTSIDE) != length:
            return None
        begin, inside = _spelt(label)
        tags[first] = begin
        if length > 1:
            tags[first + 1 : after] = [inside] * (length - 1)
    return tags


def _paint(tags: list[str], first: int, after: int, label: str) -> None:
    begin, inside = _spelt(label)
    tags[first:after] = [inside] * (after - first)
    tags[first] = begin


@lru_cache(maxsize=4096)  # whoever looks up a tag finds the same object faster than an equal one
def _spelt(label: str) -> tuple[str, str]:
    return f"B-{label}", f"I-{label}"


def _named(mark: Mark) -> str:
    return f"the span {mark.start}-{mark.end} ({mark.label})"


def visible(tokens: Sequence[str]) -> str:
    """The characters of tokens without any space: what stays the same however a text is cut."""
    return "".join("".join(tokens).split())


def character_bounds(tokens: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where each token starts and ends in `visible(tokens)`."""
    ends = list(accumulate(len("".join(token.split())) for token in tokens))
    return [0, *ends[:-1]] if ends else [], ends


class Projected(NamedTuple):
    """Tags on other tokens, and how many spans or labels did not fit them exactly."""

    tags: list[str | None]
    moved: int


def project(tags: Tags, tokens: Sequence[str], target: Sequence[str]) -> Projected:
    """Tags of some tokens to tags of other tokens over the same characters.

    Spans go to all tokens that they touch and keep the way in which they begin; tags without spans go by the
    greater share of characters. A token of which nobody labelled any part stays unlabelled.
    """
    source, goal = character_bounds(tokens), character_bounds(target)
    shares = [_shares(tags, *source, start, end) for start, end in zip(*goal, strict=True)]
    if any(tag is not None and split_tag(tag)[0] == "" for tag in tags):
        chosen = [max(share, key=share.__getitem__) if share else None for share in shares]
        return Projected(chosen, sum(len(share) > 1 for share in shares))
    made: list[str | None] = [OUTSIDE if share else None for share in shares]
    chunks = _chunks(tags)
    marks = [Mark(source[0][chunk.first], source[1][chunk.last], str(n)) for n, chunk in enumerate(chunks)]
    snapped = snap(marks, *goal)
    for span in snapped.spans:
        chunk = chunks[int(span.label)]
        made[span.start : span.end] = chunk.spelt(span.end - span.start)
    return Projected(made, len(snapped.events))


def _shares(tags: Tags, starts: list[int], ends: list[int], start: int, end: int) -> dict[str, int]:
    """How many characters between start and end carry each tag, in the order of the text."""
    found: dict[str, int] = {}
    for number in range(bisect_right(ends, start), bisect_left(starts, end)):
        tag = tags[number]
        if tag is not None:
            shared = min(end, ends[number]) - max(start, starts[number])
            found[tag] = found.get(tag, 0) + shared
    return found


class _Chunk(NamedTuple):
    """Tokens first to last of one entity, and the prefixes of these two."""

    first: int
    last: int
    type: str
    opening: str
    closing: str

    def spelt(self, length: int) -> list[str | None]:
        """The tags of an entity of another length that begins and ends in the same way."""
        if self.opening in "BSU" and self.closing in "SUEL":
            single, last = ("S", "E") if self.closing in "SE" else ("U", "L")
            prefixes = [single] if length == 1 else ["B", *"I" * (length - 2), last]
        else:
            prefixes = [self.opening, *"I" * (length - 1)]
        return [f"{prefix}-{self.type}" for prefix in prefixes]


def _chunks(tags: Tags) -> list[_Chunk]:
    """The entities of tags in any chunk scheme; a piece that cannot continue one begins one."""
    chunks: list[_Chunk] = []
    is_open = False
    for place, tag in enumerate(tags):
        prefix, kind = split_tag(tag) if tag is not None else (OUTSIDE, "")
        if prefix == OUTSIDE:
            is_open = False
            continue
        if is_open and prefix in "IEL" and chunks[-1].type == kind:
            chunks[-1] = chunks[-1]._replace(last=place, closing=prefix)
        else:
            chunks.append(_Chunk(place, place, kind, prefix, prefix))
        is_open = prefix in "BI"
    return chunks
