"""Label Studio CONLL2003: columns that lost the annotators; a crowd is refused, one annotator is gold."""

from collections.abc import Iterator

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.tools.conll import columns_file
from crowdseq.formats.tools.conll.recognising import is_label_studio

_LOST = (
    "Label Studio's CONLL2003 export writes a text once for each annotator and does not say who labelled it "
    "({count:,} texts stand twice or more): export JSON instead"
)


def recognise(sample: Sample) -> int:
    """Its first two lines are unlike those of any other tool."""
    rows = [line for line in sample.lines if line.strip(" \t")]
    return SURE if is_label_studio(rows) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The labels as gold, unless the same text stands there again and again, once for each annotator."""
    before: ReadRecord | None = None
    n_texts, n_repeated, n_contradicting = 0, 0, 0
    for found in columns_file.read(stream, source, collector):
        n_texts += 1
        if before is not None and list(before.record.tokens) == list(found.record.tokens):
            n_repeated += 1
            n_contradicting += before.record.gold != found.record.gold
        before = found
        yield found
    # Short sentences may well come twice in a row; other labels on the second, or many of them, are a crowd.
    if n_contradicting or n_repeated * 5 > n_texts:
        raise FormatError(Problem(_LOST.format(count=n_repeated), stream.name))


FORMAT = Format(
    name="label-studio-conll",
    summary="Label Studio CONLL2003: one annotator as gold (it lost who did what, a crowd is refused)",
    settings=("columns", "files_mean"),
    recognise=recognise,
    read=read,
)
