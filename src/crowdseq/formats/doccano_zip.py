"""A ZIP of doccano JSONL, as doccano exports it; it is read like a folder of the same files."""

from crowdseq.formats.doccano import read
from crowdseq.formats.doccano_writing import write_zip
from crowdseq.formats.format import Format

FORMAT = Format(
    name="doccano-zip",
    summary="a ZIP of doccano JSONL, one file for each annotator",
    extensions=("zip",),
    read=read,
    write=write_zip,
)
