"""Documents as single people left them, in the tools that export a file for each: to records."""

import hashlib
from collections.abc import Iterator

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.roles import annotator_of, refuse_second_gold
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import Found
from crowdseq.formats.spans.kept_text import token_bounds
from crowdseq.formats.spans.to_records import Document, Marker
from crowdseq.formats.tools.inception.layers import Annotated


def lone_file(found: Annotated, source: Source, intake: Intake) -> Iterator[Found]:
    """A file outside of any folder structure: gold, or one annotator's if the settings say so."""
    annotator = annotator_of(source, intake)
    marker = Marker(intake, source.name, proves_empty=annotator is None)
    # Two annotators' files have different names; only the text tells that they are about the same document.
    name = source.stem if annotator is None else None
    for record in records(found, marker, name, annotator, source.name, intake):
        yield Found(record, 0, None)
    if annotator is None:
        digest = hashlib.sha256(found.text.encode("utf-8", "replace")).hexdigest()
        refuse_second_gold(digest, source.name, intake)
    marker.finish()


def records(
    found: Annotated, marker: Marker, name: str | None, annotator: str | None, file: str, intake: Intake
) -> list[Record]:
    """The records of one document by one person; a faulty one is rejected."""
    marker.file, marker.unit, marker.is_proven = file, found.unit, True  # by the tokens, or by the library
    intake.saw_layers(found.layers, has_it=found.layer is not None)
    if found.other_layers:
        what = "layers were left out, they are not the one that is read"
        intake.warn("layers-left-out", what, Problem(", ".join(found.other_layers), file))
    try:
        tokens = None if found.tokens is None else token_bounds(found.text, found.tokens)
        document = Document(found.text, name, tokens)
        if annotator is not None:
            return marker.records(document, {annotator: found.regions})
        if not found.regions and not marker.proves_empty:
            return _without_gold(marker, document, intake)
        return marker.records(document, {}, found.regions)
    except AnnotationError as error:
        intake.reject(Problem(str(error), file, record=name or ""), None)
    except FormatError as error:
        intake.fail(*error.problems)
    return []


def _without_gold(marker: Marker, document: Document, intake: Intake) -> list[Record]:
    """Curation that leaves nothing looks like no curation at all, and only the user can know which it was."""
    if intake.settings.empty_means == "labelled":
        return marker.records(document, {}, [])
    what = "curated documents hold no span, read as not curated (--empty-means labelled: as gold without any)"
    intake.warn("empty-curation", what, Problem("", marker.file))
    return marker.records(document, {})
