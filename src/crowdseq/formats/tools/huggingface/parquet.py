"""Parquet and Arrow files: rows with tokens and tags as in Hugging Face datasets, or a long table."""

from collections.abc import Iterator

from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import LIKELY, NO, SURE, Format, Found, Sample
from crowdseq.formats.table_io.arrow import ARROW_FILE_MARK, ARROW_STREAM_MARK, PARQUET_MARK, read_table
from crowdseq.formats.tools.huggingface.rows import found_in
from crowdseq.formats.tools.huggingface.writing import write_consensus, write_dataset


def recognise(sample: Sample) -> int:
    """Told by its first bytes."""
    if sample.head.startswith((PARQUET_MARK, ARROW_FILE_MARK)):
        return SURE
    return LIKELY if sample.head.startswith(ARROW_STREAM_MARK) and sample.has_extension(("arrow",)) else NO


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:
    """Whose labels they are stands in a column, or the file is gold unless the settings say otherwise."""
    annotator = source.stem if intake.settings.files_mean == "annotator" else None
    yield from found_in(read_table(stream, intake), stream.name, intake, annotator, source.prefix)


FORMAT = Format(
    name="parquet",
    summary="Parquet or Arrow: tokens, ner_tags and annotator as in datasets, or a long table (extra: arrow)",
    extensions=("parquet", "arrow"),
    settings=("layer", "files_mean"),
    recognise=recognise,
    read=read,
    write=write_dataset,
    write_consensus=write_consensus,
)
