"""A ZIP of doccano JSONL, as doccano exports it; it is read like a folder of the same files."""

from crowdseq.formats.doccano import read
from crowdseq.formats.doccano_writing import write_zip
from crowdseq.formats.format import MARKING, Format

FORMAT = Format(
    name="doccano-zip",
    summary="a ZIP of doccano JSONL, one file for each annotator",
    extensions=("zip",),
    settings=(*MARKING, "layer", "text_field", "files_mean"),
    read=read,
    write=write_zip,
)
