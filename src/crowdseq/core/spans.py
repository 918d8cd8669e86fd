"""Spans, and the way between tags and spans, for one sequence and for flat arrays of many."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import portions
from crowdseq.errors import SchemeError

_BEGINNERS = tuple(map(ord, "BSU"))
_CONTINUERS = tuple(map(ord, "IEL"))
_OPEN = tuple(map(ord, "BI"))
_TOKENS_AT_A_TIME = 1 << 22


@dataclass(frozen=True, order=True)
class Span:
    """Tokens start to end (half-open) that carry one label.

    >>> import crowdseq
    >>> span = crowdseq.Span(0, 2, "PER")
    >>> ["Ada", "Lovelace", "slept"][span.start : span.end]
    ['Ada', 'Lovelace']
    """

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class SpanTable:
    """Many spans as arrays: (S,) first token, (S,) token after the last, (S,) number of the type."""

    starts: IntArray
    ends: IntArray
    types: IntArray

    def __len__(self) -> int:
        return len(self.starts)


def find_spans(tags: IntArray, offsets: IntArray, scheme: LabelScheme, *, lenient: bool = False) -> SpanTable:
    """(T,) tag numbers of sentences at offsets (N + 1,) to their spans; -1 counts as outside.

    Strict: a span must begin and end as its scheme says, stray pieces count for nothing. Lenient, as
    conlleval does it: any piece that cannot continue the one before it begins a span. A plain scheme has one
    span for each labelled token.
    """
    tables = [SpanTable(*(np.zeros(0, np.int64) for _ in range(3)))]
    for part in portions(offsets, _TOKENS_AT_A_TIME):
        bounds = offsets[part.start : part.stop + 1]
        table = _find_spans(tags[bounds[0] : bounds[-1]], bounds - bounds[0], scheme, lenient=lenient)
        tables.append(SpanTable(table.starts + bounds[0], table.ends + bounds[0], table.types))
    return SpanTable(*(np.concatenate([getattr(t, f.name) for t in tables]) for f in fields(SpanTable)))


def _find_spans(tags: IntArray, offsets: IntArray, scheme: LabelScheme, *, lenient: bool) -> SpanTable:
    # Tables by tag number; their last entry is what the number -1 finds.
    types = np.append(scheme.type_ids, np.int16(-1))[tags]
    if scheme.is_plain:
        indices = np.flatnonzero(types >= 0)
        return SpanTable(indices, indices + 1, types[indices].astype(np.int64))
    prefixes = np.append(scheme.prefix_codes, np.int16(ord("O")))
    sentence_heads = offsets[:-1][offsets[:-1] < len(tags)]
    heads = ~_continues(tags, prefixes, types, sentence_heads, scheme)
    inside = types >= 0
    first = np.flatnonzero(heads & inside)
    last = np.flatnonzero(np.append(heads[1:], True) & inside)
    if not lenient:
        real = _is_begun(first, prefixes[tags[first]], types, sentence_heads, scheme)
        if scheme.kind in ("BIOES", "BILOU"):
            real &= ~np.isin(prefixes, _OPEN)[tags[last]]
        first, last = first[real], last[real]
    return SpanTable(first, last + 1, types[first].astype(np.int64))


def _is_begun(
    first: IntArray, prefixes: IntArray, types: IntArray, sentence_heads: IntArray, scheme: LabelScheme
) -> BoolArray:
    """Whether the spans at these first tokens, with these prefixes, begin as their scheme says."""
    if scheme.kind == "IO":
        return np.ones(len(first), np.bool_)
    if scheme.kind != "IOB1":
        return np.isin(prefixes, _BEGINNERS)
    # In IOB1 a B- only parts a span from one of the same type right before it.
    touches = np.zeros(len(types), np.bool_)
    touches[1:] = types[1:] == types[:-1]
    touches[sentence_heads] = False
    begun: BoolArray = (prefixes != ord("B")) | touches[first]
    return begun


def _continues(
    tags: IntArray, prefixes: IntArray, types: IntArray, sentence_heads: IntArray, scheme: LabelScheme
) -> BoolArray:
    """(T,) whether a token carries on the span of the token before it."""
    same = np.isin(prefixes, _CONTINUERS)[tags]
    same[1:] &= types[1:] == types[:-1]
    same[sentence_heads] = False
    if scheme.kind not in ("IO", "IOB1"):
        same[1:] &= np.isin(prefixes, _OPEN)[tags[:-1]]
    return same


def decode(scheme: LabelScheme, tags: Iterable[str | None], *, lenient: bool = False) -> tuple[Span, ...]:
    """The spans of one sequence of tags."""
    ids = scheme.ids(tags)
    table = find_spans(ids, np.array([0, len(ids)]), scheme, lenient=lenient)
    return tuple(
        Span(int(start), int(end), scheme.types[kind])
        for start, end, kind in zip(table.starts, table.ends, table.types, strict=True)
    )


def encode(scheme: LabelScheme, spans: Iterable[Span], length: int) -> tuple[str, ...]:
    """Spans that do not overlap to the tags of a sequence."""
    ordered = sorted(spans)
    for before, after in pairwise(ordered):
        if after.start < before.end:
            raise SchemeError(f"spans {before} and {after} overlap, a tag sequence can hold only one of them")
    for span in ordered:
        if not 0 <= span.start < span.end <= length:
            raise SchemeError(f"{span} does not lie inside a sequence of {length} tokens")
    table = SpanTable(
        np.array([span.start for span in ordered], np.int64),
        np.array([span.end for span in ordered], np.int64),
        np.array([_type_number(scheme, span.label) for span in ordered], np.int64),
    )
    tags = paint(table, length, scheme)
    if len(tags) and tags.min() < 0:
        raise SchemeError(
            f"token {int(np.argmin(tags)) + 1} has no label, and the scheme has no tag O for it"
        )
    return tuple(scheme.tags[number] for number in tags.tolist())


def _type_number(scheme: LabelScheme, label: str) -> int:
    if label not in scheme.types:
        raise SchemeError(f"label '{label}' is not one of {', '.join(scheme.types)}")
    return scheme.types.index(label)


def paint(table: SpanTable, length: int, scheme: LabelScheme, offsets: IntArray | None = None) -> IntArray:
    """A table of spans in the order of the text to (length,) tag numbers under a scheme.

    offsets (N + 1,): where sentences begin, which only IOB1 needs to know; one sequence if not given.
    """
    tags = np.full(length, scheme.outside, np.int16)
    if len(table) == 0:
        return tags
    lengths = table.ends - table.starts
    positions = _positions(lengths)
    indices = np.repeat(table.starts, lengths) + positions
    first = positions == 0
    last = indices + 1 == np.repeat(table.ends, lengths)
    prefixes = np.select([first & last, first, last], [*_shape_prefixes(scheme)], _middle(scheme))
    if scheme.kind == "IOB1":
        touches = _touches_its_like(table, offsets)
        prefixes = np.where(first & np.repeat(touches, lengths), ord("B"), ord("I"))
    tags[indices] = _tag_numbers(scheme, prefixes, np.repeat(table.types, lengths))
    return tags


def _touches_its_like(table: SpanTable, offsets: IntArray | None) -> BoolArray:
    """(S,) whether a span follows one of its own type without a gap, in the same sentence."""
    touches = np.zeros(len(table), np.bool_)
    touches[1:] = (table.starts[1:] == table.ends[:-1]) & (table.types[1:] == table.types[:-1])
    if offsets is not None:
        touches &= ~np.isin(table.starts, offsets)
    return touches


def _tag_numbers(scheme: LabelScheme, prefixes: IntArray, types: IntArray) -> IntArray:
    """The tags that are made of these prefixes and types."""
    lookup = np.full((ord("Z"), len(scheme.types)), -1, np.int16)
    typed = scheme.type_ids >= 0
    lookup[scheme.prefix_codes[typed], scheme.type_ids[typed]] = np.flatnonzero(typed)
    numbers = lookup[prefixes, types]
    if numbers.min() < 0:
        missing = int(np.argmin(numbers))
        tag = f"{chr(int(prefixes[missing]))}-{scheme.types[int(types[missing])]}"
        raise SchemeError(f"the span needs a tag '{tag}', which the scheme does not have")
    return numbers


def _shape_prefixes(scheme: LabelScheme) -> tuple[int, int, int]:
    """The prefixes of a single token, of a first and of a last one."""
    shapes = {"IO": "III", "IOB1": "III", "IOB2": "BBI", "BIOES": "SBE", "BILOU": "UBL", "plain": "OOO"}
    single, first, last = map(ord, shapes[scheme.kind])
    return single, first, last


def _middle(scheme: LabelScheme) -> int:
    return ord("O") if scheme.is_plain else ord("I")


def _positions(lengths: IntArray) -> IntArray:
    """(S,) lengths to 0, 1, …, length - 1 for each, one after the other."""
    total = int(lengths.sum())
    return np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def convert(tags: IntArray, offsets: IntArray, source: LabelScheme, target: LabelScheme) -> IntArray:
    """(T,) tag numbers of one chunk scheme to those of another; unlabelled tokens stay unlabelled."""
    if source.is_plain or target.is_plain:
        raise SchemeError(f"tags of the scheme {source.kind} cannot become {target.kind}")
    table = find_spans(tags, offsets, source, lenient=True)
    numbers = np.array([_type_number(target, name) for name in source.types], np.int64)
    renamed = SpanTable(table.starts, table.ends, numbers[table.types] if len(table) else table.types)
    painted = paint(renamed, len(tags), target, offsets)
    painted[tags < 0] = -1
    return painted
