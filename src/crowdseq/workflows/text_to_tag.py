"""The sentences of a text to be tagged, whatever it came in."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError
from crowdseq.formats import read
from crowdseq.formats.carrying import sentence_to_tag, sentences_to_tag
from crowdseq.formats.files.sources import (
    HEAD_BYTES,
    STANDARD_INPUT,
    Source,
    is_archive,
    is_spreadsheet,
    open_source,
)
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import Carried
from crowdseq.formats.settings import ReadSettings


def sentences_of(
    path: str, settings: ReadSettings | None = None, *, with_tabs: bool = False
) -> Iterator[Carried]:
    """The sentences of a file, a folder or standard input, whatever labels stand there."""
    reading = for_text(settings or ReadSettings())
    if path != STANDARD_INPUT and is_folder(path):
        yield from map(sentence_to_tag, corpus_of_folder(path, reading).sentences)
        return
    source = source_of(path)
    with open_source(source, reading.limits) as stream, Collector(reading) as collector:
        yield from sentences_to_tag(stream, source, collector, with_tabs=with_tabs)
        collector.finish()


def for_text(settings: ReadSettings) -> ReadSettings:
    """The text is all that counts here: labels that stand there already are no question."""
    return replace(
        settings,
        empty_means="labelled",
        duplicates="first",
        several_labels="first",
        discontinuous="drop",
        files_mean="annotator",
    )


def source_of(path: str) -> Source:
    return Source(path, Path(path).name, None if path == STANDARD_INPUT else Path(path))


def is_folder(path: str) -> bool:
    """A folder, or a ZIP that stands for one."""
    if Path(path).is_dir():
        return True
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
    return is_archive(head) and not is_spreadsheet(head)


def corpus_of_folder(path: str, reading: ReadSettings) -> Corpus:
    """Every sentence of the files in a folder once; a folder of text files has a sentence in each line."""
    reading = replace(reading, files_mean="auto")
    try:
        return read(path, reading).corpus
    except FormatError:
        names = [file.name for file in Path(path).rglob("*") if file.is_file()] if Path(path).is_dir() else []
        if reading.format is not None or not names or not all(name.endswith(".txt") for name in names):
            raise
        return read(path, replace(reading, format="text")).corpus
