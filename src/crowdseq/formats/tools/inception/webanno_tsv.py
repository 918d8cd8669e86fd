"""WebAnno TSV 3.3, one file: a document as one person left it in INCEpTION or WebAnno."""

from collections.abc import Iterator

from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import MARKING, NO, SURE, Format, Found, Sample
from crowdseq.formats.tools.inception.documents import lone_file
from crowdseq.formats.tools.inception.webanno_parsing import MARK, parse


def recognise(sample: Sample) -> int:
    """Told by its first line."""
    return SURE if sample.text.startswith(MARK) else NO


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:
    """One document."""
    settings = intake.settings
    found = parse(read_lines(stream, intake), stream.name, settings.layer, settings.limits.line_bytes)
    yield from lone_file(found, source, intake)


FORMAT = Format(
    name="webanno-tsv",
    summary="WebAnno TSV 3.3 of INCEpTION, one file; folders and project ZIPs are read as inception",
    extensions=("tsv",),
    settings=(*MARKING, "layer", "files_mean"),
    recognise=recognise,
    read=read,
)
