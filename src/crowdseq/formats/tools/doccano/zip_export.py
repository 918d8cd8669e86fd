"""A ZIP of doccano JSONL, as doccano exports it; it is read like a folder of the same files."""

from crowdseq.formats.format import MARKING, Format
from crowdseq.formats.tools.doccano.jsonl import read
from crowdseq.formats.tools.doccano.writing import write_zip

FORMAT = Format(
    name="doccano-zip",
    summary="a ZIP of doccano JSONL, one file for each annotator",
    extensions=("zip",),
    settings=(*MARKING, "layer", "text_field", "files_mean"),
    read=read,
    write=write_zip,
)
