"""UIMA CAS, as JSON or as XMI, to a document with the spans of one layer; parsed by dkpro-cassis."""

import re
from collections.abc import Mapping
from typing import Any

from crowdseq.errors import AnnotationError, FormatError, MissingExtraError, Problem
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.foreign.worker import MissingLibrary, parse_or_refuse
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.offsets import whole_number
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.tools.inception.documents import Annotated, Choice, choose_layer, short_name

_XML_OFFSET = re.compile(rb'\s(?:begin|end)="([^"]*)"')
_XML_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_XML_ENCODINGS = (b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1")
XMI_MARK = "<xmi:XMI"
TYPE_SYSTEM = "TypeSystem.xml"
_JSON_MARK = re.compile(r'\s*\{\s*"%(?:TYPES|FEATURE_STRUCTURES|HEADER)"')


def is_json(text: str) -> bool:
    """Whether a text begins like a CAS in JSON."""
    return _JSON_MARK.match(text) is not None


def parse_json(text: str, name: str, collector: Collector) -> Annotated:
    """A CAS in JSON."""
    try:
        _check_offsets(loads(text, depth=collector.settings.limits.depth))
    except (JsonFault, AnnotationError) as error:
        raise FormatError(Problem(f"not a CAS in JSON ({error})", name)) from None
    return _annotated([text.encode("utf-8", "surrogatepass")], name, collector)


def _check_offsets(value: Any) -> None:
    """The library takes 3.0, "3" and true for numbers, each of which could be a label in the wrong place."""
    structures = value.get("%FEATURE_STRUCTURES") if isinstance(value, dict) else None
    if not isinstance(structures, list | dict):
        raise AnnotationError("%FEATURE_STRUCTURES is missing")
    for item in structures if isinstance(structures, list) else structures.values():
        for key in ("begin", "end") if isinstance(item, dict) else ():
            whole_number(item.get(key, 0), f"'{key}'")


def parse_xmi(data: bytes, types: bytes | None, name: str, collector: Collector) -> Annotated:
    """A CAS in XMI with its type system; entities are refused because nothing honest needs them here."""
    if types is None:
        what = "needs the file TypeSystem.xml that was exported with it, put it beside this one"
        raise FormatError(Problem(what, name))
    for part in (data, types):
        _check_xml(part, name)
    for found in _XML_OFFSET.findall(data):
        if not re.fullmatch(rb"[0-9]{1,12}", found):
            raise FormatError(
                Problem(f"an offset is {found.decode('utf-8', 'replace')!a}, not a number", name)
            )
    return _annotated([data, types], name, collector)


def _check_xml(data: bytes, name: str) -> None:
    """Looked at in the bytes, before any parser sees them, and in encodings that cannot hide it."""
    plain = data.replace(b"\0", b"")
    declared = _XML_ENCODING.search(plain[:200])
    if declared is not None and declared[1].lower() not in _XML_ENCODINGS:
        raise FormatError(Problem(f"is XML in {declared[1].decode()}, save it as UTF-8", name))
    if b"<!DOCTYPE" in plain.upper():
        raise FormatError(Problem("holds a DOCTYPE, which could hide entities: remove it", name))


def _annotated(parts: list[bytes], name: str, collector: Collector) -> Annotated:
    """Parsed in a process of its own: whatever goes wrong there is a fault of the file, told in one line."""
    damaged = Problem("not a CAS that can be read ({0}), export it again", name)
    is_json = len(parts) == 1
    try:
        (cas,) = parse_or_refuse(collector.workers, "cas_spans", parts, damaged, is_json=is_json)
    except MissingLibrary:
        raise MissingExtraError("reading UIMA CAS", "formats") from None
    if cas["unmapped"] is not None:
        offset = re.search(r"\[(.*?)\]", cas["unmapped"])
        shown = offset[1] if offset else "?"
        what = f"the offset {shown} does not fit the text, which counts UTF-16 units: export it again"
        raise FormatError(Problem(what, name))
    if not isinstance(cas["text"], str):
        raise FormatError(Problem("holds no text, export the document with it", name))
    return _chosen(cas, name, collector.settings.layer)


def _chosen(cas: Mapping[str, Any], name: str, asked: str | None) -> Annotated:
    text, layers = cas["text"], cas["layers"]
    try:
        choice = choose_layer(layers, asked)
    except AnnotationError as error:
        raise FormatError(problem_of(error, name)) from None
    others = tuple(short_name(layer) for layer in layers if choice is None or layer != choice.layer)
    regions = [
        _region(begin, end, features, choice, text)
        for layer, begin, end, features in cas["marks"]
        if choice is not None and layer == choice.layer
    ]
    tokens = [(begin, end) for begin, end in cas["tokens"]]
    known, layer = tuple(map(short_name, layers)), None if choice is None else choice.layer
    return Annotated(text, tokens or None, regions, "characters", others, known, layer)


def _region(begin: int, end: int, features: Mapping[str, Any], choice: Choice, text: str) -> Region:
    label = choice.label if choice.feature is None else features.get(choice.feature)
    covered = text[begin:end] if begin <= end <= len(text) else None
    return Region(begin, end, [] if label is None else [label], covered)
