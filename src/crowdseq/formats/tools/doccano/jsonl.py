"""doccano JSONL: one file for each member of a project, one text a line with its spans."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.fields import identity, objects
from crowdseq.formats.conventions.roles import is_gold
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import LIKELY, MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io import read_objects
from crowdseq.formats.spans.from_corpus import CARRIED, META, reclaim
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.doccano.writing import SHARED, write_consensus, write_folder, write_zip

_SPANS = re.compile(r'"(?:labels?|entities)"\s*:\s*\[\s*\[\s*-?\d|"start_offset"\s*:')
_OBJECTS = re.compile(r'"(?:entities|ents|spans)"\s*:\s*\[\s*\{[^{}]*"start"\s*:\s*\d')
_NO_SPANS = re.compile(r'"(?:label|entities)"\s*:\s*\[\s*\]')
_OTHERS = re.compile(r'"(?:annotation_id|_input_hash|result)"\s*:')
_TEXT = re.compile(r'"(?:text|data)"\s*:\s*"')
_TEXT_FIELDS = ("text", "data")  # doccano called it so for some versions
_MARKED = "annotations"  # of all members in one record, each with its user
_ENTITIES = ("entities", "ents", "spans")  # the others are what spaCy and scripts around it call them
_OWN_KEYS = frozenset({"id", "text", "label", "labels", *_ENTITIES, "relations", CARRIED})


def recognise(sample: Sample) -> int:
    """Objects with a `text` (or `data`) and a `label` of triples, or `entities` of triples or objects."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[") or not _TEXT.search(text) or _OTHERS.search(text):
        return NO
    if _SPANS.search(text) or _OBJECTS.search(text):
        return SURE
    return LIKELY if _NO_SPANS.search(text) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The texts of one file; its name is the name of the annotator."""
    means_gold = _means_gold(source, collector)
    marker = Marker(collector, stream.name, proves_empty=means_gold)
    asked, layer = collector.settings.text_field, collector.settings.layer
    for line, value, raw in read_objects(stream, collector):
        try:
            field = asked or next((name for name in _TEXT_FIELDS if name in value), _TEXT_FIELDS[0])
            own = _OWN_KEYS | {field, layer}
            text = value.get(field)
            if text is None:
                raise _no_text(value, field)
            if not isinstance(text, str):
                raise AnnotationError(f"'{field}' must be a text")
            carried = value.get(CARRIED)
            meta = {key: item for key, item in value.items() if key not in own and item != []}
            document = reclaim(text, identity(value.get("id"), "'id'"), meta, carried)
            place = Problem("", stream.name, line, document.id or "")
            if is_of_members(value, layer):
                votes, gold = regions_of_members(value[_MARKED], source.stem, collector, place), None
                document = replace(document, extras=_without_marks(document.extras))
            else:
                regions = _regions(value, collector, place)
                votes = {} if means_gold else {_annotator(carried, source): regions}
                gold = regions if means_gold else None
            records = marker.records(document, votes, gold, line)
            yield from (ReadRecord(record, line, raw) for record in records)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, str(value.get("id") or "")), raw)
    marker.finish()


def is_of_members(value: dict[str, Any], layer: str | None) -> bool:
    """Whether a record holds the spans of all members together, each with the number of its user."""
    found = value.get(_MARKED)
    is_other = layer is not None or any(name in value for name in ("label", "labels", *_ENTITIES))
    return isinstance(found, list) and not is_other


def regions_of_members(
    marked: list[Any], stem: str, collector: Collector, place: Problem
) -> dict[str, list[Region]]:
    """The spans by user; who marked nothing does not stand there."""
    votes: dict[str, list[Region]] = {}
    for item in objects(marked, f"'{_MARKED}'"):
        label = item.get("label")
        if isinstance(label, int) and not isinstance(label, bool):
            what = "labels are numbers of doccano, whose names are not in the file; kept as they are"
            collector.warn("labels-numbered", what, place)
            label = str(label)
        name = identity(item.get("user"), "'user'") or stem
        votes.setdefault(name, []).append(
            Region(item.get("start_offset"), item.get("end_offset"), [_label(label)])
        )
    what = (
        "texts name only annotators who marked something in them, all others are read as not having seen them"
    )
    collector.warn("silence-not-told", what)
    return votes


def _without_marks(extras: Mapping[str, Any]) -> dict[str, Any]:
    meta = {key: item for key, item in extras.get(META, {}).items() if key != _MARKED}
    kept = {key: item for key, item in extras.items() if key != META}
    return {**kept, META: meta} if meta else kept


def _no_text(value: dict[str, Any], field: str) -> AnnotationError:
    keys = ", ".join(list(value)[:6])
    advice = Advice("say {text_field} and {layer} (the field of the labels)", text_field="", layer="")
    return AnnotationError(f"'{field}' is missing, there is {keys}:", advice)


def _means_gold(source: Source, collector: Collector) -> bool:
    meant = collector.settings.files_mean
    if meant == "gold":
        return True
    if source.stem == SHARED:
        raise FormatError(
            Problem(
                "holds the labels of all members without their names: in doccano export again with 'Share "
                "annotations across all users' off, which gives one file for each member,",
                source.name,
                advice=Advice("or read it as gold with {files_mean}", files_mean="gold"),
            )
        )
    return is_gold(source.stem)


def _annotator(carried: Any, source: Source) -> str:
    """The name of the file, or the one that we wrote inside because it was not fit for a file name."""
    name = carried.get("annotator") if isinstance(carried, dict) else None
    return name if isinstance(name, str) else source.stem


def _regions(value: dict[str, Any], collector: Collector, place: Problem) -> list[Region]:
    if value.get("relations"):
        what = "relations between spans were left out"
        collector.warn("relations-left-out", what, place, len(objects(value["relations"], "'relations'")))
    asked = collector.settings.layer
    key = next((name for name in _ENTITIES if name in value and asked in (None, name)), None)
    if key is not None and not _are_triples(value[key]):
        return [_entity(item) for item in objects(value[key], f"'{key}'")]
    asked = key or asked
    labels = value.get("label", value.get("labels")) if asked is None else value.get(asked)
    if labels is None:
        raise AnnotationError(f"'{asked or 'label'}' is missing, a list of [start, end, label] is expected")
    if not isinstance(labels, list):
        raise AnnotationError(f"'{asked or 'label'}' must be a list of [start, end, label]")
    return [_triple(item) for item in labels]


def _are_triples(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, list) for item in value)


def _entity(item: dict[str, Any]) -> Region:
    start, end = (item.get(f"{name}_offset", item.get(name)) for name in ("start", "end"))
    return Region(start, end, [_label(item.get("label", item.get("label_")))])


def _triple(item: Any) -> Region:
    if not isinstance(item, list) or len(item) != 3:
        raise AnnotationError(
            "'label' holds something other than [start, end, label]: only projects for sequence labelling "
            "can be read"
        )
    return Region(item[0], item[1], [_label(item[2])])


def _label(value: Any) -> str:
    if not isinstance(value, str):
        raise AnnotationError("the label of a span must be a text")
    return value


FORMAT = Format(
    name="doccano",
    summary="doccano JSONL: one file for each annotator, named like the member (or its ZIP)",
    settings=(*MARKING, "layer", "text_field", "files_mean"),
    recognise=recognise,
    read=read,
    write_folder=write_folder,
    write_consensus=write_consensus,
)


ZIP_FORMAT = Format(
    name="doccano-zip",
    summary="a ZIP of doccano JSONL, one file for each annotator",
    extensions=("zip",),
    settings=(*MARKING, "layer", "text_field", "files_mean"),
    read=read,
    write=write_zip,
)
