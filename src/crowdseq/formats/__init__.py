"""Files to nouns and back; one format, one file."""

from crowdseq.formats.exporting import write, write_consensus
from crowdseq.formats.format import Format
from crowdseq.formats.importing import Imported, read, read_layers
from crowdseq.formats.registry import FORMATS, list_formats
from crowdseq.formats.report import ImportReport
from crowdseq.formats.settings import Limits, ReadSettings

__all__ = [
    "FORMATS",
    "Format",
    "ImportReport",
    "Imported",
    "Limits",
    "ReadSettings",
    "list_formats",
    "read",
    "read_layers",
    "write",
    "write_consensus",
]
