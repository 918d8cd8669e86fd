"""Files to nouns and back; one format, one file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crowdseq.formats.findings.import_report import ImportReport
    from crowdseq.formats.format import Format
    from crowdseq.formats.reading import Imported, read, read_layers
    from crowdseq.formats.registry import FORMATS, list_formats
    from crowdseq.formats.settings import Limits, ReadSettings
    from crowdseq.formats.writing import write, write_consensus

# Name to the module that has it; loaded when first asked for: tagging a sentence needs no format at all.
_WHERE = {
    "FORMATS": "registry",
    "Format": "format",
    "ImportReport": "findings.import_report",
    "Imported": "reading",
    "Limits": "settings",
    "ReadSettings": "settings",
    "list_formats": "registry",
    "read": "reading",
    "read_layers": "reading",
    "write": "writing",
    "write_consensus": "writing",
}

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


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'crowdseq.formats' has no attribute '{name}'")
    return getattr(import_module(f"crowdseq.formats.{_WHERE[name]}"), name)
