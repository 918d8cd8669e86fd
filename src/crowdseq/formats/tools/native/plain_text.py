"""Plain text, one sentence a line: what a tagger is given to label."""

from collections.abc import Iterator

from crowdseq.core.building import Record
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import BY_NAME, NO, Format, ReadRecord, Sample
from crowdseq.formats.spans.tokenize import tokenizer


def recognise(sample: Sample) -> int:
    """Told by the name alone, since anything is text."""
    return BY_NAME if sample.has_extension(FORMAT.extensions) and "\0" not in sample.text else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Sentences without labels; an empty line parts documents."""
    cut = tokenizer(collector.settings.tokenizer)
    document = 1
    for number, line in read_lines(stream, collector):
        tokens = [line[start:end] for start, end in cut(line)]
        if not tokens:
            document += 1
            continue
        name = f"{source.prefix}s{number}"
        doc = f"{source.prefix}d{document}"
        yield ReadRecord(Record(tokens, name, doc, place=f"{stream.name}:{number}"), number, line)


FORMAT = Format(
    name="text",
    summary="plain text, one sentence a line, an empty line between documents (no labels)",
    has_labels=False,
    extensions=("txt", "text"),
    settings=("tokenizer",),
    recognise=recognise,
    read=read,
)
