"""Sentences taken out of columns and put back with a tag in the last one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import LIKELY, NO, Back, Carried, Sample, with_tags
from crowdseq.formats.tools.conll.blocks import SENTENCE_END, sample_of_lines
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER, Columns, are_named, parse_columns
from crowdseq.formats.tools.conll.guess import PREDICTED, named_columns
from crowdseq.formats.tools.conll.look import comment_of, look_at

_SPACES = re.compile(" +")  # not str.split(): a no-break space belongs to its token
_BLANK = " \t"
_GUESSED_FROM = 200
_EXTENSIONS = ("conll", "bio", "iob", "iob2", "tsv", "col")
_JSON_ARRAY = re.compile(r"\s*\[\s*[\[{]")


def recognise_to_carry(sample: Sample) -> int:
    """Told by its name, by tabs in every line, or by the mark of a document."""
    lines = [line for line in (sample.lines or [sample.text])[:_GUESSED_FROM] if line.strip()]
    is_named = sample.has_extension(_EXTENSIONS)
    is_tabbed = bool(lines) and (all("\t" in line for line in lines) or lines[0].startswith(DOCUMENT_START))
    is_array = _JSON_ARRAY.match(sample.text) is not None
    return LIKELY if (is_named or is_tabbed) and not is_array else NO


def carry(stream: Stream, source: Source, collector: Collector, with_tabs: bool) -> Iterator[Carried]:
    """The sentences of columns; which one holds the token, and what others hold, the settings may say."""
    given, look = collector.settings.columns, look_at(sample_of_lines(stream, collector))
    if given and are_named(given):
        columns = named_columns(given, look, None)
    elif given:
        columns = parse_columns(given)
    else:
        columns = Columns(look.token + 1, look.token, None, {}, {})
    return _Carrying(source.name, columns, with_tabs, look.names is not None).sentences(
        read_lines(stream, collector)
    )


@dataclass
class _Carrying:
    """One pass over a file: lines keep all that they have, and the tag becomes their last column."""

    name: str
    columns: Columns
    with_tabs: bool
    has_names: bool
    n_documents: int = 0
    rows: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    between: list[str] = field(default_factory=list)

    def sentences(self, lines: Iterable[tuple[int, str]]) -> Iterator[Carried]:
        """Sentences in order; names of columns, comments, blank lines and document marks are passed on."""
        for number, line in lines:
            if line.startswith(HEADER):
                told = "columns of annotators have no place for a tag, make it JSONL with convert first"
                raise FormatError(Problem(told, self.name, number))
            kept = self._with_tabs(line)
            is_comment = kept.startswith("#") and comment_of(kept) is not None
            if kept.strip(_BLANK) and not kept.startswith(DOCUMENT_START) and not is_comment:
                if self.has_names:
                    self.has_names = False
                    yield Carried((), None, _names_above(kept))
                    continue
                yield from self._passed_on()
                self.rows.append(kept)
                self.numbers.append(number)
                if kept.endswith(SENTENCE_END):
                    yield from self._sentence()
                continue
            yield from self._sentence()
            self.n_documents += kept.startswith(DOCUMENT_START)
            self.between.append(kept.rstrip(_BLANK))
        yield from self._sentence()
        yield from self._passed_on()

    def _with_tabs(self, line: str) -> str:
        is_comment = line.startswith("#") and comment_of(line) is not None
        if not self.with_tabs or "\t" in line or is_comment:
            return line
        return "\t".join(_SPACES.split(line.strip(_BLANK)))

    def _passed_on(self) -> Iterator[Carried]:
        if self.between:
            yield Carried((), None, _marks(self.between))
            self.between = []

    def _sentence(self) -> Iterator[Carried]:
        rows, numbers, known = self.rows, self.numbers, self.columns
        if not rows:
            return
        self.rows, self.numbers = [], []
        separator = "\t" if any("\t" in row for row in rows) else " "
        # A line that ends in a tab has an empty last column; spaces at the end are nothing.
        rows = [row.strip(" ") if separator == " " else row.rstrip(" ") for row in rows]
        cells = [row.split("\t") if separator == "\t" else _SPACES.split(row) for row in rows]
        for number, row in zip(numbers, cells, strict=True):
            if len(row) < known.size:
                what = f"{len(row)} columns where {known.size} are named"
                advice = Advice("correct the line or {columns}", columns="")
                raise FormatError(Problem(what, self.name, number, advice=advice))
        if all(len(row) == 1 for row in cells):
            separator = "\t"
        yield Carried(
            tuple(row[known.token] for row in cells),
            f"d{self.n_documents}",
            lambda tags, confidence: with_tags(rows, separator, tags, confidence),
            {other: tuple(row[at] for row in cells) for other, at in known.others.items()},
        )


def _names_above(line: str) -> Back:
    """The names of the columns with one for the tag, and one for its confidence."""
    separator = "\t" if "\t" in line else " "

    def back(_: tuple[str, ...], confidence: list[float] | None) -> str:
        return separator.join([line, *([] if confidence is None else ["confidence"]), PREDICTED]) + "\n"

    return back


def _marks(lines: list[str]) -> Back:
    """Blank lines and comments as they are; marks of documents get as many columns as other lines."""

    def back(_: tuple[str, ...], confidence: list[float] | None) -> str:
        more = ["O"] if confidence is None else [f"{1:.4f}", "O"]
        return "".join(
            ("\t" if "\t" in line else " ").join([line, *more]) + "\n"
            if line.startswith(DOCUMENT_START)
            else f"{line}\n"
            for line in lines
        )

    return back
