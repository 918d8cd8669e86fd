"""Format: what one kind of file is called, how it is recognised, read and written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeAlias

from crowdseq.core.building import Record
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.files.sources import Folder, Source, Stream
from crowdseq.formats.findings.collector import Collector, Raw
from crowdseq.formats.settings import ReadSettings

NO, BY_NAME, LIKELY, SURE = range(4)
# Settings that all formats use which mark characters instead of tokens.
MARKING = (
    "types",
    "tokenizer",
    "sentences",
    "empty_means",
    "offset_unit",
    "overlaps",
    "cut_tokens",
    "several_labels",
    "discontinuous",
)
Notes: TypeAlias = Sequence[str]
# Tags and, if asked for, their confidence, to the text that a sentence becomes.
Back: TypeAlias = Callable[[tuple[str, ...], list[float] | None], str]
_NOT_FOR_ALL = (*MARKING, "layer", "text_field", "columns", "files_mean", "predictions")
_FOR_LAYERS = frozenset({"overlaps", "cut_tokens"})


class ReadRecord(NamedTuple):
    """A record, the line it begins at, and its text as it stands in the file (for the rejects file)."""

    record: Record
    line: int
    raw: Raw


@dataclass(frozen=True)
class Carried:
    """One sentence: its tokens, its document, its way back into the file, and what else its tokens have."""

    tokens: tuple[str, ...]
    doc: str | int | None
    back: Back
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, to recognise its format by: unpacked, and decoded as well as may be."""

    name: str
    head: bytes
    text: str
    is_whole: bool

    @cached_property
    def lines(self) -> list[str]:
        """The complete lines of the beginning."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines if self.is_whole else lines[:-1]

    def has_extension(self, extensions: Sequence[str]) -> bool:
        """Whether the file name ends in one of them, a `.gz` behind it left aside."""
        return self.name.lower().removesuffix(".gz").endswith(tuple(f".{end}" for end in extensions))


Reader: TypeAlias = Callable[[Stream, Source, Collector], Iterator[ReadRecord]]


FolderReader: TypeAlias = Callable[[Folder, Collector], Iterator[tuple[str, ReadRecord]]]


def with_tags(
    rows: Sequence[str], separator: str, tags: tuple[str, ...], confidence: list[float] | None
) -> str:
    """Lines with a tag at their end, and its confidence before it."""
    more = [tags] if confidence is None else [tuple(f"{value:.4f}" for value in confidence), tags]
    return "".join(separator.join(cells) + "\n" for cells in zip(rows, *more, strict=True))


@dataclass(frozen=True)
class Carrier:
    """How sentences are taken out of a file to be tagged and put back with all that came with them.

    recognise: as for reading, but of files that have no labels yet, by which readers know them. carry: the
    sentences in order; its last argument says whether columns must come back with tabs between them.
    """

    recognise: Callable[[Sample], int]
    carry: Callable[[Stream, Source, Collector, bool], Iterator[Carried]]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format; what it cannot do is None.

    has_labels: False for text alone, which is never picked up from a folder by chance. has_cells: True for a
    table that spreadsheets open, whose writers take `excel_safe=True`. has_details: True where confidence and
    names of a consensus are written only if `details=True`. extensions: of file names, the first
    is the usual one. settings: names of those in ReadSettings that only some formats use, and this one does.
    recognise: from a sample to NO, BY_NAME, LIKELY or SURE. read: the records of one file.
    recognise_folder, read_folder: for forms in which a folder is one thing; read_folder names the file of
    each record. other_files: the files in such a folder that are none of this form.
    text_of: how the text of a file begins, for formats in which a file may be one annotator's, or a document
    of the annotator that its folder is named after; None if the sample does not tell.
    write, write_consensus: a corpus or a consensus to an open file; write_folder, write_consensus_folder:
    into an empty folder. Writers give back one line for everything that the format has no room for, and raise
    before they would change a text or a label. carrier: puts tags into a file as it stands.
    """

    name: str
    summary: str
    has_labels: bool = True
    has_cells: bool = False
    has_details: bool = False
    extensions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    recognise: Callable[[Sample], int] = lambda _: NO
    read: Reader | None = None
    recognise_folder: Callable[[Folder], int] | None = None
    read_folder: FolderReader | None = None
    other_files: Callable[[Folder], Sequence[Source]] | None = None
    text_of: Callable[[Sample], str | None] | None = None
    carrier: Carrier | None = None
    write: Callable[..., Notes] | None = None
    write_folder: Callable[[Corpus, Path], Notes] | None = None
    write_consensus: Callable[..., Notes] | None = None
    write_consensus_folder: Callable[[Consensus, Path], Notes] | None = None


def unused_settings(settings: ReadSettings, forms: Iterable[Format]) -> list[str]:
    """Names of settings that differ from their default and that none of these formats looks at."""
    defaults = {setting.name: setting.default for setting in fields(settings)}
    used = frozenset[str]().union(*(form.settings for form in forms))
    if settings.in_layers:  # whatever the format, a corpus is taken apart after it was read
        used |= _FOR_LAYERS
    if settings.files_mean == "part":  # that is for whoever reads several files, not for the format of one
        used |= {"files_mean"}
    return [name for name in _NOT_FOR_ALL if name not in used and getattr(settings, name) != defaults[name]]
