"""Regions as tools write them to marks in code points with one label each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from operator import itemgetter, le
from sys import intern
from typing import Any, NamedTuple, cast

from crowdseq.errors import Advice, AnnotationError, Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.offsets import Claim, is_basic, settle, whole_number

_EVENTS = {
    "trimmed": ("spans-trimmed", "spans began or ended in white space, trimmed"),
    "cut": ("spans-cut", "spans ended inside a token"),
    "empty": ("spans-empty", "spans cover no token, dropped"),
    "duplicate": ("spans-duplicate", "spans stand twice, one was kept"),
    "overlap": ("spans-overlap", "spans overlap a longer or earlier one, dropped"),
    "break": ("spans-over-break", "spans go over a line break, one was made of each part"),
}
_CUT = {"expand": "the whole token was taken", "contract": "the token was left out", "drop": "dropped"}
_GAPS = {"drop": "dropped", "split": "every part was taken as a span"}
_SHOWN_LABELS = 10
_SEVERAL = {"first": "the first was kept", "joined": "joined into one"}


class Region(NamedTuple):
    """What an annotator marked, as the file says it: offsets in the unit of the tool, one label or several.

    covered: the characters that the file says are marked. parts: the pieces of a span with gaps.
    """

    start: Any
    end: Any
    labels: Sequence[str]
    covered: str | None = None
    parts: Sequence[tuple[Any, Any]] = ()


# From a tuple of all fields: several times as fast as a call of the class, and there are millions of them.
quick_region = cast(Callable[[tuple[Any, ...]], Region], partial(tuple.__new__, Region))
_quick_mark = cast(Callable[[tuple[int, int, str]], Mark], partial(tuple.__new__, Mark))


def marks_of(
    text: str,
    regions: Sequence[Region],
    unit: str,
    collector: Collector,
    place: Problem,
    who: str,
    *,
    is_proven: bool = False,
) -> list[Mark]:
    """Marks in code points, in the order of the regions; the long way, `plain_marks` is the short one.

    unit: the one that the tool usually counts in; is_proven: and nothing else can be meant.
    """
    whole = list(_whole(regions, collector, place))
    if not whole:
        return []
    try:
        claims = [Claim(_offset(region.start), _offset(region.end), region.covered) for region in whole]
        asked = collector.settings.offset_unit
        asked = unit if is_proven and asked == "auto" else asked
        places, found, rivals = settle(text, claims, unit, asked)
    except AnnotationError as error:
        raise AnnotationError(f"{who}: {error.message}", error.advice) from None
    if found != unit and collector.settings.offset_unit == "auto":
        what = f"offsets count {found} and not {unit}, as the covered text proves"
        collector.warn(f"offsets-{found}", what, place)
    if rivals:
        what = f"spans fit the text whether offsets count {found} or {rivals[0]}, {found} was taken"
        collector.warn("offsets-unclear", what, place)
    return _labelled(places, whole, collector, place)


def plain_marks(
    text: str, groups: Sequence[Sequence[Region]], unit: str, collector: Collector
) -> list[list[Mark]] | None:
    """The marks of groups of regions where nothing must be decided, which is nearly always so; else None."""
    settings = collector.settings
    is_usual = unit != "graphemes" and settings.offset_unit in ("auto", "characters", "utf-16")
    if not is_usual or settings.types is not None:
        return None
    regions = list(chain.from_iterable(groups))
    if not regions:
        return [[] for _ in groups]
    if not is_basic(text):
        return None
    # By columns, because a loop over the regions in Python would take most of the time of a reading.
    starts, ends, labels, covered, parts = zip(*regions, strict=True)
    are_sound = (
        {*map(type, starts), *map(type, ends)} == {int}
        and min(starts) >= 0
        and max(ends) <= len(text)
        and all(map(le, starts, ends))
        and set(map(len, labels)) == {1}
        and not any(parts)
    )
    if not are_sound or not _are_covered(text, starts, ends, covered):
        return None
    first_labels = [names[0] for names in labels]
    if set(map(type, first_labels)) != {str}:
        return None
    # Interned, because the same few labels come millions of times, and the marks are kept.
    marks = map(_quick_mark, zip(starts, ends, map(intern, first_labels), strict=True))
    found = [list(islice(marks, len(group))) for group in groups]
    # Two regions at one place are one with two labels, which is for the long way.
    n_places = sum(len(set(map(_BOUNDS, group))) for group in found)
    return found if n_places == len(regions) else None


_BOUNDS = itemgetter(0, 1)


def _are_covered(
    text: str, starts: Sequence[int], ends: Sequence[int], covered: Sequence[str | None]
) -> bool:
    if set(covered) == {None}:
        return True
    return list(map(text.__getitem__, map(slice, starts, ends))) == list(covered)


def tell(kind: str, mark: Mark, collector: Collector, place: Problem) -> None:
    """Report what happened to a mark on its way to tokens."""
    name, what = _EVENTS[kind]
    if kind == "cut":
        what = f"{what}, {_CUT[collector.settings.cut_tokens]}"
    collector.warn(name, what, replace(place, what=f"{mark.start}-{mark.end} ({mark.label})"))


def _offset(value: Any) -> int:
    return whole_number(value, "an offset")


def _whole(regions: Sequence[Region], collector: Collector, place: Problem) -> Iterator[Region]:
    """Regions of the types that are asked for, those with gaps treated as the settings say."""
    types = collector.settings.types
    for region in regions:
        labels = region.labels if types is None else [name for name in region.labels if _text(name) in types]
        if types is not None and region.labels:
            collector.saw_types(region.labels, wanted=bool(labels))
        if region.labels and not labels:
            collector.warn("spans-of-other-types", "spans of other types were left out", place)
        elif len(region.parts) < 2:
            yield region if types is None else region._replace(labels=labels)
        else:
            yield from _parts(region._replace(labels=labels), collector, place)


def _text(label: Any) -> str:
    """A label that is compared with others before it is placed."""
    if not isinstance(label, str):
        raise AnnotationError(f"a label is {str(label)[:40]!a}, a text is expected")
    return label


def _parts(region: Region, collector: Collector, place: Problem) -> Iterator[Region]:
    how = collector.settings.discontinuous
    if how == "error":
        raise AnnotationError(
            f"the span {region.start}-{region.end} has gaps",
            Advice("say {discontinuous} (or split)", discontinuous="drop"),
        )
    collector.warn("spans-discontinuous", f"spans have gaps, {_GAPS[how]}", place)
    if how == "split":
        yield from (Region(start, end, region.labels) for start, end in region.parts)


def _labelled(
    places: Sequence[tuple[int, int]], regions: Sequence[Region], collector: Collector, place: Problem
) -> list[Mark]:
    """One mark for each place: labels of regions at the same place count as several labels of one."""
    labels: dict[tuple[int, int], dict[str, None]] = {}
    for bounds, region in zip(places, regions, strict=True):
        if not region.labels:
            collector.warn("spans-without-label", "spans have no label, dropped", place)
            continue
        held = labels.setdefault(bounds, {})
        for label in region.labels:
            if not isinstance(label, str):
                raise AnnotationError(f"the label of the span {bounds[0]}-{bounds[1]} must be a text")
            if label in held:
                tell("duplicate", Mark(*bounds, label), collector, place)
            else:
                held[label] = None
    settings = collector.settings
    if settings.overlaps == "layers" and settings.several_labels == "error":  # each in a layer of its own
        return [Mark(*bounds, label) for bounds, held in labels.items() for label in held]
    return [Mark(*bounds, _one_label([*held], bounds, collector, place)) for bounds, held in labels.items()]


def _one_label(labels: Sequence[str], bounds: tuple[int, int], collector: Collector, place: Problem) -> str:
    how = collector.settings.several_labels
    if len(labels) == 1:
        return labels[0]
    if how == "error":
        raise AnnotationError(
            f"the span {bounds[0]}-{bounds[1]} has several labels ({', '.join(labels[:_SHOWN_LABELS])})",
            Advice(
                "say {several_labels} (or joined), {overlaps}, or choose some with {types}",
                several_labels="first",
                overlaps="layers",
                types="",
            ),
        )
    collector.warn("spans-several-labels", f"spans have several labels, {_SEVERAL[how]}", place)
    return labels[0] if how == "first" else "+".join(sorted(labels))
