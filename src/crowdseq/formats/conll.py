"""CoNLL columns: one token a line, labels in the last column or in one column for each annotator."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crowdseq.core.building import Record, Tags
from crowdseq.core.labels import split_tag
from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.conll_columns import (
    DOCUMENT_START,
    HEADER,
    SENTENCE,
    UNLABELLED,
    Columns,
    custom_columns,
    header_columns,
    parse_columns,
)
from crowdseq.formats.conll_recognition import recognise
from crowdseq.formats.conll_writing import write, write_consensus
from crowdseq.formats.format import Format, Found
from crowdseq.formats.intake import Intake
from crowdseq.formats.jsonl import name_of
from crowdseq.formats.reading import read_lines
from crowdseq.formats.sources import Source, Stream
from crowdseq.formats.strict_json import JsonFault, loads

_SPACES = re.compile(r"[ \t]+")  # not str.split(): a no-break space belongs to its token


@dataclass
class _Block:
    """The lines of one sentence while they are collected."""

    line: int = 0
    rows: list[list[str]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    fault: Problem | None = None


def read(stream: Stream, source: Source, intake: Intake) -> Iterator[Found]:
    """The sentences of one file."""
    return _Reader(stream, source, intake).sentences()


class _Reader:
    """One pass over one file: knows its columns, its document and its place."""

    def __init__(self, stream: Stream, source: Source, intake: Intake) -> None:
        self.name, self.intake, self.stream = stream.name, intake, stream
        self.annotator = _annotator_of(source, intake)
        self.prefix = "" if self.annotator and source.folder is None else source.prefix
        given = intake.settings.columns
        self.columns = parse_columns(given) if given else None
        self.has_header = False
        self.is_custom = False
        self.with_tabs: bool | None = None
        self.n_sentences, self.n_documents = 0, 0
        self.digest = hashlib.sha256()
        self.values: dict[int, set[str]] = {}

    def sentences(self) -> Iterator[Found]:
        block = _Block()
        for number, line in read_lines(self.stream, self.intake):
            if number == 1 and self._take_header(line):
                continue
            if not line.strip(" \t"):
                if line:
                    self._warn("blank-with-spaces", "a blank line holds spaces, read as blank", number)
                yield from self._closed(block)
                block = _Block()
            elif self.has_header and line.startswith(SENTENCE) and "\t" not in line:
                yield from self._closed(block)
                block = _Block(number, raw=[line])
                self._take_sentence_line(block, line, number)
            elif line.startswith(DOCUMENT_START) and _SPACES.split(line)[0] == DOCUMENT_START:
                yield from self._closed(block)
                block = _Block()
                self.n_documents += 1
            else:
                self._take_row(block, line, number)
        yield from self._closed(block)
        self._check_one_label_column()
        self._check_not_read_before()

    def _take_header(self, line: str) -> bool:
        try:
            found = header_columns(line)
        except AnnotationError as error:
            raise FormatError(Problem(str(error), self.name, 1)) from None
        if found is None:
            return False
        self.columns = self.columns or found
        self.has_header = True
        return True

    def _take_sentence_line(self, block: _Block, line: str, number: int) -> None:
        try:
            about = loads(line.removeprefix(SENTENCE), depth=self.intake.settings.limits.depth)
            if not isinstance(about, dict):
                raise AnnotationError(f"'{SENTENCE}' must be followed by a JSON object")
            block.about = about
        except (JsonFault, AnnotationError) as error:
            block.fault = Problem(f"the line '{SENTENCE}' is wrong ({error}), mend it", self.name, number)

    def _take_row(self, block: _Block, line: str, number: int) -> None:
        if self.with_tabs is None:
            self.with_tabs = "\t" in line
        cells = line.split("\t") if self.with_tabs else _SPACES.split(line.strip(" \t"))
        if self.columns is None:
            self.columns, self.is_custom = custom_columns(len(cells), self.annotator), True
        if len(cells) != self.columns.size:
            cells = self._other_cells(cells, line, number)
        block.line = block.line or number
        block.rows.append(cells)
        block.raw.append(line)
        if block.fault is None:
            block.fault = self._row_fault(cells, number)

    def _other_cells(self, cells: list[str], line: str, number: int) -> list[str]:
        """The line cut at tabs and spaces alike, where that gives the right number of columns."""
        assert self.columns is not None
        mixed = _SPACES.split(line.strip(" \t"))
        if len(mixed) == self.columns.size:
            self._warn("tabs-and-spaces", "tabs and spaces are mixed between columns", number)
            return mixed
        return cells

    def _row_fault(self, cells: list[str], number: int) -> Problem | None:
        columns = self.columns
        assert columns is not None
        if len(cells) != columns.size:
            hint = "give every token its label, ? for none" if len(cells) < columns.size else "mend the line"
            what = f"{_count(len(cells))} where the file has {columns.size}, {hint}"
        elif not cells[columns.token]:
            what = "the token is empty, mend the line"
        elif not all(cells[i] for i in (columns.gold, *columns.annotators.values()) if i is not None):
            what = "a label is missing, write ? for a token that is not labelled"
        else:
            return None
        return Problem(what, self.name, number)

    def _closed(self, block: _Block) -> Iterator[Found]:
        """The sentence, if the block holds one and it is in order."""
        if not block.raw:
            return
        self.n_sentences += 1
        raw = "\n".join(block.raw)
        if block.fault is None:
            try:
                record = self._record(block)
            except AnnotationError as error:
                block.fault = Problem(str(error), self.name, block.line)
        if block.fault is not None:
            self.intake.reject(block.fault, raw)
            return
        self.digest.update("\n".join([*record.tokens, "", ""]).encode("utf-8"))
        yield Found(record, block.line, raw)

    def _record(self, block: _Block) -> Record:
        columns = self.columns or Columns(1, 0, None, {}, {})
        cells = list(zip(*block.rows, strict=True)) or [()] * columns.size
        name = name_of(block.about, "id", self.intake)
        doc = name_of(block.about, "doc", self.intake)
        if "id" not in block.about:
            name = f"{self.prefix}s{self.n_sentences}"
        if "doc" not in block.about and self.n_documents:
            doc = f"{self.prefix}d{self.n_documents}"
        if self.is_custom and columns.size > 2:
            for place in range(1, columns.size):
                self.values.setdefault(place, set()).update(cells[place])
        votes = {who: _tags(cells[place]) for who, place in columns.annotators.items()}
        gold = None if columns.gold is None else _tags(cells[columns.gold])
        return Record(
            cells[columns.token],
            name,
            doc,
            {who: tags for who, tags in votes.items() if tags is not None},
            gold,
            {key: cells[place] for key, place in columns.others.items()},
            {key: value for key, value in block.about.items() if key not in ("id", "doc")},
            f"{self.name}:{block.line}",
        )

    def _check_one_label_column(self) -> None:
        """Columns that share entity types with the last one are annotators or predictions."""
        types = {place: _entity_types(values) for place, values in self.values.items()}
        last = types.pop(max(types), None) if types else None
        alike = [place + 1 for place, found in types.items() if found and last and found & last]
        if alike:
            shown = " and ".join(map(str, alike))
            raise FormatError(
                Problem(
                    f"column {shown} holds the same kind of labels as the last one: say what each column is, "
                    f"with --columns or a first line such as '{HEADER} token ann1 ann2'",
                    self.name,
                )
            )

    def _check_not_read_before(self) -> None:
        """Two files of gold over one text are most likely two annotators, whose votes would be lost."""
        if self.annotator is not None or self.has_header or not self.n_sentences:
            return
        other = self.intake.same_text(self.digest.hexdigest(), self.name)
        if other is not None:
            raise FormatError(
                Problem(
                    f"has the same text as {other}: if each is one annotator, say --files-mean annotator, "
                    "else name only one of them",
                    self.name,
                )
            )

    def _warn(self, kind: str, what: str, number: int) -> None:
        self.intake.warn(kind, what, Problem(what, self.name, number))


def _annotator_of(source: Source, intake: Intake) -> str | None:
    """Whose labels a file with one column of them holds; None for gold."""
    means = intake.settings.files_mean
    is_annotator = source.folder is not None if means == "auto" else means == "annotator"
    return source.stem if is_annotator and source.stem.lower() != "gold" else None


def _tags(cells: tuple[str, ...]) -> Tags | None:
    """The labels of one column; a column with nothing but `?` says that the sentence was not seen."""
    if UNLABELLED not in cells:
        return cells or None
    tags = [None if cell == UNLABELLED else cell for cell in cells]
    return tags if any(tag is not None for tag in tags) else None


def _entity_types(values: set[str]) -> set[str]:
    """The types that a column of labels names; empty if any value is no label of a chunk scheme."""
    parts = [split_tag(value) for value in values if value != UNLABELLED]
    return {kind for _, kind in parts} - {""} if all(prefix for prefix, _ in parts) else set()


def _count(n_columns: int) -> str:
    return "1 column" if n_columns == 1 else f"{n_columns} columns"


FORMAT = Format(
    name="conll",
    summary=f"CoNLL columns: gold in the last column, or one column an annotator under '{HEADER} token …'",
    extensions=("conll", "iob", "bio", "tsv"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
