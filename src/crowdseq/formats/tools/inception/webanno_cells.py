"""Cells of WebAnno TSV: stacked values, their numbers, and what stands behind a backslash."""

import re
from typing import NamedTuple

from crowdseq.errors import AnnotationError

NOTHING, NO_VALUE = "_", "*"
_UNITS = re.compile(r"\\->|\\.|[^\\]", re.S)
_VALUE = re.compile(r"((?:\\->|\\.|[^\\\[\]])*)(?:\[([0-9]{1,12})\])?", re.S)
_IN_VALUES = {"t": "\t", "n": "\n"}
_IN_TEXT = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}


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
    parts = [""]
    units = _UNITS.findall(cell)
    if "".join(units) != cell:
        raise AnnotationError(f"the cell {cell[:40]!a} ends in a backslash, mend it")
    for unit in units:
        if unit == "|":
            parts.append("")
        else:
            parts[-1] += unit
    return parts


def _value(part: str) -> Value:
    found = _VALUE.fullmatch(part)
    if found is None:
        raise AnnotationError(f"the value {part[:40]!a} holds a bracket without a backslash, mend it")
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
