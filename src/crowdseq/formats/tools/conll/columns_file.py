"""CoNLL columns: one token a line, labels in the last column or in one column for each annotator."""

import hashlib
from collections.abc import Iterator

from crowdseq.core.building import Record
from crowdseq.core.labels import split_tag
from crowdseq.core.names import Tags
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.roles import annotator_of, refuse_second_gold
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import Carrier, Format, ReadRecord
from crowdseq.formats.json_io import name_of
from crowdseq.formats.table_io.missing import UNLABELLED, MissingMarks
from crowdseq.formats.tools.conll.blocks import Block, BlockReader, cut_at_spaces, sample_of_lines
from crowdseq.formats.tools.conll.carrying import carry, recognise_to_carry
from crowdseq.formats.tools.conll.columns import (
    HEADER,
    Columns,
    are_named,
    custom_columns,
    parse_columns,
)
from crowdseq.formats.tools.conll.guess import Guess, guess_columns, named_columns
from crowdseq.formats.tools.conll.look import TAGS, look_at
from crowdseq.formats.tools.conll.recognising import EXTENSIONS, recognise, text_of
from crowdseq.formats.tools.conll.writing import write, write_consensus

_CONLL_2012 = b"#begin document"


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The sentences of one file."""
    if stream.head.startswith(_CONLL_2012):
        what = (
            "is CoNLL-2012, whose labels stand in brackets over several lines: write them as B- and I- tags"
        )
        raise FormatError(Problem(what, source.name, 1))
    return _Reader(stream, source, collector).sentences()


class _Reader:
    """One pass over one file: knows what its columns hold, and numbers its sentences."""

    def __init__(self, stream: Stream, source: Source, collector: Collector) -> None:
        self.name, self.collector = stream.name, collector
        self.lines = BlockReader(stream, collector)
        self.look = look_at(sample_of_lines(stream, collector))
        self.annotator = annotator_of(source, collector)
        self.prefix = "" if self.annotator and source.folder is None else source.prefix
        self.document = source.document
        if self.document is not None:
            self.prefix = f"{self.prefix}{self.document}-"
        given = collector.settings.columns
        self.columns = parse_columns(given) if given and not are_named(given) else None
        self.is_custom, self.has_names_above = False, self.look.names is not None
        self.with_tabs: bool | None = None
        self.digest = hashlib.sha256()
        self.values: dict[int, set[str]] = {}
        self.marks: dict[int, MissingMarks] = {}

    def sentences(self) -> Iterator[ReadRecord]:
        number = 0
        for block in self.lines.blocks():
            cells = self._cells(block)
            if block.is_empty:  # it held the names of columns alone
                continue
            number += 1
            try:
                if block.fault is None:
                    yield ReadRecord(self._record(block, cells, number), block.line, block.raw)
            except AnnotationError as error:
                block.fault = problem_of(error, self.name, block.line)
            if block.fault is not None:
                self.collector.reject(block.fault, block.raw)
        self._check_one_label_column()
        for marks in self.marks.values():
            marks.tell()
        is_told = self.document is not None and self.collector.settings.files_mean != "gold"
        if number and self.annotator is None and self.lines.columns is None and not is_told:
            refuse_second_gold(self.digest.hexdigest(), self.name, self.collector)

    def _choose_columns(self) -> Columns:
        """By the settings or by what the first rows show."""
        given, look = self.collector.settings.columns, self.look
        try:
            if given:
                guess = Guess(named_columns(given, look, self.annotator))
            else:
                guess = guess_columns(look, self.annotator, last=self.collector.settings.last_column)
                self.is_custom = look.names is None and not self.collector.settings.last_column
        except AnnotationError as error:
            raise FormatError(problem_of(error, self.name)) from None
        if guess.told:
            advice = Advice("say otherwise with {columns}", columns="")
            self.collector.warn("columns-guessed", guess.told, Problem("", self.name), advice=advice)
        return guess.columns

    def _cells(self, block: Block) -> list[tuple[str, ...]]:
        """The columns of a block; the first line of a file settles what separates them, and how many."""
        self.columns = self.columns or self.lines.columns
        if self.columns is None and block.rows:
            if not self.look.rows:  # not even the first line ends where we looked
                self.look = look_at(block.rows)
                self.collector.check_columns(self.look.size, self.name, block.line)
                self.has_names_above = self.look.names is not None
            self.columns = self._choose_columns()
        if block.rows and self.has_names_above:
            del block.rows[0], block.numbers[0]
            self.has_names_above = False
        if not block.rows:
            return [()] * (self.columns.size if self.columns else 1)
        if self.with_tabs is None:
            self.with_tabs = "\t" in block.rows[0]
        rows = [line.split("\t") if self.with_tabs else cut_at_spaces(line) for line in block.rows]
        if self.columns is None:
            self.columns = custom_columns(len(rows[0]), self.annotator, rows[0])
        self.collector.check_columns(self.columns.size, self.name, block.line)
        if len(rows) > 1 and rows[0][0].startswith("#") and len(rows[0]) != self.columns.size == len(rows[1]):
            what = "lines that begin with # and have other columns than the rest were left out as comments"
            self.collector.warn("comments-left-out", what, Problem("", self.name, block.numbers[0]))
            del rows[0], block.rows[0], block.numbers[0]
        if any(len(row) != self.columns.size for row in rows):
            self._mend(block, rows, self.columns.size)
        cells = list(zip(*rows, strict=False))
        if block.fault is None:
            self._check_filled(block, cells, self.columns)
        return cells

    def _mend(self, block: Block, rows: list[list[str]], size: int) -> None:
        """Lines cut at tabs and spaces alike where that gives the right number of columns, else a fault."""
        for place, (row, line) in enumerate(zip(rows, block.rows, strict=True)):
            if len(row) == size:
                continue
            rows[place] = cut_at_spaces(line)
            number = block.line_of(place)
            if len(rows[place]) == size:
                what = "tabs and spaces are mixed between columns"
                self.collector.warn("tabs-and-spaces", what, Problem("", self.name, number))
            elif block.fault is None:
                found = "1 column" if len(row) == 1 else f"{len(row)} columns"
                hint = "give every token its label, ? for none" if len(row) < size else "correct the line"
                block.fault = Problem(f"{found} where the file has {size}, {hint}", self.name, number)

    def _check_filled(self, block: Block, cells: list[tuple[str, ...]], columns: Columns) -> None:
        if "" in cells[columns.token]:
            number = block.line_of(cells[columns.token].index(""))
            block.fault = Problem("the token is empty, correct the line", self.name, number)
        for column in (columns.gold, *columns.annotators.values()):
            if column is not None and "" in cells[column]:
                what = "a label is missing, write ? for a token that is not labelled"
                block.fault = Problem(what, self.name, block.line_of(cells[column].index("")))

    def _record(self, block: Block, cells: list[tuple[str, ...]], number: int) -> Record:
        columns = self.columns or custom_columns(1, None)
        self._note(cells, columns)
        about = dict(block.about)
        name, doc = name_of(about, "id", self.collector), name_of(about, "doc", self.collector)
        if "doc" not in about:
            doc = self._document(block)
        votes = {who: self._tags(cells, place) for who, place in columns.annotators.items()}
        return Record(
            cells[columns.token],
            name if "id" in about else f"{self.prefix}s{number}",
            doc,
            {who: tags for who, tags in votes.items() if tags is not None},
            None if columns.gold is None else self._tags(cells, columns.gold),
            {key: cells[place] for key, place in columns.others.items()},
            {key: value for key, value in about.items() if key not in ("id", "doc")},
            f"{self.name}:{block.line}",
        )

    def _document(self, block: Block) -> str | None:
        """The document that a comment names, or the folder, or the number of start lines so far."""
        if block.doc is not None:
            return block.doc
        if self.document is not None and block.document < 2:
            return self.prefix.removesuffix("-")
        return f"{self.prefix}d{block.document}" if block.document else None

    def _tags(self, cells: list[tuple[str, ...]], place: int) -> Tags | None:
        """The labels of one column; one with nothing but marks says that the sentence was not seen."""
        if place not in self.marks:
            is_known = place < self.look.size
            self.marks[place] = MissingMarks(
                self.collector,
                self.name,
                has_chunks=is_known and self.look.kinds[place] == TAGS,
                has_outside=is_known and self.look.has_outside(place),
            )
        return self.marks[place].labels(cells[place])

    def _note(self, cells: list[tuple[str, ...]], columns: Columns) -> None:
        """Keep in mind what the checks at the end need."""
        self.digest.update("\n".join([*cells[columns.token], "", ""]).encode("utf-8"))
        if self.is_custom and columns.size > 2:
            for place in range(1, columns.size):
                self.values.setdefault(place, set()).update(cells[place])

    def _check_one_label_column(self) -> None:
        """Columns that share entity types with the last one are annotators or predictions."""
        types = {place: _entity_types(values) for place, values in self.values.items()}
        last = types.pop(max(types), None) if types else None
        alike = [place + 1 for place, found in types.items() if found and last and found & last]
        if alike:
            shown = " and ".join(map(str, alike))
            what = f"column {shown} holds the same kind of labels as the last one:"
            told = "say what each column is, with {columns} or a first line such as '{0} token ann1 ann2'"
            raise FormatError(Problem(what, self.name, advice=Advice(told, HEADER, columns="")))


def _entity_types(values: set[str]) -> set[str]:
    """The types that a column of labels names; empty if any value is no label of a chunk scheme."""
    parts = [split_tag(value) for value in values if value != UNLABELLED]
    return {kind for _, kind in parts} - {""} if all(prefix for prefix, _ in parts) else set()


FORMAT = Format(
    name="conll",
    summary=f"CoNLL columns: gold in the last column, or one column an annotator under '{HEADER} token …'",
    extensions=EXTENSIONS,
    settings=("columns", "files_mean"),
    recognise=recognise,
    read=read,
    text_of=text_of,
    carrier=Carrier(recognise_to_carry, carry),
    write=write,
    write_consensus=write_consensus,
    has_details=True,
)
