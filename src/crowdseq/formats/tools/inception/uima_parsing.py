"""UIMA CAS, as JSON or as XMI, to a document with the spans of one layer; parsed by dkpro-cassis."""

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from crowdseq.errors import AnnotationError, FormatError, MissingExtraError, Problem
from crowdseq.formats.findings.collector import problem_of
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.offsets import whole_number
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.tools.inception.documents import Annotated, Choice, choose_layer, short_name

if TYPE_CHECKING:
    from cassis import Cas

TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_STRING = "uima.cas.String"
# Layers that describe the document, its segments or the tool, and that nobody labels by hand.
_NOT_LABELS = re.compile(
    r"uima\.tcas\.DocumentAnnotation|de\.tudarmstadt\.ukp\.dkpro\.core\.api\.(segmentation|metadata|structure)\..*"
    r"|de\.tudarmstadt\.ukp\.clarin\.webanno\.api\.type\..*|org\.dkpro\.core\.api\.xml\..*"
)
_XML_OFFSET = re.compile(rb'\s(?:begin|end)="([^"]*)"')
_XML_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_XML_ENCODINGS = (b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1")
_UNMAPPED = "Not mapping external offset"
XMI_MARK = "<xmi:XMI"
TYPE_SYSTEM = "TypeSystem.xml"
_JSON_MARK = re.compile(r'\s*\{\s*"%(?:TYPES|FEATURE_STRUCTURES|HEADER)"')


def is_json(text: str) -> bool:
    """Whether a text begins like a CAS in JSON."""
    return _JSON_MARK.match(text) is not None


def parse_json(text: str, name: str, asked: str | None, depth: int) -> Annotated:
    """A CAS in JSON."""
    try:
        _check_offsets(loads(text, depth=depth))
    except (JsonFault, AnnotationError) as error:
        raise FormatError(Problem(f"not a CAS in JSON ({error})", name)) from None
    cassis = _library()
    return _annotated(_guarded(lambda: cassis.load_cas_from_json(text), name), name, asked)


def _check_offsets(value: Any) -> None:
    """The library takes 3.0, "3" and true for numbers, each of which could be a label in the wrong place."""
    structures = value.get("%FEATURE_STRUCTURES") if isinstance(value, dict) else None
    if not isinstance(structures, list | dict):
        raise AnnotationError("%FEATURE_STRUCTURES is missing")
    for item in structures if isinstance(structures, list) else structures.values():
        for key in ("begin", "end") if isinstance(item, dict) else ():
            whole_number(item.get(key, 0), f"'{key}'")


def parse_xmi(data: bytes, types: bytes | None, name: str, asked: str | None) -> Annotated:
    """A CAS in XMI with its type system; entities are refused because nothing honest needs them here."""
    cassis = _library()
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

    def load() -> "Cas":
        system = cassis.load_typesystem(io.BytesIO(types))
        return cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=system)

    return _annotated(_guarded(load, name), name, asked)


def _check_xml(data: bytes, name: str) -> None:
    """Looked at in the bytes, before any parser sees them, and in encodings that cannot hide it."""
    plain = data.replace(b"\0", b"")
    declared = _XML_ENCODING.search(plain[:200])
    if declared is not None and declared[1].lower() not in _XML_ENCODINGS:
        raise FormatError(Problem(f"is XML in {declared[1].decode()}, save it as UTF-8", name))
    if b"<!DOCTYPE" in plain.upper():
        raise FormatError(Problem("holds a DOCTYPE, which could hide entities: remove it", name))


def _library() -> Any:
    try:
        import cassis
    except ImportError:
        raise MissingExtraError("reading UIMA CAS", "formats") from None
    return cassis


def _guarded(load: "Callable[[], Cas]", name: str) -> "Cas":
    """Whatever goes wrong in the library on a strange file is a fault of the file, told in one line."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            cas = load()
        except MemoryError:
            raise
        # Not narrower: cassis and lxml raise whatever a damaged file makes them stumble over (KeyError,
        # AttributeError, XMLSyntaxError, …); nothing of ours runs inside.
        except Exception as error:
            what = f"not a CAS that can be read ({type(error).__name__}: {error}), export it again"
            raise FormatError(Problem(" ".join(what.split()), name)) from None
    for warning in said:
        if str(warning.message).startswith(_UNMAPPED):
            offset = re.search(r"\[(.*?)\]", str(warning.message))
            shown = offset[1] if offset else "?"
            what = f"the offset {shown} does not fit the text, which counts UTF-16 units: export it again"
            raise FormatError(Problem(what, name))
    return cas


def _annotated(cas: "Cas", name: str, asked: str | None) -> Annotated:
    text = cas.sofa_string
    if not isinstance(text, str):
        raise FormatError(Problem("holds no text, export the document with it", name))
    try:
        found = sorted(cas.select_all_annotations(), key=lambda item: (item.begin, -item.end))
        tokens = [(item.begin, item.end) for item in found if item.type.name == TOKEN]
        marked = [item for item in found if not _NOT_LABELS.fullmatch(item.type.name)]
        layers = {item.type.name: _features(item.type) for item in marked}
        choice = choose_layer(layers, asked)
    except AnnotationError as error:
        raise FormatError(problem_of(error, name)) from None
    except (TypeError, AttributeError):
        raise FormatError(Problem("an annotation has no begin or end, export it again", name)) from None
    others = tuple(short_name(layer) for layer in layers if choice is None or layer != choice.layer)
    chosen = [item for item in marked if choice is not None and item.type.name == choice.layer]
    regions = [_region(item, choice, text) for item in chosen if choice is not None]
    known, layer = tuple(map(short_name, layers)), None if choice is None else choice.layer
    return Annotated(text, tokens or None, regions, "characters", others, known, layer)


def _features(kind: Any) -> list[str]:
    return [feature.name for feature in kind.all_features if feature.rangeType.name == _STRING]


def _region(item: Any, choice: Choice, text: str) -> Region:
    label = choice.label if choice.feature is None else getattr(item, choice.feature)
    covered = text[item.begin : item.end] if item.begin <= item.end <= len(text) else None
    return Region(item.begin, item.end, [] if label is None else [label], covered)
