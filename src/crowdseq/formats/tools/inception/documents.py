"""Documents as single people left them, in the tools that export a file for each: to records."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crowdseq.core.building import Record
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.roles import annotator_of, refuse_second_gold
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import ReadRecord
from crowdseq.formats.spans.kept_text import Document, token_bounds
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker

_USUAL_FEATURE = "value"


@dataclass(frozen=True)
class Annotated:
    """One document as one person left it.

    tokens: their places in code points, None if the file has none. regions: of the chosen layer, in `unit`.
    other_layers: names of layers that were not read. layers: those that could have been chosen, for which
    `layer` stands if it was one of them.
    """

    text: str
    tokens: Sequence[tuple[int, int]] | None
    regions: Sequence[Region]
    unit: str
    other_layers: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    layer: str | None = None


class Choice(NamedTuple):
    """A layer by its full name, and the feature with the labels; None where the layer is the label."""

    layer: str
    feature: str | None

    @property
    def label(self) -> str:
        """What a span of a layer without features is called."""
        return short_name(self.layer)


def short_name(layer: str) -> str:
    """`de.tudarmstadt.….NamedEntity` to `NamedEntity`."""
    return layer.rsplit(".", 1)[-1]


def choose_layer(layers: Mapping[str, Sequence[str]], asked: str | None) -> Choice | None:
    """The only layer, or the one asked for as NAME or NAME:FEATURE; None if the document has none of it."""
    wanted, _, feature = (asked or "").partition(":")
    fitting = [name for name in layers if not wanted or wanted in (name, short_name(name))]
    if len(fitting) > 1:
        shown = ", ".join(short_name(name) if not wanted else name for name in fitting)
        advice = Advice("say {layer} with one of them", layer="")
        raise AnnotationError(f"there are several layers ({shown})", advice)
    if not fitting:
        return None
    (layer,) = fitting
    features = layers[layer]
    if feature and feature not in features:
        known = ", ".join(features) or "none"
        raise AnnotationError(f"layer {short_name(layer)} has no feature '{feature}', it has {known}")
    if feature or not features:
        return Choice(layer, feature or None)
    return Choice(layer, _USUAL_FEATURE if _USUAL_FEATURE in features else features[0])


def lone_file(found: Annotated, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """A file outside of any folder structure: gold, or one annotator's if the settings say so."""
    annotator = annotator_of(source, collector)
    marker = Marker(collector, source.name, proves_empty=annotator is None)
    # Two annotators' files have different names; only the text tells that they are about the same document.
    name = source.stem if annotator is None else None
    for record in records(found, marker, name, annotator, source.name, collector):
        yield ReadRecord(record, 0, None)
    if annotator is None:
        digest = hashlib.sha256(found.text.encode("utf-8", "replace")).hexdigest()
        refuse_second_gold(digest, source.name, collector)
    marker.finish()


def records(
    found: Annotated, marker: Marker, name: str | None, annotator: str | None, file: str, collector: Collector
) -> list[Record]:
    """The records of one document by one person; a faulty one is rejected."""
    marker.file, marker.unit, marker.is_proven = file, found.unit, True  # by the tokens, or by the library
    collector.saw_layers(found.layers, has_it=found.layer is not None)
    if found.other_layers:
        what = "layers were left out, they are not the one that is read"
        collector.warn("layers-left-out", what, Problem(", ".join(found.other_layers), file))
    try:
        tokens = None if found.tokens is None else token_bounds(found.text, found.tokens)
        document = Document(found.text, name, tokens)
        if annotator is not None:
            return marker.records(document, {annotator: found.regions})
        if not found.regions and not marker.proves_empty:
            return _without_gold(marker, document, collector)
        return marker.records(document, {}, found.regions)
    except AnnotationError as error:
        collector.reject(problem_of(error, file, record=name or ""), None)
    except FormatError as error:
        collector.fail(*error.problems)
    return []


def _without_gold(marker: Marker, document: Document, collector: Collector) -> list[Record]:
    """Curation that leaves nothing looks like no curation at all, and only the user can know which it was."""
    if collector.settings.empty_means == "labelled":
        return marker.records(document, {}, [])
    advice = Advice("{empty_means} reads them as gold without any", empty_means="labelled")
    what = "curated documents hold no span, read as not curated:"
    collector.warn("empty-curation", what, Problem("", marker.file), advice=advice)
    return marker.records(document, {})
