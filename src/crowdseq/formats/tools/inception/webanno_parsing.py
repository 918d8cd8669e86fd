"""WebAnno TSV 3.3 of INCEpTION: the lines of one file to a document with the spans of one layer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.findings.collector import problem_of
from crowdseq.formats.spans.offsets import place_table
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.tools.inception.documents import Annotated, Choice, choose_layer, short_name

MARK = "#FORMAT=WebAnno TSV "
_VERSIONS = ("3.2", "3.3")
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]+)\|?(.*)")
_UNIT = re.compile(r"[0-9]+-[0-9]+(\.[0-9]+)?")
_PLACES = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")
_TEXT = "#Text="
_FIXED = 3  # number, offsets, token
NOTHING, NO_VALUE = "_", "*"
_UNITS = re.compile(r"\\->|\\.|[^\\]", re.S)
_VALUE = re.compile(r"((?:\\->|\\.|[^\\\[\]])*)(?:\[([0-9]{1,12})\])?", re.S)
_IN_VALUES = {"t": "\t", "n": "\n"}
_IN_TEXT = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}


@dataclass
class _Row:
    """A token or a part of one, its offsets in UTF-16 units, and the cells of all layers."""

    line: int
    is_token: bool
    start: int
    end: int
    text: str
    cells: list[str]


@dataclass
class _Reader:
    """What the lines said so far."""

    name: str
    asked: str | None
    largest_gap: int
    layers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    columns: dict[tuple[str, str | None], int] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    size: int = 0
    text: list[str] = field(default_factory=list)
    length: int = 0
    sentence: list[str] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)

    def header(self, line: str) -> None:
        found = _LAYER.fullmatch(line)
        if found is None:
            return
        kind, layer, rest = found.groups()
        features = [feature for feature in rest.split("|") if feature]
        self.columns[layer, None] = self.size  # where a layer without labels of its own is seen to be there
        for place, feature in enumerate(features):
            self.columns[layer, feature] = self.size + place
        self.size += max(1, len(features))
        if kind == "SP":
            plain = [
                feature for feature in features if "." not in feature and not feature.startswith("ROLE_")
            ]
            self.layers[layer] = tuple(plain)
        else:
            self.others.append(layer)

    def row(self, number: int, line: str) -> None:
        cells = line.split("\t")
        if len(cells) == _FIXED + self.size + 1 and not cells[-1]:
            cells.pop()  # every line ends with a tab
        places = _PLACES.fullmatch(cells[1]) if len(cells) > 1 else None
        unit = _UNIT.fullmatch(cells[0])
        if places is None or unit is None:
            raise AnnotationError(
                "a line begins with the number of a token and its offsets, such as 1-1 tab 0-3"
            )
        if len(cells) != _FIXED + self.size:
            raise AnnotationError(
                f"{len(cells) - _FIXED} cells behind the token where the header names {self.size} columns"
            )
        start, end = map(int, places.groups())
        row = _Row(number, unit[1] is None, start, end, unescaped_text(cells[2]), cells[_FIXED:])
        if self.sentence:
            self._open_sentence(start)
        self.rows.append(row)

    def _open_sentence(self, start: int) -> None:
        """The text is put together from sentences; what stood between them is not in the file."""
        gap = start - self.length
        if gap < 0:
            raise AnnotationError(f"the sentence begins at {start}, inside the one before it")
        if gap > self.largest_gap:
            raise AnnotationError(
                f"the sentence begins {gap:,} characters behind the one before it, correct it"
            )
        between = "\n" if self.text and gap else ""
        sentence = "\n".join(map(unescaped_text, self.sentence))
        self.text += [between + " " * (gap - len(between)), sentence]
        self.length = start + len(sentence.encode("utf-16-le", "surrogatepass")) // 2
        self.sentence.clear()

    def finish(self) -> Annotated:
        text = "".join(self.text)
        table = place_table(text, "utf-16")
        tokens = []
        for row in self.rows:
            bounds = self._bounds(row, table, text)
            if row.is_token:
                tokens.append(bounds)
        choice = choose_layer(self.layers, self.asked)
        others = [*self.others, *(name for name in self.layers if choice is None or name != choice.layer)]
        regions = [] if choice is None else self._regions(choice, table, text)
        known, layer = tuple(map(short_name, self.layers)), None if choice is None else choice.layer
        return Annotated(text, tokens, regions, "utf-16", tuple(map(short_name, others)), known, layer)

    def _bounds(self, row: _Row, table: Sequence[int], text: str) -> tuple[int, int]:
        if not row.start <= row.end < len(table) or -1 in (table[row.start], table[row.end]):
            raise self._fault(
                row, f"offsets {row.start}-{row.end} do not fit the text, which counts UTF-16 units"
            )
        start, end = table[row.start], table[row.end]
        if text[start:end] != row.text:
            raise self._fault(
                row, f"offsets {row.start}-{row.end} cover {text[start:end]!a}, not {row.text!a}"
            )
        return start, end

    def _regions(self, choice: Choice, table: Sequence[int], text: str) -> list[Region]:
        """Values with the same number are one span, from the first of its rows to the last."""
        column = self.columns[choice.layer, choice.feature]
        found: dict[tuple[str, int, int], tuple[int, int, str | None]] = {}
        for place, row in enumerate(self.rows):
            try:
                values = values_of(row.cells[column])
            except AnnotationError as error:
                raise self._fault(row, str(error)) from None
            for index, value in enumerate(values):
                key = (value.number, 0, 0) if value.number is not None else ("", place, index)
                start, end, label = found.get(key, (row.start, row.end, value.text))
                if label != value.text:
                    raise self._fault(
                        row, f"span [{value.number}] is {value.text!r} here and {label!r} before"
                    )
                found[key] = (min(start, row.start), max(end, row.end), label)
        return [
            Region(start, end, _labels(label, choice), text[table[start] : table[end]])
            for start, end, label in found.values()
        ]

    def _fault(self, row: _Row, what: str) -> FormatError:
        return FormatError(Problem(f"{what}: export the file again", self.name, row.line))


def _labels(label: str | None, choice: Choice) -> list[str]:
    if label is not None:
        return [label]
    return [choice.label] if choice.feature is None else []


def parse(lines: Iterable[tuple[int, str]], name: str, asked: str | None, largest_gap: int) -> Annotated:
    """One file; asked is the layer to read where there are several. Raises FormatError with the line."""
    reader = _Reader(name, asked, largest_gap)
    in_header = True
    for number, line in lines:
        try:
            if number == 1:
                _check_version(line)
            elif not line.strip():
                in_header = False
            elif in_header:
                reader.header(line)
            elif line.startswith(_TEXT):
                reader.sentence.append(line.removeprefix(_TEXT))
            elif not line.startswith("#"):
                reader.row(number, line)
        except AnnotationError as error:
            raise FormatError(Problem(f"{error}", name, number)) from None
    try:
        return reader.finish()
    except AnnotationError as error:
        raise FormatError(problem_of(error, name)) from None


def _check_version(line: str) -> None:
    version = line.removeprefix(MARK).strip()
    if not line.startswith(MARK) or version not in _VERSIONS:
        shown = line[:60] if line.startswith("#") else ascii(line[:40])
        raise AnnotationError(
            f"begins with {shown}, not with {MARK}{_VERSIONS[-1]}: export it in that format"
        )


class Value(NamedTuple):
    """One of the values stacked in a cell, None for a span without one; number: of its span, if any."""

    text: str | None
    number: str | None


def values_of(cell: str) -> list[Value]:
    """The values of a cell, none for `_`."""
    if cell == NOTHING:
        return []
    return [_value(part) for part in _stacked(cell)]


def _stacked(cell: str) -> list[str]:
    parts: list[list[str]] = [[]]
    units = _UNITS.findall(cell)
    if "".join(units) != cell:
        raise AnnotationError(f"the cell {cell[:40]!a} ends in a backslash, correct it")
    for unit in units:
        if unit == "|":
            parts.append([])
        else:
            parts[-1].append(unit)
    return ["".join(part) for part in parts]


def _value(part: str) -> Value:
    found = _VALUE.fullmatch(part)
    if found is None:
        raise AnnotationError(f"the value {part[:40]!a} holds a bracket without a backslash, correct it")
    written, number = found.groups()
    return Value(None if written == NO_VALUE else _unescaped(written, _IN_VALUES), number)


def unescaped_text(text: str) -> str:
    """Text of a sentence or token as it was; there only control characters and backslashes are escaped."""
    return _unescaped(text, _IN_TEXT)


def _unescaped(text: str, special: dict[str, str]) -> str:
    if "\\" not in text:
        return text
    return "".join(
        special.get(unit[1:], unit[1:]) if unit[0] == "\\" else unit for unit in _UNITS.findall(text)
    )
