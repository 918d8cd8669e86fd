"""UIMA CAS, by dkpro-cassis: the text, its tokens, and the annotations of every layer that people label."""

import io
import re
import warnings
from collections.abc import Iterator
from typing import Any

from crowdseq.formats.foreign.child import Fault

_TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_STRING = "uima.cas.String"
# Layers that describe the document, its segments or the tool, and that nobody labels by hand.
_NOT_LABELS = re.compile(
    r"uima\.tcas\.DocumentAnnotation|de\.tudarmstadt\.ukp\.dkpro\.core\.api\.(segmentation|metadata|structure)\..*"
    r"|de\.tudarmstadt\.ukp\.clarin\.webanno\.api\.type\..*|org\.dkpro\.core\.api\.xml\..*"
)
_UNMAPPED = "Not mapping external offset"


def prepare() -> None:
    """Import what parses."""
    import cassis  # noqa: F401


def parse(parts: list[bytes], is_json: bool) -> Iterator[Any]:
    """{text, unmapped, tokens, layers, marks}: unmapped is an offset that does not fit the text; layers by
    name with their features; marks are [layer, begin, end, {feature: value}] in order."""
    import cassis

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if is_json:
            cas = cassis.load_cas_from_json(parts[0].decode("utf-8"))
        else:
            system = cassis.load_typesystem(io.BytesIO(parts[1]))
            cas = cassis.load_cas_from_xmi(io.BytesIO(parts[0]), typesystem=system)
    unmapped = next((str(w.message) for w in said if str(w.message).startswith(_UNMAPPED)), None)
    text = cas.sofa_string
    if unmapped is not None or not isinstance(text, str):
        yield {"text": None, "unmapped": unmapped, "tokens": [], "layers": {}, "marks": []}
        return
    try:
        found = sorted(cas.select_all_annotations(), key=lambda item: (item.begin, -item.end))
    except (TypeError, AttributeError):
        raise Fault("an annotation has no begin or end") from None
    marked = [item for item in found if not _NOT_LABELS.fullmatch(item.type.name)]
    layers = {item.type.name: _features(item.type) for item in marked}
    yield {
        "text": text,
        "unmapped": None,
        "tokens": [(item.begin, item.end) for item in found if item.type.name == _TOKEN],
        "layers": layers,
        "marks": [_mark(item, layers[item.type.name]) for item in marked],
    }


def _features(kind: Any) -> list[str]:
    return [feature.name for feature in kind.all_features if feature.rangeType.name == _STRING]


def _mark(item: Any, features: list[str]) -> list[Any]:
    return [item.type.name, item.begin, item.end, {name: getattr(item, name) for name in features}]
