"""WebAnno TSV 3.3, one file: a document as one person left it in INCEpTION or WebAnno."""

from collections.abc import Iterator

from crowdseq.formats.files.lines import head_text, read_lines, read_text
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.tools.inception.documents import lone_file
from crowdseq.formats.tools.inception.uima_parsing import (
    TYPE_SYSTEM,
    XMI_MARK,
    is_json,
    parse_json,
    parse_xmi,
)
from crowdseq.formats.tools.inception.webanno_parsing import MARK, parse


def recognise_tsv(sample: Sample) -> int:
    """Told by its first line."""
    return SURE if sample.text.startswith(MARK) else NO


def read_tsv(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """One document."""
    settings = collector.settings
    found = parse(read_lines(stream, collector), stream.name, settings.layer, settings.limits.line_bytes)
    yield from lone_file(found, source, collector)


def recognise_cas(sample: Sample) -> int:
    """Told by its first key, or by the first element of XML."""
    return SURE if is_json(sample.text) or XMI_MARK in sample.text[:1000] else NO


def read_cas(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """One document; an XMI needs its type system in the same folder."""
    settings = collector.settings
    if XMI_MARK in head_text(stream, settings.encoding)[:1000]:
        data = b"".join(stream.blocks())
        beside = source.path.with_name(TYPE_SYSTEM) if source.path is not None else None
        types = beside.read_bytes() if beside is not None and beside.is_file() else None
        found = parse_xmi(data, types, stream.name, collector)
    else:
        found = parse_json(read_text(stream, collector), stream.name, collector)
    yield from lone_file(found, source, collector)


TSV_FORMAT = Format(
    name="webanno-tsv",
    summary="WebAnno TSV 3.3 of INCEpTION, one file; folders and project ZIPs are read as inception",
    extensions=("tsv",),
    settings=(*MARKING, "layer", "files_mean"),
    recognise=recognise_tsv,
    read=read_tsv,
)


CAS_FORMAT = Format(
    name="uima-cas",
    summary="UIMA CAS in JSON or XMI, one file; folders are read as inception (extra: formats)",
    extensions=("xmi",),
    settings=(*MARKING, "layer", "files_mean"),
    recognise=recognise_cas,
    read=read_cas,
)
