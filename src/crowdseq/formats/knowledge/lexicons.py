"""Lists of names, one a line, as token sequences that a text can be searched for."""

import hashlib
from collections.abc import Iterable, Iterator
from os import PathLike, fspath

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files import list_inputs
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.knowledge.encodings import as_utf8
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.spans.tokenize import cutter
from crowdseq.tagging.lexicons import BREAK

_MOST_NAMES = 5_000_000


def read_names(file: str | PathLike[str]) -> tuple[tuple[str, ...], str]:
    """The names of a file (UTF-8, .gz too), each once, and the SHA-256 of the file."""
    settings = ReadSettings()
    source = list_inputs(fspath(file))[0]
    if not isinstance(source, Source):
        raise FormatError(Problem("is a folder, give a file with one name a line", source.name))
    with as_utf8(), open_source(source, settings.limits) as stream, Collector(settings) as collector:
        lines = list(read_lines(stream, collector))
        collector.finish()
        return names_of_lines(lines, source.name), stream.sha256


def names_of_list(names: Iterable[str], called: str) -> tuple[tuple[str, ...], str]:
    """The same of names in memory, with a digest of them."""
    lines = list(enumerate(names, 1))
    found = names_of_lines(lines, called)
    return found, hashlib.sha256("\n".join(found).encode("utf-8", "surrogatepass")).hexdigest()


def names_of_lines(lines: Iterable[tuple[int, str]], file: str) -> tuple[str, ...]:
    """Numbered lines to names, empty ones left out; every bad line is told at once."""
    found: dict[str, None] = {}
    problems = []
    for number, line in lines:
        fault = _fault(line)
        if fault:
            problems.append(Problem(fault, file, number))
            continue
        found.update(dict.fromkeys(_forms(line)))
        if len(found) > _MOST_NAMES:
            raise FormatError(Problem(f"more than {_MOST_NAMES:,} names, give a shorter list", file, number))
    if problems:
        raise FormatError(*problems)
    if not found:
        raise FormatError(Problem("holds no name, give one a line", file))
    return tuple(found)


def _fault(line: object) -> str:
    if not isinstance(line, str):
        return f"{line!r} is no text, give names as texts"
    strange = next((sign for sign in line.strip() if sign < " " or sign == "\x7f"), "")
    if strange == "\t":
        return "the line has several columns, give one name a line and nothing else"
    return f"the name has the control character U+{ord(strange):04X}, remove it" if strange else ""


def _forms(line: str) -> Iterator[str]:
    """The name cut at spaces, and as the tokeniser cuts text: tokens of a corpus may be either."""
    by_spaces = line.split()
    if by_spaces:
        yield BREAK.join(by_spaces)
        yield BREAK.join(cutter(ReadSettings().tokenizer)(line).words)
