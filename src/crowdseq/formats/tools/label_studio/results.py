"""What Label Studio writes about one annotation: who made it, and the regions of its result."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

from crowdseq.errors import Advice, AnnotationError, Problem
from crowdseq.formats.conventions.channels import Channels
from crowdseq.formats.conventions.fields import identity, objects
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.spans.offsets import whole_number
from crowdseq.formats.spans.resolve import Region, quick_region
from crowdseq.formats.tools.label_studio.texts import DIALOGUE, HTML

_TIMES = ("updated_at", "created_at", "id")
_VALUE, _FROM, _FIELDS = (
    itemgetter("value"),
    itemgetter("from_name"),
    itemgetter("start", "end", "labels", "text"),
)


class People:
    """Names of annotators, from `completed_by` as a number, a text or an object."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self._told: set[str] = set()

    def name(self, value: Any) -> str | None:
        """The e-mail or name where the file has one, else the number; one that the user renames stays."""
        if not isinstance(value, Mapping):
            return identity(value, "the annotator")
        name = called(value, self.collector.settings.names)
        number = identity(value.get("id"), "the id of an annotator")
        if number is not None and name != number and number not in self._told:
            self._told.add(number)
            what = "annotators are called by their e-mail or name"
            advice = Advice("give them other names with {names}", names="")
            self.collector.warn("annotators-named", what, Problem(f"{number} is {name}"), advice=advice)
        return name


def called(person: Mapping[str, Any], renamed: Mapping[str, str]) -> str | None:
    """What somebody is called: by e-mail, by name, by number; renamed: whom the user calls by number."""
    number = identity(person.get("id"), "the id of an annotator")
    if number is not None and number in renamed:
        return number
    parts = [person.get(key) for key in ("first_name", "last_name")]
    full = " ".join(part for part in parts if isinstance(part, str) and part.strip())
    for name in (person.get("email"), person.get("username"), full):
        if isinstance(name, str) and name.strip():
            return name
    return number if number is not None else identity(person.get("email"), "the email of an annotator")


def newest(annotations: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The one that was changed last."""

    def key(place: int) -> tuple[str, str, int, int]:
        found = annotations[place]
        updated, created, number = (found.get(name) for name in _TIMES)
        return (
            updated if isinstance(updated, str) else "",
            created if isinstance(created, str) else "",
            number if isinstance(number, int) else 0,
            place,
        )

    return annotations[max(range(len(annotations)), key=key)]


def regions_of(
    result: Any, controls: Channels, collector: Collector, place: Problem, turns: Sequence[int] = ()
) -> list[Region]:
    """The regions of a result that mark text; others are counted. turns: where those of a dialogue begin."""
    plain = _plain_regions(result, controls)
    if plain is not None:
        return plain
    found: list[Region] = []
    for item in objects(result, "'result'"):
        value = item.get("value")
        if not isinstance(value, dict) or not _marks_text(value, item.get("type")):
            what = "parts of a result mark no text (choices, ratings, relations), left out"
            collector.warn("results-left-out", what, place)
            continue
        if controls.takes(str(item.get("from_name"))):
            found.append(region_of(value, turns))
    return found


def _marks_text(value: dict[str, Any], kind: Any) -> bool:
    """Whether a part of a result is a region with labels; what is noted of a region has its place too."""
    return "start" in value and "end" in value and (kind is None or str(kind).lower().endswith("labels"))


def _plain_regions(result: Any, controls: Channels) -> list[Region] | None:
    """The regions where all are written in the usual way and come from one control; else None."""
    try:
        values = list(map(_VALUE, result))
        columns = zip(*map(_FIELDS, values), strict=True)
        (name,) = set(map(_FROM, result))
        starts, ends, labels, covered = columns
    except (KeyError, TypeError, ValueError):
        return None
    is_usual = {*map(type, result), *map(type, values)} == {dict} and set(map(type, covered)) == {str}
    if not is_usual or set(map(type, labels)) != {list} or str in map(type, starts) or type(name) is not str:
        return None
    if any(HTML in value or DIALOGUE in value for value in values):
        return None
    if not controls.takes(name):
        return []
    return list(map(quick_region, zip(starts, ends, labels, covered, repeat(()))))


def region_of(value: dict[str, Any], turns: Sequence[int] = ()) -> Region:
    """One region from its value; turns: where those of a dialogue begin."""
    if DIALOGUE in value:
        return _in_dialogue(value, turns)
    start, end, labels, covered = value["start"], value["end"], value.get("labels"), value.get("text")
    if HTML in value or (isinstance(start, str) and start.startswith("/")):
        labels, whole = value.get(HTML, labels), value.get("globalOffsets")
        if not isinstance(whole, dict):
            raise AnnotationError(
                "a region on HTML has no globalOffsets, its place in the text cannot be told: "
                "export with a newer Label Studio, or annotate plain text"
            )
        start, end = whole.get("start"), whole.get("end")
    if labels is not None and not isinstance(labels, list):
        raise AnnotationError("the labels of a region must be a list")
    return Region(start, end, labels or [], covered if isinstance(covered, str) else None)


def _in_dialogue(value: dict[str, Any], turns: Sequence[int]) -> Region:
    """Numbers of turns, as texts or not, and a place in each."""
    places = [_place_in(value, end, turns) for end in ("start", "end")]
    labels, covered = value[DIALOGUE], value.get("text")
    if not isinstance(labels, list):
        raise AnnotationError("the labels of a region must be a list")
    is_told = isinstance(covered, str) and value["start"] == value["end"]
    return Region(places[0], places[1], labels, covered if is_told else None)


def _place_in(value: dict[str, Any], end: str, turns: Sequence[int]) -> int:
    turn = str(value[end])[:20]
    if not turn.isdecimal() or int(turn) >= len(turns):
        raise AnnotationError(f"a region is in turn {turn!a} of a dialogue that has {len(turns)}")
    return turns[int(turn)] + whole_number(value.get(f"{end}Offset"), f"'{end}Offset'")
